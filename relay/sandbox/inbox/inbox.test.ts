import { describe, expect, it } from "vitest";
import { type Bench, setUp } from "../sandbox.fixture.ts";

const page = async ({ sandbox }: Bench, path = "/") => {
  const answer = await fetch(`${sandbox.origin}${path}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const post = ({ sandbox }: Bench, path: string, fields: Record<string, string>) =>
  fetch(`${sandbox.origin}${path}`, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

describe("the inbox", () => {
  it("shows SANDBOX, and what will appear, before anybody has written", async () => {
    const { text, headers } = await page(await setUp());
    expect(text).toMatch(/>SANDBOX</);
    expect(text).toContain("Nobody has written yet");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
  });

  it("shows conversations with names, messages and unread counts, newest first", async () => {
    const bench = await setUp({ botActive: false });
    await bench.incoming({ firstName: "Ada", lastName: "King", body: "first" });
    await bench.incoming({ fromId: "v_abcd", body: "second" });
    const { text } = await page(bench);
    expect(text.indexOf("Visitor ABCD")).toBeLessThan(text.indexOf("Ada King"));
    expect(text.match(/aria-label="1 unread"/g)).toHaveLength(2);
    const thread = await page(bench, "/?to=v_ada");
    expect(thread.text).toMatch(/role="log"[\s\S]*first/);
    expect(thread.text.match(/aria-label="1 unread"/g)).toHaveLength(1);
    await bench.incoming();
    expect((await page(bench, "/?to=v_ada&peek=1")).text).toMatch(/aria-label="1 unread"[\s\S]*aria-label="1 unread"/);
  });

  it("escapes everything that a visitor wrote, including names and ids", async () => {
    const bench = await setUp({ botScript: "html" });
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
    const fields = { channel: evil, toId: evil, firstName: evil, email: evil, campaignId: evil };
    await bench.incoming({ fromId: evil, body: evil, ...fields });
    await bench.incoming({ fromId: evil, body: "file", mediaUrl: "data:a/b;base64,aGk=", mediaContentType: "a/b" });
    const { text } = await page(bench, `/?to=${encodeURIComponent(evil)}`);
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).not.toMatch(/<img|<b>/);
  });

  it("sends a person's reply to the visitor, and shows its outcome", async () => {
    const bench = await setUp({ botActive: false });
    await bench.incoming();
    const answer = await post(bench, "/inbox/reply", { to: "v_ada", body: "  Anna here  " });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/?to=v_ada"]);
    await bench.sandbox.until(({ outgoing }) => outgoing()[0]?.status === "Sent");
    expect(bench.client.bodies()).toMatchObject([{ body: "Anna here", toId: "v_ada" }]);
    expect((await page(bench, "/?to=v_ada")).text).toMatch(/Anna here[\s\S]*You · [\s\S]*Sent/);
    await post(bench, "/inbox/reply", { to: "v_ada", body: "   " });
    expect(bench.sandbox.outgoing()).toHaveLength(1);
  });

  it("shows why a reply failed, and sends it again", async () => {
    const bench = await setUp({ botActive: false });
    await bench.incoming();
    bench.client.answer = () => ({ status: 404, body: '{"error":"unknown contact"}' });
    const { messageId } = await bench.sandbox.humanReply({ fromId: "v_ada", body: "Hi" });
    const { text } = await page(bench, "/?to=v_ada");
    expect(text).toContain("Not delivered: status 404: {&quot;error&quot;:&quot;unknown contact&quot;}");
    bench.client.answer = () => ({ status: 200 });
    await post(bench, "/inbox/resend", { to: "v_ada", messageId });
    await bench.sandbox.until(({ outgoing }) => outgoing()[0]?.status === "Sent");
  });

  it("switches the bot for one conversation", async () => {
    const bench = await setUp();
    await bench.incoming();
    expect((await page(bench, "/?to=v_ada")).text).toContain('aria-checked="true"');
    await post(bench, "/inbox/bot", { to: "v_ada", active: "false" });
    expect((await page(bench, "/?to=v_ada")).text).toContain('aria-checked="false"');
    expect((await post(bench, "/inbox/bot", { to: "v_nobody", active: "false" })).status).toBe(404);
  });

  it("shows pictures, saves other files, and puts reactions on their reply", async () => {
    const bench = await setUp();
    const media = (type: string) => ({ mediaUrl: `data:${type};base64,aGVsbG8=`, mediaContentType: type });
    for (const type of ["image/png", "text/html", "image/svg+xml"]) await bench.incoming(media(type));
    await bench.sandbox.until(({ outgoing }) => outgoing().length === 3);
    await bench.incoming({ body: "👍" }, { messageType: "reaction" });
    const [png, html, svg] = await Promise.all(
      bench.sandbox
        .messages()
        .slice(0, 3)
        .map(({ messageId }) => page(bench, `/inbox/media/${messageId}`)),
    );
    expect([png?.headers.get("content-type"), png?.text]).toEqual(["image/png", "hello"]);
    for (const file of [html, svg]) {
      expect(file?.headers.get("content-type")).toBe("application/octet-stream");
      expect(file?.headers.get("content-disposition")).toBe("attachment");
      expect(file?.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect((await page(bench, "/inbox/media/nothing")).status).toBe(404);
    expect((await page(bench, "/?to=v_ada")).text).toContain('aria-label="Reacted with 👍"');
  });

  it("notifies its page of changes as they happen", async () => {
    const bench = await setUp();
    const ending = new AbortController();
    const answer = await fetch(`${bench.sandbox.origin}/inbox/events`, { signal: ending.signal });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain("event: change");
    await bench.incoming();
    expect((await reader?.read())?.value).toContain("event: change");
    ending.abort();
  });

  it("serves its script and styles, and nothing else from the disk", async () => {
    const bench = await setUp();
    for (const name of ["inbox.js", "frame.css", "list.css", "thread.css", "composer.css"]) {
      expect((await page(bench, `/inbox/${name}`)).status).toBe(200);
    }
    expect((await page(bench, "/inbox/index.ts")).status).toBe(404);
    expect((await page(bench, "/inbox/..%2fconfig.ts")).status).toBe(404);
  });

  it("refuses requests from pages of another origin", async () => {
    const bench = await setUp();
    await bench.incoming();
    const headers = { Origin: "https://evil.example" };
    const answer = await fetch(`${bench.sandbox.origin}/inbox/reply`, {
      method: "POST",
      headers,
      redirect: "manual",
      body: new URLSearchParams({ to: "v_ada", body: "forged" }),
    });
    expect(answer.status).toBe(403);
  });
});
