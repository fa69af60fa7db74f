import { describe, expect, it } from "vitest";
import { startHarness } from "../harness.ts";
import { type SentRequest, violationsOf } from "./interface.ts";

const MESSAGE = { messageSid: "m1", fromId: "v_1", toId: "shop", body: "Hello", channel: "website" };
const incoming = (data: object, outer: object = {}) => ({ customData: { ...MESSAGE, ...data }, ...outer });
const JSON_TYPE = { "content-type": "application/json" };

function post(path: string, body: unknown, more: Partial<SentRequest> = {}): string[] {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return violationsOf({ method: "POST", target: path, headers: JSON_TYPE, body: Buffer.from(text), ...more });
}
const get = (query: string) =>
  violationsOf({ method: "GET", target: `/v1/contacts?${query}`, headers: {}, body: Buffer.alloc(0) });

const KEY = "?apiKey=a%2Bb";
const INCOMING = `/v1/incoming_custom_channel_message${KEY}`;
const SEND = `/v1/send_custom_channel_message${KEY}`;
const PNG = "data:image/png;base64,iVBORw0=";

describe("the interface, read without the sandbox", () => {
  it("accepts every documented request", () => {
    const send = { customData: { fromId: "v", customChannel: "website", body: "x", campaignId: "c", firstName: "A" } };
    const grant = { email: "a@b.example", amount: 0.5, description: "x" };
    const header = { headers: { ...JSON_TYPE, "x-api-key": "k" } };
    const media = { mediaUrl: PNG, mediaContentType: "image/png" };
    const linked = { mediaUrl: "https://x.example/a?b=c", mediaContentType: "image/png" };
    expect([
      post(INCOMING, incoming({}, { messageType: "text" })),
      post(INCOMING, incoming({ status: "received", campaignId: "c", email: "a@b.example", lastName: "B" })),
      post(INCOMING, incoming(media)),
      post(INCOMING, incoming(linked)),
      post(INCOMING, incoming({ mediaUrl: null, mediaContentType: null }, { messageType: "reaction" })),
      post(INCOMING, { customData: { id: "1", fromId: "a", toId: "b", body: "c" } }),
      post(SEND, send),
      post(`/v1/contacts${KEY}`, { phone: "+4712345678", firstName: "A" }),
      post(`/v1/lists/a%2Fb/contacts${KEY}`, { contactId: "c1" }),
      post("/v1/subaccounts/credits", grant, header),
      get("apiKey=k&phoneNumber=%2B4712345678"),
      get("email=a%2Bb%40c.example&apiKey=k"),
    ]).toEqual(Array.from({ length: 12 }, () => []));
  });

  it.each([
    ["a field it does not name", incoming({ phone: "+471" }), "customData has no field phone"],
    ["a field beside customData", incoming({}, { channel: "website" }), "the body has no field channel"],
    ["messageType inside customData", incoming({ messageType: "text" }), "customData has no field messageType"],
    [
      "a kind of message it does not name",
      incoming({}, { messageType: "image" }),
      "messageType is not text or reaction",
    ],
    ["a number where text belongs", incoming({ messageSid: 7 }), "messageSid is not a string"],
    ["null where text belongs", incoming({ campaignId: null }), "campaignId is not a string"],
    ["both names of the message's id", incoming({ id: "m1" }), "customData must have exactly one of messageSid and id"],
    ["no id at all", incoming({ messageSid: undefined }), "customData must have exactly one of messageSid and id"],
    ["no business", incoming({ toId: undefined }), "customData lacks toId"],
    ["an empty body", incoming({ body: "" }), "body is empty or only white space"],
    ["an invisible body", incoming({ body: " \u00a0\u200b\n" }), "body is empty or only white space"],
    [
      "a file without its type",
      incoming({ mediaUrl: PNG }),
      "customData.mediaUrl and mediaContentType do not come together",
    ],
    [
      "a type without its file",
      incoming({ mediaContentType: "image/png" }),
      "customData.mediaUrl and mediaContentType do not come together",
    ],
    [
      "a file of another type than stated",
      incoming({ mediaUrl: PNG, mediaContentType: "image/jpeg" }),
      "customData.mediaContentType is not the type of the embedded file",
    ],
    [
      "a link over plain http",
      incoming({ mediaUrl: "http://x.example/a", mediaContentType: "image/png" }),
      "mediaUrl is not an https link or a data URI",
    ],
    [
      "a blob",
      incoming({ mediaUrl: "blob:x", mediaContentType: "image/png" }),
      "mediaUrl is not an https link or a data URI",
    ],
    [
      "an embedded file with parameters",
      incoming({ mediaUrl: "data:a/b;c=d;base64,AA==", mediaContentType: "a/b" }),
      "mediaUrl is not an https link or a data URI",
    ],
    ["an email address without an at", incoming({ email: "nobody" }), "email is not an email address"],
    ["no customData", MESSAGE, "the body lacks customData"],
    ["a list", "[]", "the body is not an object"],
    ["half of the JSON", '{"customData":', "the body is not JSON in UTF-8"],
  ])("refuses an incoming message with %s", (_what, body, reason) => {
    expect(post(INCOMING, body)).toContain(reason);
  });

  it.each([
    [
      "the key in the path of credits",
      post(`/v1/subaccounts/credits${KEY}`, { email: "a@b.c", amount: 1 }),
      "the query has a wrong apiKey",
    ],
    ["a text as amount", creditsOf({ email: "a@b.c", amount: "5" }), "amount is not a number"],
    [
      "a key for repeats that credits do not have",
      creditsOf({ email: "a@b.c", amount: 5, idempotency_key: "k" }),
      "the body has no field idempotency_key",
    ],
    ["no amount", creditsOf({ email: "a@b.c" }), "the body lacks amount"],
    [
      "the key in a header of messages",
      post(INCOMING, incoming({}), { headers: { ...JSON_TYPE, "x-api-key": "k" } }),
      "the key is in a header",
    ],
    [
      "a bearer token",
      post(INCOMING, incoming({}), { headers: { ...JSON_TYPE, authorization: "Bearer k" } }),
      "the header authorization is not part of the interface",
    ],
    ["no key", post("/v1/incoming_custom_channel_message", incoming({})), "the query does not have apiKey once"],
    ["the key twice", post(`${INCOMING}&apiKey=b`, incoming({})), "the query does not have apiKey once"],
    ["another parameter", post(`${INCOMING}&debug=1`, incoming({})), "the query has a wrong debug"],
    [
      "a form",
      post(INCOMING, "a=b", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
      "the content type is application/x-www-form-urlencoded",
    ],
    ["no content type", post(INCOMING, incoming({}), { headers: {} }), "the content type is missing"],
    [
      "bytes that are no UTF-8",
      post(INCOMING, "", { body: Buffer.from('{"a":"\xff"}', "latin1") }),
      "the body is not JSON in UTF-8",
    ],
    ["PUT", post(INCOMING, incoming({}), { method: "PUT" }), "the path does not support the method PUT"],
    ["a path that does not exist", post(`/v1/messages${KEY}`, {}), "the path is not part of the interface"],
    ["another version", post(`/v2/contacts${KEY}`, { phone: "+4712345678" }), "the path is not part of the interface"],
    [
      "a list's id that is not encoded",
      post(`/v1/lists/a b/contacts${KEY}`, { contactId: "c" }),
      "the path is badly encoded",
    ],
    [
      "a contact without phone and email",
      post(`/v1/contacts${KEY}`, { firstName: "A" }),
      "the body has neither phone nor email",
    ],
    [
      "a phone without its country",
      post(`/v1/contacts${KEY}`, { phone: "030 123456" }),
      "phone is not a phone number with country code",
    ],
    [
      "the campaign's field of another endpoint",
      post(`/v1/contacts${KEY}`, { email: "a@b.c", campaignId: "c" }),
      "the body has no field campaignId",
    ],
    [
      "the channel under the other endpoint's name",
      post(SEND, { customData: { fromId: "v", channel: "x", body: "b" } }),
      "customData lacks customChannel",
    ],
    ["a raw plus", get("apiKey=k&phoneNumber=+4712345678"), "the query is not a phone number with country code"],
    ["a raw plus in an email address", get("apiKey=k&email=a+b@c.example"), "the query is badly encoded"],
    [
      "phone and email together",
      get("apiKey=k&phoneNumber=%2B4712345678&email=a%40b.c"),
      "the query does not have exactly one of phoneNumber, email",
    ],
    ["neither", get("apiKey=k"), "the query does not have exactly one of phoneNumber, email"],
    ["a look-up by another name", get("apiKey=k&phone=%2B4712345678"), "the query has a wrong phone"],
  ])("refuses a request with %s", (_what, wrong, reason) => {
    expect(wrong).toContain(reason);
  });

  it("reports errors without the values, which may be secrets", () => {
    const wrong = post(`${INCOMING}&secret=s3cr3t`, incoming({ body: 5, phone: "s3cr3t" }));
    expect(wrong).toEqual(["the query has a wrong secret", "body is not a string", "customData has no field phone"]);
  });
});

describe("a harness whose relay breaks the interface", () => {
  it("fails at its end, and reports why", async () => {
    const harness = await startHarness();
    const url = `${harness.serviceUrl}/incoming_custom_channel_message?apiKey=${encodeURIComponent(harness.sandbox.config.apiKey)}`;
    const send = (body: object) => fetch(url, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
    const answers = await Promise.all([send(incoming({ extra: 1 })), send(incoming({ body: "other words" }))]);
    // The sandbox refuses the unknown field too.
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
    await expect(harness.stop()).rejects.toThrow(
      /POST \/v1\/incoming_custom_channel_message: customData has no field extra.*messageSid was used again for another message/,
    );
  });

  it("does not fail because of other clients' requests", async () => {
    const harness = await startHarness();
    expect((await fetch(`${harness.sandbox.url}/contacts`)).status).toBe(401);
    await expect(harness.stop()).resolves.toBeUndefined();
  });
});

function creditsOf(body: object): string[] {
  return post("/v1/subaccounts/credits", body, { headers: { ...JSON_TYPE, "x-api-key": "k" } });
}
