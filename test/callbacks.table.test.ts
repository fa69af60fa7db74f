/** The status table of RELIABILITY 3a and the callbacks of, row by row, over HTTP. */

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxConfig } from "../relay/sandbox/options.ts";
import { newVisitorId } from "../relay/src/base/sign.ts";
import { type Harness, startHarness } from "./harness.ts";
import type { Visitor } from "./visitor.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

/** Callbacks as the interface describes them. */
const PLAIN: Partial<SandboxConfig> = {
  callbackContentType: "application/json",
  callbackOmit: [],
  callbackExtras: {},
  callbackWrap: "none",
  numericIds: false,
  duplicateCallbacks: 0,
};

/** A harness with one visitor who has sent a message and received a reply. */
async function startWithVisitor(
  env: Record<string, string> = {},
): Promise<{ harness: Harness; visitor: Visitor; toId: string }> {
  const harness = await startHarness({ env, sandbox: { profile: "strict" } });
  const visitor = harness.visitor();
  await visitor.greet();
  return { harness, visitor, toId: harness.sandbox.messages()[0]?.fromId ?? "" };
}

let harness: Harness;
let visitor: Visitor;
let toId: string;
beforeAll(async () => {
  ({ harness, visitor, toId } = await startWithVisitor());
});
afterAll(() => harness.stop());

const post = (
  body: BodyInit,
  headers: Record<string, string> = JSON_TYPE,
  url = harness.callbackUrl,
): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers,
    body,
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  } as RequestInit);
const reply = (fields: object, url?: string): Promise<Response> =>
  post(
    JSON.stringify({ toId, messageId: randomUUID(), contactId: "c", userId: "u", channel: "website", ...fields }),
    JSON_TYPE,
    url,
  );
const shown = (text: string): number => visitor.log().filter((message) => message.text === text).length;
/** Resolves when the visitor has received all replies posted before. */
async function untilAllReceived(): Promise<void> {
  const body = `mark ${randomUUID()}`;
  expect((await reply({ body })).status).toBe(200);
  await visitor.receives(body);
}

describe("the address", () => {
  it("answers GET and HEAD with 200 and no details, and other methods with 405 (R-601, R-614)", async () => {
    const got = await fetch(harness.callbackUrl);
    expect([got.status, await got.text()]).toEqual([200, "ok"]);
    expect((await fetch(harness.callbackUrl, { method: "HEAD" })).status).toBe(200);
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const refused = await fetch(harness.callbackUrl, { method });
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    }
  });

  it("answers 404 to every method without the secret or with a wrong one", async () => {
    const nowhere = await (await fetch(`${harness.url}/nothing-here`)).text();
    for (const url of [
      harness.callbackUrl.replace(/[^/]+$/, ""),
      `${harness.callbackUrl}x`,
      harness.callbackUrl.slice(0, -1),
    ])
      for (const method of ["GET", "POST", "PUT"]) {
        const answer = await fetch(url, { method });
        expect([answer.status, await answer.text()]).toEqual([404, nowhere]);
      }
  });

  it("refuses none of many authentic calls: no 429, no redirect, no 410, no 5xx", async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => reply({ body: `one of many ${n}` })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await untilAllReceived();
    expect(visitor.log().filter(({ text }) => text.startsWith("one of many"))).toHaveLength(300);
  });
});

describe("an invalid callback", () => {
  const bad: [name: string, body: string][] = [
    ["nothing", ""],
    ["text", "hello"],
    ["half an object", '{"toId":"v'],
    ["an array", "[]"],
    ["null", "null"],
    ["no toId", '{"body":"hi"}'],
    ["no body", JSON.stringify({ toId: "someone" })],
    ["deep nesting", `{"toId":"v","body":"x","a":${"[".repeat(20)}${"]".repeat(20)}}`],
  ];
  it.each(bad)("is answered with 400 and one short sentence: %s", async (_name, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: string };
    expect(error.length).toBeLessThan(120);
    expect(error).not.toMatch(/\n|\bat /);
  });

  it("is answered with 400 when it is not UTF-8", async () => {
    expect((await post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status).toBe(400);
  });
});

describe("a body over the limit (R-613)", () => {
  const large = JSON.stringify({ toId: "someone", body: "x".repeat(2_000_000) });

  it("is answered with 413, with or without a length header, and counts as Failed at the service", async () => {
    expect((await post(large)).status).toBe(413);
    expect((await post(new Blob([large]).stream())).status).toBe(413);
    harness.sandbox.configure({ hugeBody: true });
    const sent = await harness.sandbox.humanReply({ fromId: toId, body: "huge" });
    harness.sandbox.configure({ hugeBody: false });
    expect([sent.status, sent.error]).toEqual(["Failed", expect.stringContaining("413")]);
  });

  it("is answered before it has arrived when it announces its size, and the next call is handled", async () => {
    const { port, pathname } = new URL(harness.callbackUrl);
    // A reset after the answer ends the connection too.
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    const answer = new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (part) => {
        text += String(part);
      });
      socket.on("close", () => resolve(text));
    });
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: relay\r\nContent-Length: 50000000\r\n\r\n{`);
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    await untilAllReceived();
  });

  it("does not affect callbacks that arrive at the same time", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? post(large) : reply({ body: `beside a large one ${n}` }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 413 : 200)),
    );
    await untilAllReceived();
    expect(visitor.log().filter(({ text }) => text.startsWith("beside a large one"))).toHaveLength(10);
  });
});

describe("the relay shows a reply", () => {
  it.each([
    ["that is JSON with the content type text/plain", { callbackContentType: "text/plain" }],
    ["that is JSON without a content type (R-602)", { callbackContentType: "" }],
    ["that is a form (R-602)", { callbackContentType: "application/x-www-form-urlencoded" }],
    ["without channel, contact and owner (R-603)", { callbackOmit: ["channel", "contactId", "userId"] }],
    ["without a message id (R-603)", { callbackOmit: ["messageId"] }],
    ["with unknown fields (R-603)", { callbackExtras: { campaignId: "c", at: 1 } }],
    ["wrapped in customData (R-604)", { callbackWrap: "customData" }],
    ["wrapped in data (R-604)", { callbackWrap: "data" }],
    ["with numbers as ids (R-009)", { numericIds: true }],
    ["once that arrives three times (R-609)", { duplicateCallbacks: 2 }],
  ] as const)("%s", async (name, options) => {
    harness.sandbox.configure(options as Partial<SandboxConfig>);
    const body = `a reply ${name}`;
    const sent = await harness.sandbox.humanReply({ fromId: toId, body });
    harness.sandbox.configure(PLAIN);
    expect(sent.status).toBe("Sent");
    await visitor.receives(body);
    await untilAllReceived();
    expect(shown(body)).toBe(1);
  });

  it("that is wrapped in `message` (R-604) and has a number as its body (R-010)", async () => {
    expect((await post(JSON.stringify({ message: { toId, messageId: randomUUID(), body: 4_711 } }))).status).toBe(200);
    await visitor.receives("4711");
  });

  it("with an empty body as an attachment, and one with only a file as the file's address (R-605)", async () => {
    expect((await reply({ body: "" })).status).toBe(200);
    expect(await visitor.receives("[attachment – not available here]")).toMatchObject({ noFile: [0, 33] });
    expect((await reply({ body: "", mediaUrl: "https://files.example/a.pdf" })).status).toBe(200);
    await visitor.receives("https://files.example/a.pdf");
  });

  it("with a name in brackets on the first line as a reply of that author", async () => {
    await reply({ body: "[Maria]\nThe lamp is on its way." });
    const shown = { author: { name: "Maria", end: 8 } };
    expect(await visitor.receives("[Maria]\nThe lamp is on its way.")).toMatchObject(shown);
  });

  it("with markup, entities and right-to-left letters as plain text (R-606)", async () => {
    const body = "<img src=x onerror=alert(1)> &amp; **bold** שלום";
    await reply({ body });
    await visitor.receives(body);
  });
});

describe("the recipient of a reply", () => {
  it("is an offline visitor: the next visit shows it (R-610, F33)", async () => {
    await visitor.drop();
    expect((await reply({ body: "while you were away" })).status).toBe(200);
    await visitor.connect();
    await visitor.receives("while you were away");
  });

  it("is a visitor of this relay who is no longer in its database: it is stored, not refused (R-612)", async () => {
    const { signing } = JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { signing: string };
    const orphan = newVisitorId(signing, Date.now());
    expect((await reply({ toId: orphan, body: "for an orphan" })).status).toBe(200);
    const db = new DatabaseSync(join(harness.dataDir, "porchlight.db"), { readOnly: true });
    expect(db.prepare("SELECT text FROM messages WHERE visitor = ?").all(orphan)).toEqual([{ text: "for an orphan" }]);
    db.close();
  });

  it("is an unknown id: it is answered with 404, never 410; or 200 where several programs share the address", async () => {
    const answer = await reply({ toId: "nobody-of-ours", body: "hi" });
    expect([answer.status, await answer.json()]).toEqual([404, { error: "unknown contact" }]);
    const changed = `${toId.slice(0, -1)}${toId.endsWith("0") ? "1" : "0"}`;
    expect((await reply({ toId: changed, body: "hi" })).status).toBe(404);
    const shared = await startHarness({ env: { UNKNOWN_CONTACT: "200" } });
    try {
      expect((await reply({ toId: "nobody-of-ours", body: "hi" }, shared.callbackUrl)).status).toBe(200);
    } finally {
      await shared.stop();
    }
  });
});

describe("the order of replies", () => {
  it("is the order in which they were answered, in every tab (R-608)", async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `in order ${n}`);
    for (const body of texts) expect((await reply({ body })).status).toBe(200);
    await untilAllReceived();
    expect(visitor.log().flatMap(({ text }) => (text.startsWith("in order") ? [text] : []))).toEqual(texts);
  });

  it("does not change when a reply arrives again with another text: the first text stays (R-609)", async () => {
    const messageId = randomUUID();
    expect((await reply({ messageId, body: "the first words" })).status).toBe(200);
    await untilAllReceived();
    expect((await reply({ messageId, body: "other words" })).status).toBe(200);
    await untilAllReceived();
    expect([shown("the first words"), shown("other words")]).toEqual([1, 0]);
  });

  it("allows a reply before its message was answered (F9)", async () => {
    // The service answers when the test advances its clock.
    harness.sandbox.configure({ latencyMs: 1_500, clock: "virtual" });
    const written = await visitor.send("answered before it was taken");
    expect(written.state).toBe("sent");
    expect((await reply({ body: "early" })).status).toBe(200);
    await visitor.receives("early");
    expect(visitor.log().find(({ text }) => text === "answered before it was taken")).toMatchObject({ state: "sent" });
    const answered = async () => {
      await harness.sandbox.advance(1_500);
      return visitor.log().find(({ text }) => text === "answered before it was taken");
    };
    await expect.poll(answered).toMatchObject({ state: "delivered" });
    await visitor.receives("echo: answered before it was taken");
    harness.sandbox.configure({ latencyMs: 0, clock: "real" });
  });
});

describe("when a reply cannot be written", () => {
  it("to the database, it is spooled and answered with 200, and shown in order when the database is back (F18)", async () => {
    const other = new DatabaseSync(join(harness.dataDir, "porchlight.db"));
    other.exec("BEGIN IMMEDIATE");
    const texts = ["spooled 1", "spooled 2"];
    for (const body of texts) expect((await reply({ body })).status).toBe(200);
    expect(readFileSync(join(harness.dataDir, "replies.spool"), "utf8")).toContain("spooled 2");
    other.exec("ROLLBACK");
    other.close();
    await visitor.receives("spooled 2");
    expect(visitor.log().flatMap(({ text }) => (text.startsWith("spooled") ? [text] : []))).toEqual(texts);
  });

  it("anywhere, it is answered with 503 and Retry-After, and not shown; afterwards callbacks work again", async () => {
    const other = new DatabaseSync(join(harness.dataDir, "porchlight.db"));
    const spool = join(harness.dataDir, "replies.spool");
    other.exec("BEGIN IMMEDIATE");
    // A folder in the place of the spool's file prevents writing.
    mkdirSync(spool);
    const refused = await reply({ messageId: "again", body: "written nowhere" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    rmdirSync(spool);
    other.exec("ROLLBACK");
    other.close();
    expect((await reply({ messageId: "again", body: "written nowhere" })).status).toBe(200);
    await visitor.receives("written nowhere");
    await untilAllReceived();
    expect(shown("written nowhere")).toBe(1);
  });
});
