import { describe, expect, it } from "vitest";
import { setUp } from "./sandbox.fixture.ts";

/** A conversation with `v_ada` whose bot is silent, so that the tests decide what is sent. */
const quiet = async (config = {}) => {
  const bench = await setUp({ botActive: false, ...config });
  await bench.incoming({ channel: "web" });
  const say = (body = "Hi, Anna here") => bench.sandbox.humanReply({ fromId: "v_ada", body });
  return { ...bench, say };
};

describe("the reply callback (BEHAVIOUR 4.9)", () => {
  it("R-601 posts exactly six fields as JSON to the registered URL", async () => {
    const { say, client, sandbox } = await quiet();
    const { messageId, contactId } = await say();
    const [request] = client.received;
    expect([request?.method, request?.path, request?.headers["content-type"]]).toEqual([
      "POST",
      "/callbacks/reply/s3cret",
      "application/json",
    ]);
    expect(client.bodies()).toEqual([
      { contactId, messageId, userId: sandbox.config.userId, body: "Hi, Anna here", toId: "v_ada", channel: "web" },
    ]);
  });

  it("marks a reply Sent when the client answers 2xx (R-303)", async () => {
    const { say, client } = await quiet();
    client.answer = () => ({ status: 204 });
    expect(await say()).toMatchObject({ status: "Sent", attempts: 1 });
  });

  it("R-303 requires exactly 200 when successStatuses says so", async () => {
    const { say, client } = await quiet({ successStatuses: "200" });
    client.answer = () => ({ status: 202 });
    expect(await say()).toMatchObject({ status: "Failed" });
  });

  it.each([302, 404, 500])(
    "marks it Failed with status and answer when the client answers %i (R-306)",
    async (status) => {
      const { say, client, sandbox } = await quiet();
      client.answer = () => ({ status, body: "x".repeat(900), headers: { Location: "/elsewhere" } });
      const reply = await say();
      expect(reply).toMatchObject({ status: "Failed", error: `status ${status}: ${"x".repeat(500)}` });
      expect(client.received).toHaveLength(1);
      expect(sandbox.callbacks()).toMatchObject([{ ok: false, status, attempt: 0, answer: "x".repeat(500) }]);
    },
  );

  it("marks it Failed when the client refuses the connection, does not exist, or answers too late (R-304)", async () => {
    const { say, client, sandbox } = await quiet({ callbackTimeoutMs: 40 });
    client.answer = () => new Promise(() => {});
    expect(await say()).toMatchObject({ status: "Failed", error: "no answer within 40 ms" });
    sandbox.configure({ callbackUrl: "http://127.0.0.1:1/x", callbackTimeoutMs: 5_000 });
    expect(await say()).toMatchObject({ status: "Failed", error: "connection refused" });
    sandbox.configure({ callbackUrl: "http://nowhere.invalid/x" });
    expect(await say()).toMatchObject({ status: "Failed", error: expect.any(String) });
  });

  it("gives a reply no state when no URL is registered (R-302)", async () => {
    const { say, sandbox } = await quiet({ callbackUrl: "" });
    expect(await say()).toMatchObject({ status: null, attempts: 0 });
    expect(sandbox.callbacks()).toMatchObject([{ ok: false, error: "no webhook" }]);
  });

  it("sends no callback for the incoming message itself", async () => {
    const { incoming, say, sandbox, client } = await quiet();
    await incoming();
    await sandbox.until(({ messages }) => messages().length === 2);
    // Callbacks of one contact keep their order, so an earlier one would be the first here.
    await say("Hi, Anna here");
    expect(client.bodies().map(({ body }) => body)).toEqual(["Hi, Anna here"]);
  });

  it("R-103 sends one callback for each part of the bot, in order, each with its own state", async () => {
    const { incoming, sandbox, client } = await setUp({ botScript: "burst", clock: "virtual" });
    await incoming({ body: "?" });
    await sandbox.advance(80);
    await sandbox.until(
      ({ outgoing }) => outgoing().length === 5 && outgoing().every(({ status }) => status === "Sent"),
    );
    expect(client.bodies().map(({ body }) => body)).toEqual(["1/5 ?", "2/5 ?", "3/5 ?", "4/5 ?", "5/5 ?"]);
    expect(new Set(client.bodies().map(({ messageId }) => messageId)).size).toBe(5);
  });

  it("posts a contact's replies one after another, and those of other contacts in parallel (R-608)", async () => {
    const { say, incoming, client, sandbox } = await quiet();
    await incoming({ fromId: "v_grace" });
    const seen: unknown[] = [];
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    client.answer = async ({ text }) => {
      const { toId, body } = JSON.parse(text) as Record<string, unknown>;
      seen.push(body);
      if (toId === "v_ada") await gate;
      return { status: 200 };
    };
    const replies = [say("one"), say("two"), sandbox.humanReply({ fromId: "v_grace", body: "three" })];
    await replies[2];
    expect(seen).toEqual(["one", "three"]);
    open();
    await Promise.all(replies);
    expect(seen).toEqual(["one", "three", "two"]);
  });

  it("drops waiting replies at a reset", async () => {
    const { say, client, sandbox } = await quiet();
    let open = () => {};
    const arrived = new Promise<void>((onArrival) => {
      client.answer = () =>
        new Promise((resolve) => {
          open = () => resolve({ status: 200 });
          onArrival();
        });
    });
    const replies = [say("one"), say("two"), say("three")];
    await arrived;
    sandbox.reset();
    open();
    await Promise.all(replies);
    expect(client.bodies().map(({ body }) => body)).toEqual(["one"]);
  });

  it("R-305 repeats a failed callback callbackRetries times with growing waits, until it is Sent", async () => {
    const { say, client, sandbox } = await quiet({ clock: "virtual", callbackRetries: 3, callbackBackoffMs: 1_000 });
    let tries = 0;
    client.answer = () => ({ status: ++tries < 3 ? 503 : 200 });
    expect(await say()).toMatchObject({ status: "Failed" });
    await sandbox.advance(1_000);
    await sandbox.until(({ callbacks }) => callbacks().length === 2);
    await sandbox.advance(1_999);
    expect(tries).toBe(2);
    await sandbox.advance(1);
    await sandbox.until(({ outgoing }) => outgoing()[0]?.status === "Sent");
    expect(sandbox.outgoing()).toMatchObject([{ attempts: 3 }]);
    expect(sandbox.outgoing()[0]).not.toHaveProperty("error");
    expect(new Set(client.bodies().map(({ messageId }) => messageId)).size).toBe(1);
  });

  it("R-305 does not repeat a 4xx unless retryOn is any", async () => {
    const { say, client, sandbox } = await quiet({ clock: "virtual", callbackRetries: 1 });
    client.answer = () => ({ status: 404 });
    await say();
    await sandbox.advance(60_000);
    expect(client.received).toHaveLength(1);
    sandbox.configure({ retryOn: "any" });
    await say();
    await sandbox.advance(60_000);
    await sandbox.until(({ callbacks }) => callbacks().length === 3);
    await sandbox.advance(600_000);
    await say("and no third try");
    expect(client.received).toHaveLength(4);
  });

  it("R-609 sends copies at the same time, always or at random", async () => {
    const { say, client, sandbox } = await quiet({ duplicateCallbacks: 2 });
    const { messageId } = await say();
    await sandbox.until(({ callbacks }) => callbacks().length === 3);
    expect(client.bodies().map((body) => body.messageId)).toEqual([messageId, messageId, messageId]);
    expect(
      sandbox
        .callbacks()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["copy", "copy", "reply"]);
    sandbox.configure({ duplicateCallbacks: 0.5 });
    for (let i = 0; i < 40; i++) await say();
    const copies = sandbox.state().counts.callbacks - 3 - 40;
    expect(copies).toBeGreaterThan(5);
    expect(copies).toBeLessThan(35);
  });

  it("R-608 lets callbacks overtake each other when shuffleCallbacks is on", async () => {
    const { say, client } = await quiet({ shuffleCallbacks: true });
    const bodies = Array.from({ length: 20 }, (_, index) => `${index}`);
    await Promise.all(bodies.map((body) => say(body)));
    const received = client.bodies().map(({ body }) => body);
    expect(received).not.toEqual(bodies);
    expect(new Set(received)).toEqual(new Set(bodies));
  });

  it("R-603 R-604 omits, adds and wraps fields", async () => {
    const { say, client, sandbox } = await quiet({
      callbackOmit: ["userId", "channel"],
      callbackExtras: { agent: "Anna" },
    });
    await say();
    expect(Object.keys(client.bodies()[0] ?? {}).sort()).toEqual(["agent", "body", "contactId", "messageId", "toId"]);
    for (const callbackWrap of ["customData", "data"] as const) {
      sandbox.configure({ callbackWrap });
      await say();
      expect(client.bodies().at(-1)).toEqual({ [callbackWrap]: expect.objectContaining({ toId: "v_ada" }) });
    }
    expect(JSON.stringify(sandbox.callbacks())).not.toContain(sandbox.config.userId);
  });

  it("R-602 sends the configured content type: unusual, none, or a form", async () => {
    const { say, client, sandbox } = await quiet({ callbackContentType: "text/plain" });
    await say();
    expect(client.received[0]?.headers["content-type"]).toBe("text/plain");
    sandbox.configure({ callbackContentType: "" });
    await say();
    expect(client.received[1]?.headers["content-type"]).toBeUndefined();
    expect(client.bodies()[1]).toMatchObject({ toId: "v_ada" });
    sandbox.configure({ callbackContentType: "application/x-www-form-urlencoded" });
    await say("a & b");
    expect(Object.fromEntries(new URLSearchParams(client.received[2]?.text))).toMatchObject({
      toId: "v_ada",
      body: "a & b",
    });
  });

  it("R-505 adds headers; R-228 names the last channel, a fixed one, or none", async () => {
    const { say, client, incoming, sandbox } = await quiet({ callbackHeaders: { "X-Signature": "s" } });
    await incoming({ channel: "shop-chat" });
    await say();
    expect(client.received[0]?.headers["x-signature"]).toBe("s");
    sandbox.configure({ callbackChannel: "fixed" });
    await say();
    sandbox.configure({ callbackChannel: "omit" });
    await say();
    expect(client.bodies().map(({ channel }) => channel)).toEqual(["shop-chat", "custom", undefined]);
  });

  it("R-228 names the channel custom when no label was ever given", async () => {
    const { incoming, sandbox, client } = await setUp();
    await incoming();
    await sandbox.until(() => client.received.length === 1);
    expect(client.bodies()[0]?.channel).toBe("custom");
  });

  it("R-613 enlarges replies to more than a megabyte when hugeBody is on", async () => {
    const { say, client } = await quiet({ hugeBody: true });
    await say();
    expect(client.received[0]?.text.length).toBeGreaterThan(1024 * 1024);
  });

  it("R-605 omits a person's file, or reports it as an empty body, in the body, or in a field", async () => {
    const { sandbox, client } = await quiet();
    const mediaUrl = "https://files.example/a.pdf";
    for (const humanAttachment of ["omit", "emptyBody", "urlInBody", "mediaUrlField"] as const) {
      sandbox.configure({ humanAttachment });
      await sandbox.humanReply({ fromId: "v_ada", body: "Here", mediaUrl });
    }
    const sent = client.bodies().map(({ body, mediaUrl }) => ({ body, mediaUrl }));
    expect(sent).toEqual([
      { body: "Here", mediaUrl: undefined },
      { body: "", mediaUrl: undefined },
      { body: `Here\n${mediaUrl}`, mediaUrl: undefined },
      { body: "Here", mediaUrl },
    ]);
  });

  it("R-614 sends a GET to a new URL before using it when verifyOnSave is on", async () => {
    const { client, sandbox } = await quiet({ verifyOnSave: true });
    sandbox.configure({ callbackUrl: `${client.url}-new` });
    await sandbox.until(({ callbacks }) => callbacks().length === 1);
    expect(client.received).toMatchObject([{ method: "GET", path: "/callbacks/reply/s3cret-new" }]);
    expect(sandbox.callbacks()).toMatchObject([{ kind: "check", ok: true, status: 200 }]);
  });
});

describe("replies from people and from tests", () => {
  it("R-104 lets a person reply by fromId or contactId, and refuses unknown contacts and empty replies", async () => {
    const { sandbox, say } = await quiet();
    const { contactId } = await say();
    expect(await sandbox.humanReply({ contactId, body: "again" })).toMatchObject({ status: "Sent", origin: "human" });
    await expect(sandbox.humanReply({ fromId: "v_nobody", body: "hi" })).rejects.toThrow("No conversation");
    await expect(sandbox.humanReply({ fromId: "v_ada", body: "" })).rejects.toThrow("body");
  });

  it("R-104 sends a follow-up immediately or two days later", async () => {
    const { sandbox, client } = await quiet({ clock: "virtual" });
    expect(await sandbox.followUp({ fromId: "v_ada", body: "still here?" })).toMatchObject({ status: "Sent" });
    await sandbox.followUp({ fromId: "v_ada", body: "two days", afterMs: 172_800_000 });
    await sandbox.advance(172_799_999);
    expect(client.received).toHaveLength(1);
    await sandbox.advance(1);
    await sandbox.until(() => client.received.length === 2);
  });

  it("R-612 sends a callback for an unknown toId, and stores nothing", async () => {
    const { sandbox, client } = await quiet();
    client.answer = () => ({ status: 404, body: '{"error":"unknown contact"}' });
    const entry = await sandbox.callbackTo({ toId: "foreign-7", body: "psst" });
    expect(entry).toMatchObject({
      kind: "foreign",
      ok: false,
      status: 404,
      error: 'status 404: {"error":"unknown contact"}',
    });
    expect(client.bodies()).toMatchObject([{ toId: "foreign-7", body: "psst" }]);
    expect(sandbox.outgoing()).toHaveLength(0);
  });

  it("R-307 sends a failed reply again under the same messageId", async () => {
    const { sandbox, client, say } = await quiet();
    client.answer = () => ({ status: 500 });
    const { messageId } = await say();
    client.answer = () => ({ status: 200 });
    expect(await sandbox.redeliver(messageId)).toMatchObject({ messageId, status: "Sent", attempts: 2 });
    await expect(sandbox.redeliver("nothing")).rejects.toThrow("No such reply");
  });
});
