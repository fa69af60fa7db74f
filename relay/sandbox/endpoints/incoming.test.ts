import { describe, expect, it } from "vitest";
import { newSid, setUp, startClient } from "../sandbox.fixture.ts";

const messageIdOf = ({ body }: { body: unknown }) => (body as { messageId: string }).messageId;
const refused = { status: 400, body: { error: expect.any(String) } };
/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const BLANKS = ["", " ", "\n\t", "\u00a0", "\u200b\u200c\u200d", "\u2060", "\ufeff", " \u200b "];

describe("POST /incoming_custom_channel_message (BEHAVIOUR 4.7)", () => {
  it("R-461 accepts a text, then creates the contact, stores the message as received and lets the bot answer", async () => {
    const { incoming, sandbox, client } = await setUp();
    const person = { firstName: "Ada", lastName: "King", email: "a@b.example" };
    const { status, body } = await incoming({ messageSid: "sid", body: "Hei ÆØÅ 👋", channel: "web", ...person });
    expect({ status, body }).toEqual({ status: 200, body: { success: true, messageId: expect.any(String) } });
    expect(messageIdOf({ body })).not.toBe("sid");
    await sandbox.until(() => client.received.length === 1);
    expect(sandbox.messages()).toMatchObject([
      { messageSid: "sid", body: "Hei ÆØÅ 👋", status: "received", messageType: "text", toId: "shop", channel: "web" },
    ]);
    expect(sandbox.state().contacts).toMatchObject([person]);
    expect(client.bodies()).toMatchObject([{ body: "echo: Hei ÆØÅ 👋", toId: "v_ada" }]);
  });

  it("R-461 answers before it processes when processingDelayMs is set", async () => {
    const { incoming, sandbox } = await setUp({ clock: "virtual", processingDelayMs: 500 });
    await incoming();
    expect([sandbox.messages().length, sandbox.state().contacts.length]).toEqual([0, 0]);
    await sandbox.advance(499);
    expect(sandbox.messages()).toHaveLength(0);
    await sandbox.advance(1);
    expect(sandbox.messages()).toHaveLength(1);
  });

  it("R-223 answers the same messageSid with the same messageId and does nothing more", async () => {
    const { incoming, sandbox } = await setUp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => incoming({ messageSid: "once" })));
    expect(new Set(answers.map(messageIdOf)).size).toBe(1);
    await sandbox.until(({ callbacks }) => callbacks().length === 1);
    expect([sandbox.messages().length, sandbox.outgoing().length]).toEqual([1, 1]);
  });

  it("R-223 keeps the first content of a messageSid and warns about another", async () => {
    const { incoming, sandbox } = await setUp();
    const first = await incoming({ messageSid: "once", body: "first" });
    const second = await incoming({ messageSid: "once", body: "second" });
    expect(messageIdOf(second)).toBe(messageIdOf(first));
    expect(sandbox.messages()).toMatchObject([{ body: "first" }]);
    expect(sandbox.requests().at(-1)?.warnings).toHaveLength(1);
  });

  it("R-223 answers a duplicate as duplicateAnswer says, and never processes it", async () => {
    const { incoming, sandbox } = await setUp();
    const first = await incoming({ messageSid: "once" });
    sandbox.configure({ duplicateAnswer: "new200" });
    expect(messageIdOf(await incoming({ messageSid: "once" }))).not.toBe(messageIdOf(first));
    sandbox.configure({ duplicateAnswer: 409 });
    expect((await incoming({ messageSid: "once" })).status).toBe(409);
    sandbox.configure({ duplicateAnswer: 400 });
    expect(await incoming({ messageSid: "once" })).toMatchObject({
      status: 400,
      text: expect.stringMatching(/duplicate/i),
    });
    expect(sandbox.messages()).toHaveLength(1);
  });

  it("R-223 forgets a messageSid after dedupeTtlMs, and tells senders apart with dedupeScope fromId", async () => {
    const { incoming, sandbox } = await setUp({ clock: "virtual", dedupeTtlMs: 1_000, dedupeScope: "fromId" });
    await incoming({ messageSid: "once" });
    await incoming({ messageSid: "once", fromId: "v_grace" });
    expect(sandbox.messages()).toHaveLength(2);
    await sandbox.advance(1_001);
    await incoming({ messageSid: "once" });
    expect(sandbox.messages()).toHaveLength(3);
  });

  it("R-222 accepts id instead of messageSid, and prefers messageSid", async () => {
    const { incoming, sandbox } = await setUp();
    await incoming({ messageSid: undefined, id: "by-id" });
    await incoming({ messageSid: "by-sid", id: "by-id" });
    expect(sandbox.messages().map(({ messageSid }) => messageSid)).toEqual(["by-id", "by-sid"]);
  });

  it.each(["messageSid", "fromId", "toId"])("refuses a missing or blank %s in the string shape", async (field) => {
    const { incoming, sandbox } = await setUp();
    for (const value of [undefined, "", "  ", 5, null]) {
      const { status, body } = await incoming({ [field]: value });
      expect({ value, status, body }).toEqual({ value, ...refused });
    }
    expect(sandbox.messages()).toHaveLength(0);
  });

  it("refuses a missing customData", async () => {
    const { call } = await setUp();
    const { status, body } = await call("POST", "/incoming_custom_channel_message", { body: { messageSid: "x" } });
    expect({ status, body }).toEqual(refused);
  });

  it("R-231 refuses a body of white space or zero-width characters, also with media and for reactions", async () => {
    const { incoming, sandbox } = await setUp();
    const media = { mediaUrl: `data:image/png;base64,${PNG}`, mediaContentType: "image/png" };
    for (const body of [undefined, null, ...BLANKS]) {
      expect(await incoming({ body })).toMatchObject(refused);
      expect(await incoming({ body, ...media })).toMatchObject(refused);
      expect(await incoming({ body }, { messageType: "reaction" })).toMatchObject(refused);
    }
    expect(sandbox.messages()).toHaveLength(0);
  });

  it("R-230 accepts a file without a body when bodyOptionalWithMedia is on, but no message without both", async () => {
    const { incoming } = await setUp({ bodyOptionalWithMedia: true });
    const media = { mediaUrl: `data:image/png;base64,${PNG}`, mediaContentType: "image/png" };
    expect((await incoming({ body: "", ...media })).status).toBe(200);
    expect((await incoming({ body: "" })).status).toBe(400);
  });

  it("R-232 stores another status as it is given", async () => {
    const { incoming, sandbox } = await setUp();
    await incoming({ status: "delivered" });
    expect(sandbox.messages()).toMatchObject([{ status: "delivered" }]);
  });

  it("R-236 decodes and stores a data URI", async () => {
    const { incoming, sandbox } = await setUp();
    await incoming({ mediaUrl: `data:image/png;base64,${PNG}`, mediaContentType: "image/png" });
    const [message] = sandbox.messages();
    expect(message?.media?.type).toBe("image/png");
    expect(message?.media?.bytes?.toString("base64")).toBe(PNG);
  });

  it("R-236 R-237 R-233 refuses bad base64, other types, other schemes and parameters", async () => {
    const { incoming, sandbox } = await setUp();
    const wrong = [
      ["data:image/png;base64,", "image/png"],
      ["data:image/png;base64,a b=", "image/png"],
      [`data:image/png;base64,${PNG.slice(0, -2)}`, "image/png"],
      [`data:image/png;base64,${PNG.replace("+", "-")}`, "image/png"],
      [`data:image/png;charset=x;base64,${PNG}`, "image/png"],
      [`data:image/png,${PNG}`, "image/png"],
      [`data:image/png;base64,${PNG}`, "image/jpeg"],
      [`data:image/png;base64,${PNG}`, "picture"],
      ["http://x.example/a.png", "image/png"],
      ["http://127.0.0.1/a.png", "image/png"],
      ["ftp://x.example/a.png", "image/png"],
      ["blob:https://x.example/1", "image/png"],
      ["a.png", "image/png"],
    ];
    for (const [mediaUrl, mediaContentType] of wrong) {
      const { status, body } = await incoming({ mediaUrl, mediaContentType });
      expect({ mediaUrl, status, body }).toEqual({ mediaUrl, ...refused });
    }
    expect(sandbox.messages()).toHaveLength(0);
  });

  it("R-237 checks embedded bytes only when sniffBytes is on", async () => {
    const { incoming, sandbox } = await setUp();
    const lie = () => incoming({ mediaUrl: `data:image/jpeg;base64,${PNG}`, mediaContentType: "image/jpeg" });
    expect((await lie()).status).toBe(200);
    sandbox.configure({ sniffBytes: true });
    expect(await lie()).toMatchObject(refused);
  });

  it("R-238 refuses media without a type; R-239 treats nulls and a type alone as no media", async () => {
    const { incoming, sandbox } = await setUp();
    for (const mediaContentType of [undefined, null, " "]) {
      expect(await incoming({ mediaUrl: "https://x.example/a.png", mediaContentType })).toMatchObject(refused);
    }
    expect((await incoming({ mediaUrl: null, mediaContentType: null })).status).toBe(200);
    expect((await incoming({ mediaContentType: "image/png" })).status).toBe(200);
    expect(sandbox.messages().map(({ media }) => media)).toEqual([undefined, undefined]);
  });

  it("R-234 fetches a link at once and keeps the copy", async () => {
    const { incoming, sandbox } = await setUp({ allowHttpMedia: true });
    const host = await startClient();
    host.answer = () => ({ status: 200, body: "file", headers: { "Content-Type": "text/plain; charset=utf-8" } });
    await incoming({ mediaUrl: host.url, mediaContentType: "text/plain" });
    await sandbox.until(({ messages }) => messages()[0]?.media?.bytes !== undefined);
    expect(sandbox.messages()[0]?.media?.bytes?.toString()).toBe("file");
  });

  it("R-237 checks the bytes of a linked file, and records when their type differs from the stated one", async () => {
    const { incoming, sandbox } = await setUp({ allowHttpMedia: true });
    const host = await startClient();
    host.answer = () => ({ status: 200, body: "%PDF-1.7\n%%EOF", headers: { "Content-Type": "image/jpeg" } });
    await incoming({ mediaUrl: host.url, mediaContentType: "image/jpeg" });
    await sandbox.until(({ messages }) => messages()[0]?.media?.error !== undefined);
    expect(sandbox.messages()[0]?.media).toMatchObject({ error: "the file is application/pdf, not image/jpeg" });
    host.answer = () => ({ status: 200, body: "<h1>Log in</h1>", headers: { "Content-Type": "image/jpeg" } });
    await incoming({ mediaUrl: host.url, mediaContentType: "image/jpeg" });
    await sandbox.until(({ messages }) => messages()[1]?.media?.error !== undefined);
    expect(sandbox.messages()[1]?.media).toMatchObject({ error: "the file is of an unknown type, not image/jpeg" });
  });

  it("R-234 keeps a message whose link answers 404, redirects or shows a login page, and records why", async () => {
    const { incoming, sandbox } = await setUp({ allowHttpMedia: true });
    const host = await startClient();
    const answers = [
      { status: 404 },
      { status: 302, headers: { Location: "/login" } },
      { status: 200, body: "<h1>Log in</h1>", headers: { "Content-Type": "text/html" } },
    ];
    for (const [index, answer] of answers.entries()) {
      host.answer = () => answer;
      expect((await incoming({ mediaUrl: host.url, mediaContentType: "image/png" })).status).toBe(200);
      await sandbox.until(({ messages }) => messages()[index]?.media?.error !== undefined);
    }
    expect(sandbox.messages().map(({ media }) => media?.error)).toEqual([
      "the link answered 404",
      "the link answered 302",
      "the link gave text/html instead of image/png",
    ]);
    expect(sandbox.outgoing()).toHaveLength(3);
    expect(sandbox.requests().map(({ warnings }) => warnings[0])).toContain("mediaError: the link answered 404");
  });

  it("R-234 gives up on a link after mediaFetchTimeoutMs", async () => {
    const { incoming, sandbox } = await setUp({ allowHttpMedia: true, mediaFetchTimeoutMs: 30 });
    const host = await startClient();
    host.answer = () => new Promise(() => {});
    await incoming({ mediaUrl: host.url, mediaContentType: "image/png" });
    await sandbox.until(({ messages }) => messages()[0]?.media?.error === "no answer within 30 ms");
  });

  it("R-234 refuses a dead link with 400 when mediaFailure says so, and the messageSid stays free", async () => {
    const { incoming, sandbox } = await setUp({ allowHttpMedia: true, mediaFailure: 400 });
    const dead = { messageSid: "media", mediaUrl: "http://127.0.0.1:1/a.png", mediaContentType: "image/png" };
    expect(await incoming(dead)).toMatchObject(refused);
    expect((await incoming({ messageSid: "media" })).status).toBe(200);
    expect(sandbox.messages()).toHaveLength(1);
  });

  it("R-234 fetches later, or never, as mediaFetch says", async () => {
    const { incoming, sandbox } = await setUp({ allowHttpMedia: true, mediaFetch: 5_000, clock: "virtual" });
    const host = await startClient();
    await incoming({ mediaUrl: host.url, mediaContentType: "image/png" });
    expect(host.received).toHaveLength(0);
    await sandbox.advance(5_000);
    await sandbox.until(({ messages }) => messages()[0]?.media?.error !== undefined);
    expect(host.received).toHaveLength(1);
    sandbox.configure({ mediaFetch: "off" });
    await incoming({ mediaUrl: host.url, mediaContentType: "image/png" });
    await sandbox.advance(60_000);
    expect(host.received).toHaveLength(1);
  });

  it("R-242 accepts text and reaction, and refuses other types unless the option treats them as text", async () => {
    const { incoming, sandbox } = await setUp();
    expect((await incoming({}, { messageType: "text" })).status).toBe(200);
    expect(await incoming({}, { messageType: "video" })).toMatchObject(refused);
    sandbox.configure({ unknownMessageType: "text" });
    expect((await incoming({}, { messageType: "video" })).status).toBe(200);
    expect(sandbox.messages().map(({ messageType }) => messageType)).toEqual(["text", "text"]);
  });

  it("R-242 ignores messageType inside customData with a warning", async () => {
    const { incoming, sandbox } = await setUp({ rejectUnknownFields: false });
    await incoming({ messageType: "reaction" });
    expect(sandbox.messages()).toMatchObject([{ messageType: "text" }]);
    expect(sandbox.requests()[0]?.warnings).toEqual([expect.stringContaining("R-242")]);
  });

  it("R-235 stores a reaction on the latest reply, and the bot does not answer", async () => {
    const { incoming, sandbox } = await setUp();
    await incoming({ body: "👍" }, { messageType: "reaction" });
    await incoming();
    await sandbox.until(({ callbacks }) => callbacks().length === 1);
    await incoming({ body: "👍" }, { messageType: "reaction" });
    const [floating, , placed] = sandbox.messages();
    expect(floating?.reactsTo).toBeUndefined();
    expect(placed).toMatchObject({ body: "👍", messageType: "reaction", reactsTo: sandbox.outgoing()[0]?.messageId });
    expect(sandbox.outgoing()).toHaveLength(1);
  });

  it("R-235 answers reactions and requires an emoji when the options say so", async () => {
    const { incoming, sandbox } = await setUp({ reactionTriggersBot: true, reactionValidation: "emoji" });
    const react = (body: string) => incoming({ body }, { messageType: "reaction" });
    expect(await react("yes")).toMatchObject(refused);
    expect(await react("👍👍")).toMatchObject(refused);
    for (const emoji of ["👍🏽", "👩‍👩‍👧", "❤️", "🇳🇴"]) expect((await react(emoji)).status).toBe(200);
    await sandbox.until(({ outgoing }) => outgoing().length === 4);
  });

  it("gives each new fromId its own contact, and the same fromId the same one", async () => {
    const { incoming, sandbox } = await setUp();
    for (const fromId of ["v_ada", "v_grace", "v_ada"]) await incoming({ fromId });
    expect(sandbox.state().contacts.map(({ fromId }) => fromId)).toEqual(["v_ada", "v_grace"]);
    expect(new Set(sandbox.messages("v_ada").map(({ contactId }) => contactId)).size).toBe(1);
  });

  it("R-101 stores names only on creation, fills gaps, or overwrites, as the option says", async () => {
    const { incoming, sandbox } = await setUp();
    const nameAfter = async (firstName: string, lastName?: string) => {
      await incoming({ firstName, lastName });
      const [contact] = sandbox.state().contacts;
      return [contact?.firstName, contact?.lastName];
    };
    expect(await nameAfter("Ada")).toEqual(["Ada", undefined]);
    expect(await nameAfter("Grace", "Hopper")).toEqual(["Ada", undefined]);
    sandbox.configure({ contactUpdateOnIncoming: "fillMissing" });
    expect(await nameAfter("Grace", "King")).toEqual(["Ada", "King"]);
    sandbox.configure({ contactUpdateOnIncoming: "overwrite" });
    expect(await nameAfter("Grace", "Hopper")).toEqual(["Grace", "Hopper"]);
  });

  it("R-206 keeps the contact of a fromId apart from /contacts, or links them as linkContacts says", async () => {
    const { incoming, sandbox, call } = await setUp();
    const { body } = await call("POST", "/contacts", { body: { email: "a@b.example", phone: "+4791234567" } });
    const { id } = body as { id: string };
    const contactOf = async (data: object) => {
      await incoming({ messageSid: newSid(), ...data });
      return sandbox.messages().at(-1)?.contactId;
    };
    expect(await contactOf({ fromId: "v_1", email: "a@b.example" })).not.toBe(id);
    sandbox.configure({ linkContacts: "email" });
    expect(await contactOf({ fromId: "v_2", email: "A@b.example" })).toBe(id);
    sandbox.configure({ linkContacts: "fromIdEqualsPhoneOrEmail" });
    expect(await contactOf({ fromId: "+4791234567" })).toBe(id);
  });

  it("R-105 stores any campaign, and refuses unknown ones when the option says so", async () => {
    const { incoming, sandbox } = await setUp();
    await incoming({ campaignId: "spring" });
    expect(sandbox.messages()).toMatchObject([{ campaignId: "spring" }]);
    sandbox.configure({ unknownCampaign: 400 });
    expect(await incoming({ campaignId: "spring" })).toMatchObject(refused);
    sandbox.configure({ knownCampaigns: ["spring"] });
    expect((await incoming({ campaignId: "spring" })).status).toBe(200);
  });

  it("R-465 processes in the order of arrival, or shuffles when processInOrder is off", async () => {
    const { incoming, sandbox } = await setUp({ clock: "virtual", processingDelayMs: { min: 0, max: 300 } });
    const bodies = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const body of bodies) await incoming({ body });
    await sandbox.advance(300);
    expect(sandbox.messages().map(({ body }) => body)).toEqual(bodies);
    sandbox.configure({ processInOrder: false });
    for (const body of bodies) await incoming({ body });
    await sandbox.advance(300);
    const shuffled = sandbox.messages().slice(20);
    expect(shuffled.map(({ body }) => body)).not.toEqual(bodies);
    expect(new Set(shuffled.map(({ body }) => body)).size).toBe(20);
  });

  it("R-209 R-225 R-221 applies maxBodyChars, fromIdMaxLen and messageIdEqualsSid", async () => {
    const { incoming } = await setUp({ maxBodyChars: 10, fromIdMaxLen: 8, messageIdEqualsSid: true });
    expect((await incoming({ body: "x".repeat(11) })).status).toBe(400);
    expect((await incoming({ fromId: "x".repeat(9) })).status).toBe(400);
    expect((await incoming({ messageSid: "mine" })).body).toEqual({ success: true, messageId: "mine" });
  });

  it("R-462 R-223 answers once when a 500 came after the processing and the client tries again", async () => {
    const { incoming, sandbox } = await setUp();
    sandbox.failNext("incoming", 1, { kind: "status", status: 500, when: "after" });
    expect(await incoming({ messageSid: "again" })).toMatchObject({ status: 500, body: { error: expect.any(String) } });
    expect((await incoming({ messageSid: "again" })).status).toBe(200);
    await sandbox.until(({ callbacks }) => callbacks().length === 1);
    expect([sandbox.messages().length, sandbox.outgoing().length]).toEqual([1, 1]);
  });

  it("R-462 processes nothing when a 500 came before the processing", async () => {
    const { incoming, sandbox } = await setUp();
    sandbox.failNext("incoming", 1, 500);
    expect((await incoming({ messageSid: "again" })).status).toBe(500);
    expect(sandbox.messages()).toHaveLength(0);
    expect((await incoming({ messageSid: "again" })).status).toBe(200);
  });
});
