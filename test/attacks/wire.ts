import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket, WebSocketServer } from "ws";
import { corpus } from "../corpora.ts";
import type { Result } from "./attack.ts";
import { greet, type RawClient, settled } from "./raw-client.ts";
import { replyOf, type Testbed } from "./testbed.ts";

/** Opens a connection and sends `hello`. */
async function connectVisitor(testbed: Testbed): Promise<RawClient> {
  const client = await testbed.connect();
  if ((await greet(client)) === undefined) throw new Error("The relay refused a visitor");
  return client;
}

/** A21: frames above the limit. Succeeds when the connection stays open. */
export async function hugeFrames(testbed: Testbed): Promise<Result> {
  const sizes = [32_769, 33_000, 40_000, 65_535, 65_536, 100_000, 1_000_000, 8_000_000];
  const tries = [...sizes, ...sizes].slice(0, testbed.count(16));
  let succeeded = 0;
  for (const [n, size] of tries.entries()) {
    const client = await connectVisitor(testbed);
    client.send(
      n % 2 === 0 ? "x".repeat(size) : JSON.stringify({ t: "send", id: "huge-frame", text: "x".repeat(size) }),
    );
    // A relay that accepts the frame answers it; otherwise it closes the connection.
    await Promise.race([client.closed, client.until((frame) => frame.includes("error"))]);
    if (client.code() !== 1009) succeeded++;
    client.end();
  }
  const client = await connectVisitor(testbed);
  client.send(JSON.stringify({ t: "send", id: "large-frame", text: "x".repeat(4_000) }));
  await client.until((frame) => frame.includes('"state":"sent"'));
  const control =
    client.code() === 0
      ? "the relay accepts the longest allowed message"
      : "the relay refused the longest allowed message";
  client.end();
  return { tried: tries.length, succeeded, control };
}

/** A23: offers of WebSocket compression. Succeeds when the relay accepts one. */
export async function compressionOffers(testbed: Testbed): Promise<Result> {
  const offers: object[] = [
    {},
    { serverNoContextTakeover: true },
    { clientMaxWindowBits: 15 },
    { serverMaxWindowBits: 8 },
  ];
  const agrees = (url: string, offer: object): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, { origin: testbed.harness.host, perMessageDeflate: offer });
      socket.once("open", () => {
        resolve(socket.extensions.includes("deflate"));
        socket.terminate();
      });
      socket.on("error", () => resolve(false));
    });
  let succeeded = 0;
  for (const offer of offers)
    if (await agrees(`${testbed.harness.url.replace("http", "ws")}/socket`, offer)) succeeded++;
  const willing = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: true });
  await new Promise((resolve) => willing.once("listening", resolve));
  const control = await agrees(`ws://127.0.0.1:${(willing.address() as { port: number }).port}`, {});
  willing.close();
  return { tried: offers.length, succeeded, control: `a server with compression accepts the same offer: ${control}` };
}

const KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
  "then",
];

/**
 * A29: prototype keys in frames, callbacks and API bodies. Succeeds with a polluted prototype, a 5xx, or an accepted frame.
 */
export async function prototypeKeys(testbed: Testbed): Promise<Result> {
  const { id } = await testbed.knownVisitor("words of A29");
  const values = ['{"polluted":true}', '"x"', "null", "[]", '{"prototype":{"polluted":true}}', "7"];
  const frames = ['"t":"ping"', '"t":"typing"', '"t":"read","n":1', '"t":"send","id":"proto-key-1","text":"polluted"'];
  const bodies = KEYS.flatMap((key) =>
    values.flatMap((value) => frames.map((frame) => `{${frame},"${key}":${value}}`)),
  );
  const tries = testbed.sample(bodies);
  const client = await connectVisitor(testbed);
  let succeeded = 0;
  for (const text of tries) {
    const body = `${text.slice(0, -1)},"toId":"${id}","body":"x"}`;
    if ((await testbed.callback(body)) >= 500) succeeded++;
    client.send(text);
    const answer = await testbed.api(
      "POST",
      "/messages",
      JSON.parse(`{"to":{"visitor":"x"},${text.slice(1)}`) as object,
      "proto",
    );
    if (answer.status >= 500 || answer.status < 300) succeeded++;
  }
  await settled(client);
  const refused = client.frames.filter((frame) => frame.includes("bad_frame")).length;
  succeeded += tries.length - refused;
  if ("polluted" in {}) succeeded++;
  client.end();
  const naive = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, object>;
  const victim: Record<string, unknown> = {};
  Object.assign(Object.getPrototypeOf(Object.create(victim)) as object, Object.values(naive)[0]);
  return {
    tried: 3 * tries.length,
    succeeded,
    control: `the same text pollutes the prototype in a naive merge: ${victim.polluted === true}`,
  };
}

/**
 * A30: JSON nested too deep, at every endpoint that accepts JSON. Succeeds with an answer other than 4xx, or a stored message.
 */
export async function deepJson(testbed: Testbed): Promise<Result> {
  const depths = [17, 18, 50, 100, 1_000, 5_000, 8_000];
  const { id } = await testbed.knownVisitor("words of A30");
  const client = await connectVisitor(testbed);
  let succeeded = 0;
  let tried = 0;
  for (const depth of depths)
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const deep = open.repeat(depth) + (open === "[" ? "" : "1") + close.repeat(depth);
      for (const text of [
        deep,
        `{"toId":"${id}","body":"x","more":${deep}}`,
        `{"t":"send","id":"deep-json-1","text":${deep}}`,
      ]) {
        tried += 3;
        if ([...(await statusesOf(testbed, text))].some((status) => status < 400 || status >= 500)) succeeded++;
        if (text.length < 32_000) client.send(text);
      }
    }
  await settled(client);
  if (client.code() !== 0) succeeded++;
  succeeded += client.frames.filter((frame) => frame.includes('"state"')).length;
  client.end();
  const shallow = await testbed.callback(replyOf(id, "x", { more: [[[[1]]]] }));
  return { tried, succeeded, control: `four levels answer ${shallow}` };
}

/** Posts the text as an API call and as a callback. @returns the statuses */
async function statusesOf(testbed: Testbed, text: string): Promise<number[]> {
  const api = await fetch(`${testbed.harness.url}/api/v1/contacts`, {
    method: "POST",
    body: text,
    headers: { Authorization: testbed.bearer, "Idempotency-Key": "deep" },
  });
  await api.arrayBuffer();
  return [await testbed.callback(text), api.status];
}

/** Texts of the corpus of odd strings, if available, and a few of our own. */
export function naughtyStrings(): string[] {
  const file = corpus("naughty-strings/blns.json");
  const own = [
    "\0",
    "\ud800",
    "é\u0301\u0302",
    "\u202eabc",
    "\ufeffx",
    "%s%n",
    "$" + "{7*7}",
    "\u001b[31m",
    "a\r\nb",
    "👩‍👩‍👧‍👦",
    "Ω≈ç",
  ];
  return existsSync(file) ? [...(JSON.parse(readFileSync(file, "utf8")) as string[]), ...own] : own;
}

/** Documents of JSONTestSuite, as bytes. */
export function jsonDocuments(): Uint8Array[] {
  const folder = corpus("json-test-suite/test_parsing");
  const own = ["", "{", '{"a":1,}', "[1", "nul", '"\\u12"', "\ufeff{}", "[1e9999]"].map((text) => Buffer.from(text));
  return existsSync(folder) ? [...readdirSync(folder).map((name) => readFileSync(join(folder, name))), ...own] : own;
}

/** Posts raw bytes. @returns the status */
async function postBytes(url: string, body: Uint8Array, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    body: new Uint8Array(body),
    headers: { "Content-Type": "application/json", ...headers },
  });
  await response.arrayBuffer();
  return response.status;
}

/** Documents per visitor. Each document needs a ping, and the relay limits the pings of one visitor. */
const DOCUMENTS_PER_VISITOR = 40;

/**
 * A33: every document of JSONTestSuite, and invalid UTF-8, at every endpoint that accepts JSON. Succeeds with a 5xx, or an
 * accepted document.
 */
export async function oddDocuments(testbed: Testbed): Promise<Result> {
  const tries = testbed.sample(jsonDocuments());
  let succeeded = 0;
  let client = await connectVisitor(testbed);
  for (const [n, bytes] of tries.entries()) {
    const api = { Authorization: testbed.bearer, "Idempotency-Key": "odd" };
    const codes = [
      await postBytes(testbed.harness.callbackUrl, bytes, { "X-Forwarded-For": testbed.address() }),
      await postBytes(`${testbed.harness.url}/api/v1/messages`, bytes, api),
      await postBytes(`${testbed.harness.url}/api/v1/contacts`, bytes, api),
    ];
    succeeded += codes.filter((code) => code < 400 || code >= 500).length;
    if (bytes.length > 30_000) continue;
    client.send(bytes);
    await settled(client);
    // Invalid UTF-8 ends a connection with 1007 (RFC 6455 section 8.1); nothing else may.
    if (![0, 1007].includes(client.code())) succeeded++;
    if (client.code() !== 0 || n % DOCUMENTS_PER_VISITOR === 0) {
      client.end();
      client = await connectVisitor(testbed);
    }
  }
  client.end();
  const { id } = await testbed.knownVisitor("words of A33");
  const good = await testbed.callback(replyOf(id, "well formed"));
  return { tried: 4 * tries.length, succeeded, control: `a valid document answers ${good}` };
}

/** A text as the relay stores it: without NUL, and without lone surrogates. */
const kept = (text: string): string => text.toWellFormed().replaceAll("\0", "");

/** A33: unusual strings as messages and replies. Succeeds when one is lost or changed. */
export async function oddStrings(testbed: Testbed): Promise<Result> {
  const tries = testbed.sample(naughtyStrings().filter((text) => kept(text).trim() !== "" && text.length <= 4_000));
  const { visitor, id } = await testbed.knownVisitor("words of the odd strings");
  let succeeded = 0;
  for (const [n, text] of tries.entries()) {
    const stored = await visitor.send(text, `odd-string-${n}`).catch((error: Error) => ({ text: error.message }));
    if (stored.text !== kept(text) && stored.text !== "empty") succeeded++;
    if ((await testbed.callback(replyOf(id, text))) >= 500) succeeded++;
  }
  await testbed.callback(replyOf(id, "the last odd string"));
  await visitor.receives("the last odd string");
  const texts = new Set(
    visitor
      .log()
      .filter(({ from }) => from === "reply")
      .map(({ text }) => text),
  );
  const trimmed = (text: string): string => kept(text).trim();
  const seen = new Set([...texts].map(trimmed));
  succeeded += tries.filter((text) => !seen.has(trimmed(text))).length;
  return { tried: 2 * tries.length, succeeded, control: "a plain string returns unchanged" };
}
