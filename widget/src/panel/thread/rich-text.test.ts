// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Options } from "../../settings/options.ts";
import { createFixture, drawn, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { Thread } from "./thread.tsx";

let on: Fixture;
let view: HTMLElement;
beforeEach(() => open());
async function open(options: Options = {}): Promise<void> {
  on = await createFixture({ responder: "ai", ...options });
  view = on.show(Thread);
}
afterEach(() => {
  vi.unstubAllGlobals();
  on.stop();
});

const find = (selector: string): HTMLElement => {
  const found = view.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`nothing matches ${selector}`);
  return found;
};
const texts = (selector: string): (string | null)[] =>
  [...view.querySelectorAll(selector)].map((node) => node.textContent);
/** Draws one reply, with its blocks. */
async function show(text: string): Promise<void> {
  on.chat.items.value = [reply(text)];
  await expect.poll(() => view.querySelector(".bubble > :not(p)")).not.toBeNull();
}
/** Replaces the clipboard API. @returns the texts copied */
function clipboard(): string[] {
  const copied: string[] = [];
  vi.stubGlobal("navigator", {
    ...navigator,
    clipboard: { writeText: async (text: string) => void copied.push(text) },
  });
  return copied;
}

describe("a reply with blocks", () => {
  it("shows a table with column headers, in a box that scrolls and can be focused", async () => {
    await show("| Lamp | Price |\n|---|---:|\n| **Perch** | 40 |");
    expect(texts("th[scope=col]")).toEqual(["Lamp", "Price"]);
    expect(texts("td")).toEqual(["Perch", "40"]);
    expect(find("td.end strong, td.end").textContent).toBe("40");
    expect(find(".scroll").tabIndex).toBe(0);
    expect(find(".scroll > table").parentElement?.tabIndex).toBe(0);
  });

  it("names the box of a table by the table's headings", async () => {
    await show("| **Lamp** | Price |\n|---|---:|\n| Perch | 40 |");
    expect(find(".scroll[role=group]").getAttribute("aria-label")).toBe("Lamp, Price");
  });

  it("shows quotes, rules, tasks and nested lists", async () => {
    await show("> said\n\n---\n- [x] done\n- [ ] open\n1. one\n   - inner");
    expect(texts("blockquote")).toEqual(["said"]);
    expect(view.querySelectorAll("hr")).toHaveLength(1);
    expect(texts(".task > span")).toEqual(["\u2611\ufe0e ", "\u2610\ufe0e "]);
    expect(texts(".bubble ol > li ul li")).toEqual(["inner"]);
  });

  it("shows HTML as text, in cells and quotes too", async () => {
    await show("> <img src=x onerror=alert(1)>\n\n| <b>a</b> |\n|---|\n| ![x](https://evil.example/p.png) |");
    expect(view.querySelectorAll("img, b")).toHaveLength(0);
    expect(find("td a").getAttribute("href")).toBe("https://evil.example/p.png");
  });

  it("copies a code block unchanged, and says so", async () => {
    const copied = clipboard();
    await show("```js\nlet **a**;\n```");
    const button = find(".code button");
    expect(button.getAttribute("aria-label")).toBe("Copy");
    button.click();
    await expect.poll(() => on.said).toContain("Copied");
    expect(copied).toEqual(["let **a**;"]);
  });
});

describe("the text of a reply", () => {
  it("can be copied with a button that appears when the visitor points at the reply", async () => {
    const copied = clipboard();
    on.chat.items.value = [own("Which?"), reply("See **Perch**: [here](https://shop.example/perch)")];
    await expect.poll(() => view.querySelector(".tools")).not.toBeNull();
    expect(view.querySelector(".copy")).toBeNull();
    find(".reply").dispatchEvent(new Event("mouseenter"));
    await expect.poll(() => view.querySelector(".tools > .copy")).not.toBeNull();
    find(".tools > .copy").click();
    await expect.poll(() => copied).toEqual(["See Perch: here (https://shop.example/perch)"]);
  });

  it("is copied from a text field on pages without HTTPS, which have no clipboard", async () => {
    vi.stubGlobal("navigator", { ...navigator, clipboard: undefined });
    const selected: string[] = [];
    Document.prototype.execCommand = () => {
      selected.push(on.root.querySelector<HTMLTextAreaElement>("dialog > textarea")?.value ?? "");
      return true;
    };
    await show("```\na\n```");
    find(".code button").click();
    await expect.poll(() => on.said).toContain("Copied");
    expect(selected).toEqual(["a"]);
    expect(on.root.querySelector("dialog > textarea")).toBeNull();
  });
});

describe("a reply with buttons", () => {
  const answers = (): (string | null)[] => texts(".answers button");

  it("shows its answers as buttons below the bubble until the next message", async () => {
    on.chat.items.value = [reply("Which?\n( ) Perch\n( ) Moth", { id: "asked" })];
    await expect.poll(answers).toEqual(["Perch", "Moth"]);
    await expect.poll(() => texts(".bubble")).toEqual(["Which?"]);
    find(".answers button").click();
    on.chat.items.value = [...on.chat.items.value, own("Perch")];
    await expect.poll(answers).toEqual([]);
  });

  it("shows a card with links as buttons, and only pictures from the relay's uploads", async () => {
    const own = "https://relay.example/media/a.png";
    const paths = ["/admin", "/media/../admin", "/media/%2e%2e/healthz", "/mediation/a.png"];
    const others = ["https://evil.example/p.png", ...paths.map((path) => `https://relay.example${path}`)];
    const pictures = others.map((address) => `![track](${address})`).join(" ");
    await show(
      `> ### Perch\n> ![a lamp](${own}) ${pictures}\n> 40.00\n>\n> [See](https://shop.example) [Buy](https://shop.example/b)`,
    );
    await expect.poll(() => view.querySelector(".card img")).not.toBeNull();
    expect([...view.querySelectorAll("img")].map((img) => [img.getAttribute("src"), img.alt])).toEqual([
      [own, "a lamp"],
    ]);
    expect(texts(".card > p:not(.actions) a")).toEqual(others.map(() => "track"));
    expect(texts(".card > .actions a")).toEqual(["See", "Buy"]);
  });
});

describe("a site that switches off", () => {
  const TEXT =
    "[Maria]\n**Which** [lamp](https://shop.example/lamps)? See https://shop.example.\n\n> ### Perch\n> 40.00\n( ) Perch";
  const named = () => reply(TEXT, { author: { name: "Maria", end: 8 } });
  const openWithout = async (setting: "markdown" | "replyConventions"): Promise<void> => {
    on.stop();
    await open({ [setting]: false });
    on.chat.items.value = [named()];
  };

  it("Markdown shows a reply as it was written, with addresses as links, and offers no copy", async () => {
    await openWithout("markdown");
    await expect.poll(() => view.querySelector(".tools")).not.toBeNull();
    find(".reply").dispatchEvent(new Event("mouseenter"));
    await drawn();
    expect(texts(".bubble")).toEqual([TEXT.slice(8, -"\n( ) Perch".length)]);
    expect(texts(".bubble a")).toEqual(["https://shop.example/lamps", "https://shop.example"]);
    expect(view.querySelector(".bubble :is(strong, blockquote, .card), .copy")).toBeNull();
    expect([texts(".author"), texts(".answers button")]).toEqual([["Maria · AI assistant"], ["Perch"]]);
  });

  it("Markdown shows no marks as formats while the code for replies is loading", async () => {
    on.stop();
    on = await createFixture({ markdown: false });
    on.ui.part = () => new Promise(() => {});
    view = on.show(Thread);
    on.chat.items.value = [reply("**Which**")];
    await drawn();
    expect(texts(".bubble")).toEqual(["**Which**"]);
  });

  it("conventions keeps their lines as text, and shows cards as quotes", async () => {
    await openWithout("replyConventions");
    await expect.poll(() => view.querySelector("blockquote")).not.toBeNull();
    expect(texts(".bubble > p")[0]).toMatch(/^\[Maria\]\nWhich lamp/);
    expect(texts(".bubble > p").at(-1)).toBe("( ) Perch");
    expect(texts(".author")).toEqual(["AI assistant"]);
    expect(view.querySelector(".card, .answers, .face")).toBeNull();
  });
});
