import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";
import type { Visitor } from "./visitor.ts";

describe("a reaction", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ env: { MESSAGES_PER_MINUTE: "0" } });
  });
  afterAll(() => harness.stop());

  /** A visitor who has received these replies, one for each text. */
  async function talk(...texts: string[]): Promise<{ visitor: Visitor; replies: string[] }> {
    const visitor = harness.visitor();
    await visitor.connect();
    const replies: string[] = [];
    for (const text of texts) {
      await visitor.send(text);
      replies.push((await visitor.receives(`echo: ${text}`)).id);
      // The reply may arrive before the answer, and a fault that a test sets next is not for this message.
      await visitor.sees(
        (message) => message.from === "visitor" && message.text === text && message.state === "delivered",
      );
    }
    return { visitor, replies };
  }
  const incoming = (body: string) => harness.sandbox.messages().filter((message) => message.body === body);
  const react = (visitor: Visitor, id: string, emoji: string) => visitor.write({ t: "react", id, emoji });
  const shows = (visitor: Visitor, id: string, emoji: string | undefined) =>
    visitor.next((frame) => frame.t === "message" && frame.message.id === id && reactionOf(frame.message) === emoji);
  const reactionOf = (message: object) => (message as { reaction?: string }).reaction;
  const refused = (visitor: Visitor, id: string) => visitor.next((frame) => frame.t === "error" && frame.id === id);

  it("to the newest reply is shown in every tab and sent to the service as its own type of message (4.13-20; R-235)", async () => {
    const { visitor, replies } = await talk("reaction one");
    const tab = harness.visitor({ token: visitor.token() ?? "" });
    await tab.connect();
    const [id = ""] = replies;
    react(visitor, id, "👍🏽");
    await Promise.all([shows(visitor, id, "👍🏽"), shows(tab, id, "👍🏽")]);
    await harness.sandbox.until(() => incoming("👍🏽").length > 0);
    const [sent] = incoming("👍🏽");
    expect(sent).toMatchObject({ messageType: "reaction", body: "👍🏽" });
    const sids = harness.sandbox.messages().map(({ messageSid }) => messageSid);
    expect(new Set(sids).size).toBe(sids.length);
    expect(visitor.log().filter(({ from }) => from === "visitor")).toHaveLength(1);
  });

  it("keeps its place, gets a number, and is shown on return", async () => {
    const { visitor, replies } = await talk("reaction two");
    const [id = ""] = replies;
    const before = visitor.log().find((message) => message.id === id);
    react(visitor, id, "❤️");
    await shows(visitor, id, "❤️");
    const after = visitor.log().find((message) => message.id === id);
    expect(after).toMatchObject({ pos: before?.pos, reaction: "❤️" });
    expect(after?.n).toBeGreaterThan(before?.n ?? 0);
    const back = harness.visitor({ token: visitor.token() ?? "" });
    await back.connect();
    await shows(back, id, "❤️");
  });

  it("can be changed, which is sent to the service, and removed, which is not", async () => {
    const { visitor, replies } = await talk("reaction three");
    const [id = ""] = replies;
    react(visitor, id, "😀");
    await shows(visitor, id, "😀");
    react(visitor, id, "🎉");
    await shows(visitor, id, "🎉");
    react(visitor, id, "🎉");
    react(visitor, id, "");
    await shows(visitor, id, undefined);
    await visitor.send("after the reactions");
    await visitor.receives("echo: after the reactions");
    expect([incoming("😀").length, incoming("🎉").length]).toEqual([1, 1]);
    const order = harness.sandbox.messages().map(({ body }) => body);
    expect(order.indexOf("😀")).toBeLessThan(order.indexOf("🎉"));
    expect(order.indexOf("🎉")).toBeLessThan(order.indexOf("after the reactions"));
  });

  it("is refused on an older reply or an own message, or when it is not an emoji", async () => {
    const { visitor, replies } = await talk("reaction four", "reaction five");
    const [older = "", newest = ""] = replies;
    const own = visitor.log()[0]?.id ?? "";
    for (const [id, emoji] of [
      [older, "👍"],
      [own, "👍"],
      ["no-such-reply", "👍"],
      [newest, "ok"],
      [newest, "👍👍"],
      [newest, "1"],
      [newest, "<b>"],
    ] as const) {
      react(visitor, id, emoji);
      expect(await refused(visitor, id)).toMatchObject({ code: "not_allowed" });
    }
    const stranger = harness.visitor();
    await stranger.connect();
    react(stranger, newest, "👍");
    expect(await refused(stranger, newest)).toMatchObject({ code: "not_allowed" });
    expect(incoming("👍")).toHaveLength(0);
  });

  it("can still be removed when its reply is no longer the newest", async () => {
    const { visitor, replies } = await talk("reaction six");
    const [id = ""] = replies;
    react(visitor, id, "🙂");
    await shows(visitor, id, "🙂");
    await visitor.send("one more");
    await visitor.receives("echo: one more");
    react(visitor, id, "");
    await shows(visitor, id, undefined);
  });

  it("is removed when the service permanently refuses it, and the next message is still sent", async () => {
    const { visitor, replies } = await talk("reaction seven");
    const [id = ""] = replies;
    harness.sandbox.failNext("incoming", 1, { kind: "status", status: 400, body: { error: "no reactions here" } });
    react(visitor, id, "🐟");
    await shows(visitor, id, "🐟");
    await shows(visitor, id, undefined);
    await visitor.send("still here");
    await visitor.receives("echo: still here");
    const failed = visitor.log().filter((message) => message.from === "visitor" && message.state === "failed");
    expect(failed).toEqual([]);
  });

  it("is sent again after a lost answer, and processed once", async () => {
    const { visitor, replies } = await talk("reaction eight");
    const [id = ""] = replies;
    harness.sandbox.failNext("incoming", 1, { kind: "status", status: 500, when: "after" });
    react(visitor, id, "🚀");
    await visitor.send("after the rocket");
    await visitor.receives("echo: after the rocket");
    expect(incoming("🚀")).toHaveLength(1);
  });
});
