import { describe, expect, it } from "vitest";
import { parseCallback } from "./callbacks.ts";

const SIX = {
  contactId: "c1",
  messageId: "m1",
  userId: "owner-1",
  body: "Yes, we do!",
  toId: "v_1",
  channel: "website",
};
const reply = (fields: Record<string, unknown>) => parseCallback(JSON.stringify(fields));

describe("a reply callback", () => {
  it("is parsed from its six fields; the owner's id is dropped (R-506), and the channel is not used (R-228)", () => {
    expect(reply(SIX)).toEqual({
      kind: "reply",
      toId: "v_1",
      text: "Yes, we do!",
      file: undefined,
      messageId: "m1",
      contactId: "c1",
      digest: "",
    });
  });

  it("needs only toId and body, and may use numbers as ids (R-603, R-009)", () => {
    expect(reply({ ...SIX, messageId: 17, contactId: 4 })).toMatchObject({ messageId: "17", contactId: "4" });
    // JavaScript would round it to the id of another message.
    const long = JSON.stringify(SIX).replace('"m1"', "12345678901234567891");
    expect(parseCallback(long)).toMatchObject({ messageId: "12345678901234567891" });
    expect(reply({ toId: "v_1", body: "hi" })).toMatchObject({ kind: "reply", messageId: undefined });
  });

  it("drops ids of more than 255 characters, and replaces a message id of this length with its hash", () => {
    const long = (last: string) => `${"m".repeat(100_000)}${last}`;
    const hidden: string[] = [];
    const read = (last: string) =>
      parseCallback(
        JSON.stringify({
          ...SIX,
          messageId: long(last),
          contactId: long(last),
          userId: long(last),
        }),
        (owner) => hidden.push(owner),
      );
    const [one, again, other] = [read("1"), read("1"), read("2")].map((found) => found as { messageId: string });
    expect(one?.messageId).toMatch(/^~[\w-]{43}$/);
    expect(again?.messageId).toBe(one?.messageId);
    expect(other?.messageId).not.toBe(one?.messageId);
    expect(one).toMatchObject({ contactId: undefined });
    expect(hidden).toEqual([]);
  });

  it.each(["customData", "data", "message"])("is unwrapped from %s (R-604)", (name) => {
    expect(reply({ [name]: SIX })).toMatchObject({ kind: "reply", toId: "v_1", text: "Yes, we do!" });
  });

  it("is parsed from form encoding, whatever the content type says (R-602)", () => {
    expect(parseCallback("toId=v_1&body=caf%C3%A9+%26+co&messageId=m2")).toMatchObject({
      text: "café & co",
      messageId: "m2",
    });
  });

  it("without text shows the file's link, or says that there was a file (R-605)", () => {
    expect(reply({ ...SIX, body: "", mediaUrl: "https://files.example/a.pdf" })).toMatchObject({
      text: "https://files.example/a.pdf",
    });
    expect(reply({ ...SIX, body: "", mediaUrl: "ftp://files.example/a.pdf" })).toMatchObject({
      text: expect.stringContaining("attachment"),
    });
    expect(reply({ ...SIX, body: "See", mediaUrl: "https://files.example/a.pdf" })).toMatchObject({
      text: "See\nhttps://files.example/a.pdf",
    });
  });

  it("with very many files shows twenty links, and says that there were more (R-605, A32)", () => {
    const links = Array.from({ length: 21 }, (_, n) => `https://files.example/${n}`);
    expect(reply({ ...SIX, body: "See", mediaUrl: links.slice(0, 20) })).toMatchObject({
      text: ["See", ...links.slice(0, 20)].join("\n"),
    });
    for (const mediaUrl of [links, [...links, ...links]])
      expect(reply({ ...SIX, body: "See", mediaUrl })).toMatchObject({
        text: ["See", ...links.slice(0, 20), "[attachment – not available here]"].join("\n"),
      });
  });

  it("returns an embedded file apart from the text, also from form encoding (R-605)", () => {
    const url = "data:image/png;base64,iVBO+/8=";
    expect(reply({ ...SIX, mediaUrl: url })).toMatchObject({ text: "Yes, we do!", file: url });
    expect(reply({ ...SIX, body: undefined, fileUrl: url })).toMatchObject({ text: "", file: url });
    expect(parseCallback(`toId=v_1&mediaUrl=${url}`)).toMatchObject({ file: url.replace("+", " ") });
  });

  it("keeps markup, entities and direction marks, and removes characters that databases refuse", () => {
    const body = "<b>&amp;</b> **x** שלום \u202e";
    expect(reply({ ...SIX, body })).toMatchObject({ text: body });
    expect(reply({ ...SIX, body: "a\0b\ud800c" })).toMatchObject({ text: "ab\ufffdc" });
  });

  it("is cut at 16,000 characters, never inside an emoji", () => {
    const callback = reply({ ...SIX, body: `${"x".repeat(15_999)}👋🏽 and more` });
    expect(callback).toMatchObject({ text: "x".repeat(15_999) });
  });
});

describe("a callback that cannot be parsed", () => {
  it.each([
    ["an empty body", "", "bad_json"],
    ["a list", "[1]", "bad_json"],
    ["a word", "nothing", "bad_json"],
    ["half of an object", '{"toId":', "bad_json"],
    ["30 levels", `{"toId":"v","body":"x","y":${"[".repeat(30)}${"]".repeat(30)}}`, "too_deep"],
    ["30,000 levels without an end", `{"toId":"v","body":"x","y":${"[".repeat(30_000)}`, "too_deep"],
  ])("is refused: %s", (_what, raw, code) => {
    expect(parseCallback(raw)).toEqual({ kind: "refused", code });
  });

  it("names the field that is missing", () => {
    expect(reply({ body: "x" })).toEqual({ kind: "refused", code: "missing_field", field: "toId" });
    expect(reply({ toId: "v_1" })).toEqual({ kind: "refused", code: "missing_field", field: "body" });
    expect(reply({ toId: "v_1", body: { html: "x" } })).toEqual({
      kind: "refused",
      code: "missing_field",
      field: "body",
    });
    expect(reply({ toId: ["v_1"], body: "x" })).toEqual({ kind: "refused", code: "missing_field", field: "toId" });
  });
});

it("recognises a recharge at the reply address by its key (R-620, R-622)", () => {
  expect(reply({ idempotency_key: "k1", email: "a@b.example" })).toEqual({ kind: "recharge", key: "k1" });
  expect(reply({ idempotencyKey: "k1" })).toEqual({ kind: "recharge", key: "k1" });
});
