import { afterEach, describe, expect, it } from "vitest";
import type { SandboxConfig } from "../../relay/sandbox/options.ts";
import { runFast } from "../clocks.ts";
import { type Harness, type HarnessOptions, loseDatabase, startHarness } from "../harness.ts";
import type { Visitor } from "../visitor.ts";

let harness: Harness;
let visitor: Visitor;
afterEach(() => harness.stop());

async function open(sandbox: Partial<SandboxConfig> = {}, options: HarnessOptions = {}): Promise<void> {
  harness = await startHarness({ run: runFast(10), ...options, sandbox });
  visitor = harness.visitor();
  await visitor.connect();
}
const replies = (of: Visitor = visitor) => of.log().flatMap(({ from, text }) => (from === "reply" ? [text] : []));
const fromId = () => harness.sandbox.messages()[0]?.fromId ?? "";
const HOUR = 3_600_000;

describe("replies of the service", () => {
  it("in a burst of five are shown as five, in order (4.13-10; R-103, R-607)", async () => {
    await open({ botScript: "burst" });
    await visitor.send("hello");
    await visitor.receives("5/5 hello");
    expect(replies()).toEqual([1, 2, 3, 4, 5].map((n) => `${n}/5 hello`));
  });

  it("that arrive three times each are shown once each (4.13-11; R-609)", async () => {
    await open({ duplicateCallbacks: 2, botScript: "burst" });
    await visitor.send("hello");
    await visitor.receives("5/5 hello");
    await harness.sandbox.until((all) => all.callbacks().length === 15);
    await harness.sandbox.humanReply({ fromId: fromId(), body: "the last word" });
    await visitor.receives("the last word");
    expect(replies()).toEqual([...[1, 2, 3, 4, 5].map((n) => `${n}/5 hello`), "the last word"]);
    expect(harness.sandbox.callbacks().map(({ status }) => status)).toEqual(Array.from({ length: 18 }, () => 200));
  });

  it("that overtake each other keep the order of their arrival, permanently and in every tab (4.13-12; R-608)", async () => {
    const parts = Array.from({ length: 12 }, (_, i) => ({ text: `part ${i} of {body}` }));
    await open({ shuffleCallbacks: true, botScript: [{ parts }] });
    const other = harness.visitor();
    await other.connect();
    await Promise.all([visitor.send("one"), other.send("two")]);
    await expect.poll(() => [replies().length, replies(other).length]).toEqual([12, 12]);
    expect(replies().toSorted()).toEqual(parts.map(({ text }) => text.replace("{body}", "one")).toSorted());
    const callbacks = harness.sandbox.callbacks().filter(({ toId }) => toId === fromId());
    expect(callbacks.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    const tab = harness.visitor({ token: visitor.token() ?? "" });
    await tab.connect();
    await expect.poll(() => replies(tab)).toEqual(replies());
    await harness.halt();
    await harness.start();
    await tab.connect();
    expect(replies(tab)).toEqual(replies());
  });

  it.each<Partial<SandboxConfig>>([
    { callbackOmit: ["messageId"] },
    { callbackOmit: ["messageId"], duplicateCallbacks: 2 },
    { callbackOmit: ["channel"] },
    { callbackOmit: ["userId", "contactId"] },
    { callbackOmit: ["messageId", "channel", "userId", "contactId"] },
    { callbackChannel: "omit" },
    { callbackChannel: "fixed" },
    { numericIds: true },
    { callbackWrap: "customData" },
    { callbackWrap: "data" },
    { callbackContentType: "text/plain" },
    { callbackContentType: "application/x-www-form-urlencoded" },
    { callbackExtras: { customData: { body: "not this" }, timestamp: 5, tags: ["x"] } },
    { callbackHeaders: { "X-Signature": "abc" } },
  ])("in the form %j are accepted, and shown once (4.13-16; R-228, R-602 to R-604)", async (form) => {
    await open(form);
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await visitor.send("again");
    await visitor.receives("echo: again");
    expect(replies()).toEqual(["echo: hello", "echo: again"]);
  });

  it.each(["markdown", "html", "rtl", "long", "links"] as const)(
    "are shown as plain text: %s (4.13-17; R-606)",
    async (botScript) => {
      await open({ botScript });
      await visitor.send("hello");
      await visitor.sees(({ from }) => from === "reply");
      expect(replies()).toEqual(harness.sandbox.outgoing().map(({ body }) => body));
    },
  );

  it.each([
    ["omit", "A file for you", "A file for you"],
    ["emptyBody", "", "[attachment – not available here]"],
    ["urlInBody", "See", /^See.*https:\/\/files\.example\/a\.pdf$/s],
    ["mediaUrlField", "See", "See\nhttps://files.example/a.pdf"],
  ] as const)(
    "with a person's file, reported as %s, mention the file (R-605)",
    async (humanAttachment, body, shown) => {
      await open({ humanAttachment });
      await visitor.send("hello");
      await visitor.receives("echo: hello");
      const mediaUrl = "https://files.example/a.pdf";
      const { status } = await harness.sandbox.humanReply({ fromId: fromId(), body, mediaUrl });
      await visitor.sees(({ from, text }) => from === "reply" && text !== "echo: hello");
      expect([status, replies().at(-1)]).toEqual([
        "Sent",
        typeof shown === "string" ? shown : expect.stringMatching(shown),
      ]);
    },
  );

  it("from two days later are shown as unread when the visitor returns (4.13-22; R-104, R-610)", async () => {
    await open({ clock: "virtual", botScript: "followUps" });
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await visitor.drop();
    const head = visitor.head();
    await harness.sandbox.advance(48 * HOUR);
    await harness.sandbox.until((all) => all.outgoing().filter(({ status }) => status === "Sent").length === 3);
    const back = harness.visitor({ token: visitor.token() ?? "" });
    const welcome = await back.connect();
    expect(welcome.read).toBeLessThanOrEqual(head);
    await back.sees(({ text }) => text.startsWith("Your basket"));
    await expect.poll(() => replies(back)).toHaveLength(3);
  });

  it("that never arrive leave the message delivered, and the visitor gets one hint that an answer may come (4.13-26; R-102)", async () => {
    await open({ botActive: false });
    await visitor.send("anybody there?");
    await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
    expect(await visitor.next(({ t }) => t === "typing")).toEqual({ t: "typing", on: true });
    harness.sandbox.bot({ fromId: fromId() }, true);
    await visitor.send("now?");
    await visitor.receives("echo: now?");
    expect(harness.sandbox.messages()).toHaveLength(2);
  });

  it("larger than a megabyte are refused, and the thread stays unchanged (R-613)", async () => {
    await open();
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    harness.sandbox.configure({ hugeBody: true });
    expect(await harness.sandbox.humanReply({ fromId: fromId(), body: "huge" })).toMatchObject({ status: "Failed" });
    expect(harness.sandbox.callbacks().at(-1)?.status).toBe(413);
    harness.sandbox.configure({ hugeBody: false });
    await harness.sandbox.humanReply({ fromId: fromId(), body: "small" });
    await visitor.receives("small");
    expect(replies()).toEqual(["echo: hello", "small"]);
  });

  it("that were reported as failed can be sent again by a person, and are stored once (R-307, R-305)", async () => {
    await open({ callbackRetries: 2, callbackBackoffMs: 10, retryOn: "any" });
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await harness.halt();
    const reply = await harness.sandbox.humanReply({ fromId: fromId(), body: "while you were out" });
    await harness.sandbox.until((all) => all.callbacks().length === 4);
    await harness.start();
    await harness.sandbox.redeliver(reply.messageId);
    await harness.sandbox.redeliver(reply.messageId);
    await visitor.connect();
    await visitor.receives("while you were out");
    expect(replies()).toEqual(["echo: hello", "while you were out"]);
    expect(harness.sandbox.outgoing().at(-1)?.status).toBe("Sent");
  });
});

describe("a reply to an id that is not in the database (4.13-14; R-612)", () => {
  it("is refused with 404 when the id is not this relay's, or answered 200 if the owner wants that", async () => {
    await open();
    const refused = await harness.sandbox.callbackTo({ toId: "v_somebody-elses", body: "hi" });
    expect([refused.status, refused.ok]).toEqual([404, false]);
    await harness.stop();
    await open({}, { env: { UNKNOWN_CONTACT: "200" } });
    expect((await harness.sandbox.callbackTo({ toId: "v_somebody-elses", body: "hi" })).status).toBe(200);
    expect(harness.lines().some((line) => line.includes("callback.unknown_contact"))).toBe(true);
  });

  it("is kept when the id is this relay's, and waits for its visitor to return", async () => {
    await open();
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    const toId = fromId();
    await visitor.drop();
    await loseDatabase(harness);
    expect((await harness.sandbox.callbackTo({ toId, body: "still here" })).status).toBe(200);
    const back = harness.visitor({ token: visitor.token() ?? "" });
    await back.connect();
    await back.receives("still here");
  });
});

describe("two sites on one account and one callback address (4.13-31; R-229, R-227)", () => {
  it("never receive each other's replies", async () => {
    const sites = { other: { channel: "other channel", business: "other shop" } };
    await open({}, { site: { business: "first shop" }, sites });
    const stranger = harness.visitor({ site: "other" });
    await stranger.connect();
    await Promise.all([visitor.send("from the first"), stranger.send("from the other")]);
    await Promise.all([visitor.receives("echo: from the first"), stranger.receives("echo: from the other")]);
    for (const { fromId, body } of harness.sandbox.messages())
      await harness.sandbox.humanReply({ fromId, body: `typed for whoever wrote "${body}"` });
    await visitor.receives('typed for whoever wrote "from the first"');
    await stranger.receives('typed for whoever wrote "from the other"');
    expect([replies().length, replies(stranger).length]).toEqual([2, 2]);
    const labels = harness.sandbox.messages().map(({ toId, channel, body }) => [body, toId, channel]);
    expect(labels.toSorted()).toEqual([
      ["from the first", "first shop", "website"],
      ["from the other", "other shop", "other channel"],
    ]);
    const crossing = harness.visitor({ site: "other", token: visitor.token() ?? "" });
    await expect(crossing.connect()).rejects.toThrow("4401");
  });
});
