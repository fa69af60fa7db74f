import { describe, expect, it } from "vitest";
import { parseClientFrame, parseRelayFrame } from "./parse.ts";

const client = (frame: unknown) => parseClientFrame(JSON.stringify(frame));
const relay = (frame: unknown) => parseRelayFrame(JSON.stringify(frame));

const HELLO = { t: "hello", v: 1, site: "default" };
const SEND = { t: "send", id: "abcdefgh", text: "hi" };
const LEAD = { t: "lead", id: "abcdefgh", chat: true };
const MESSAGE = { id: "abcdefgh", pos: 1, n: 2, at: 3, text: "hi", from: "visitor", state: "delivered" };
const WELCOME = {
  t: "welcome",
  v: 1,
  now: 1_700_000_000_000,
  epoch: "e",
  after: 0,
  head: 0,
  reset: true,
  older: false,
  read: 0,
  delivery: "ok",
};

describe("a frame from a client", () => {
  it.each([
    HELLO,
    { ...HELLO, token: "t", epoch: "e", since: 7 },
    SEND,
    { ...SEND, age: -5 },
    { t: "ping" },
    { t: "read", n: 0 },
  ])("is accepted: %j", (frame) => {
    expect(client(frame)).toEqual({ frame });
  });

  it.each([
    [{ ...HELLO, site: "" }, "hello.site"],
    [{ ...HELLO, since: -1 }, "hello.since"],
    [{ ...HELLO, since: 1.5 }, "hello.since"],
    [{ ...HELLO, fromId: "v_somebody_else" }, "hello.fromId"],
    [{ ...SEND, id: "short" }, "send.id"],
    [{ ...SEND, id: "with space in it" }, "send.id"],
    [{ ...SEND, text: "x".repeat(4_001) }, "send.text"],
    [{ ...SEND, text: { html: "<b>" } }, "send.text"],
    [{ ...SEND, age: 1.5 }, "send.age"],
    [{ ...SEND, visitor: "v_somebody_else" }, "send.visitor"],
    [{ t: "welcome" }, "t"],
    [{ t: "constructor" }, "t"],
    [{ t: "__proto__" }, "t"],
    [{}, "t"],
    [[HELLO], "not an object"],
    [null, "not an object"],
    ["hello", "not an object"],
  ])("is refused with the name of the invalid field: %j", (frame, problem) => {
    expect(client(frame)).toEqual({ problem });
  });

  it.each([
    [HELLO, "site", 64],
    [HELLO, "token", 1_024],
    [HELLO, "identity", 3_072],
    [HELLO, "epoch", 64],
    [SEND, "id", 64],
    [SEND, "text", 4_000],
    [SEND, "page", 512],
    [SEND, "title", 200],
    [SEND, "locale", 35],
    [SEND, "campaign", 64],
    [LEAD, "firstName", 200],
    [LEAD, "lastName", 200],
    [LEAD, "email", 300],
    [LEAD, "phone", 64],
    [LEAD, "consent", 2_000],
    [{ t: "react", id: "abcdefgh", emoji: "x" }, "id", 128],
    [{ t: "react", id: "abcdefgh", emoji: "x" }, "emoji", 32],
    [{ t: "rate", id: "abcdefgh", of: 5, comment: "" }, "comment", 1_000],
  ])("has a maximum length for each text: %j, %s, %i", (frame, field, max) => {
    expect(client({ ...frame, [field]: "x".repeat(max) })).toHaveProperty("frame");
    expect(client({ ...frame, [field]: "x".repeat(max + 1) })).toEqual({ problem: `${frame.t}.${field}` });
  });

  it("is refused when it names a reply by an id with control characters (A33)", () => {
    for (const id of ["r_\0", "\u001b[2J", "r\n"])
      expect(client({ t: "react", id, emoji: "x" })).toEqual({ problem: "react.id" });
  });

  it("is refused when it contains a prototype key", () => {
    expect(parseClientFrame('{"t":"ping","__proto__":{"x":1}}')).toEqual({ problem: "ping.__proto__" });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("is refused when it is not JSON, and when it is nested too deeply", () => {
    for (const raw of ["", "{", "hello", `${"[".repeat(30_000)}`])
      expect(parseClientFrame(raw)).toEqual({ problem: "not JSON" });
    expect(parseClientFrame(`{"t":"ping","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`)).toEqual({
      problem: "ping.x",
    });
  });
});

describe("a frame from the relay", () => {
  it.each([WELCOME, { t: "message", after: 1, message: MESSAGE }, { t: "pong", head: 9 }, { t: "bye", retry: [0, 5] }])(
    "is accepted: %j",
    (frame) => {
      expect(relay(frame)).toEqual({ frame });
    },
  );

  it("may contain fields that this widget does not know, at any depth", () => {
    const newer = { ...MESSAGE, mood: "good", media: { url: "/m", type: "image/png", name: "a", size: 1, blur: "x" } };
    expect(relay({ t: "message", after: 1, message: newer, colour: "red" })).toHaveProperty("frame");
  });

  it.each([
    [{ ...WELCOME, head: "0" }, "welcome.head"],
    [{ t: "message", after: 1, message: { ...MESSAGE, text: 7 } }, "message.message"],
    [{ t: "message", after: 1, message: { ...MESSAGE, from: "admin" } }, "message.message"],
    [{ t: "bye", retry: [1] }, "bye.retry"],
    [{ t: "history", before: 1, messages: [MESSAGE, 1], older: false }, "history.messages"],
  ])("is refused when a required field is invalid: %j", (frame, problem) => {
    expect(relay(frame)).toEqual({ problem });
  });
});
