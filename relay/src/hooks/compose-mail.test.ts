import { describe, expect, it } from "vitest";
import { composeMail } from "./compose-mail.ts";

const given = {
  site: "Shop",
  page: "https://shop.example/a?b=1&c=2",
  stop: "https://chat.example/mail/stop/x",
  locale: "en",
};
const reply = (text: string) => ({ from: "reply", at: 0, text }) as const;

describe("a conversation as a mail", () => {
  it("shows markup in a reply as plain text, in both forms", () => {
    const { text, html } = composeMail({ ...given, lines: [reply('<img src=x onerror="alert(1)"> & more')] });
    expect(text).toContain('<img src=x onerror="alert(1)"> & more');
    expect(html).not.toContain("<img");
    expect(html).toContain("&#60;img src=x onerror=&#34;alert(1)&#34;&#62; &#38; more");
    expect(html).toContain('href="https://shop.example/a?b=1&#38;c=2"');
  });

  it("builds the subject from site and reply, on one line", () => {
    const { subject } = composeMail({
      ...given,
      site: "Shop\r\nBcc: a@b.c",
      lines: [reply(`Yes\r\nBcc: x@y.z ${"long ".repeat(40)}`)],
    });
    expect(subject).toMatch(/^Shop Bcc: a@b\.c: Yes Bcc: x@y\.z long /);
    expect(subject).not.toMatch(/[\r\n]/);
    expect(subject.length).toBeLessThan(125);
  });

  it("uses the visitor's language and its direction", () => {
    const open = (locale: string) => composeMail({ ...given, locale, lines: [reply("x")] }).html;
    expect(open("de-AT")).toContain("Zum Chat");
    expect(open("zh-TW")).toContain("開啟聊天");
    expect(open("no")).toContain("Åpne chatten");
    expect(open("ar")).toContain('dir="rtl"');
    expect(open("ps")).toContain('dir="rtl"');
    expect(open("pt-AO")).toContain("Abrir o chat");
    expect(open("xx-nonsense-")).toContain("Open the chat");
  });

  it("names the author of each message when both sides have written", () => {
    const lines = [{ from: "visitor", at: 0, text: "", name: "broken.jpg" }, reply("Oh!")] as const;
    const { text, subject } = composeMail({ ...given, lines });
    expect(text).toMatch(/^You · .+ UTC\n\[broken\.jpg\]\n\nShop · .+ UTC\nOh!\n/);
    expect(subject).toBe("Shop");
  });
});
