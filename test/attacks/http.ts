import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { KEY, OWNER } from "../harness.ts";
import type { Result } from "./attack.ts";
import { replyOf, type Testbed } from "./testbed.ts";

/** The encodings in which a secret could leak. */
const SPELLINGS = [KEY, OWNER].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  new URLSearchParams({ k: secret }).toString().slice(2),
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("base64url"),
  Buffer.from(secret).toString("hex"),
]);
const leaks = (text: string): boolean => SPELLINGS.some((secret) => text.includes(secret));

const filesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** A11: searches every log line, answer and file of the relay and its build. Succeeds when one contains the account's key. */
export async function leakedKey(testbed: Testbed): Promise<Result> {
  const { harness } = testbed;
  const { visitor, id } = await testbed.knownVisitor("words of A11");
  harness.sandbox.failNext("incoming", 1, {
    kind: "status",
    status: 400,
    body: { error: `apiKey=${KEY} of ${OWNER}` },
  });
  await visitor.send("refused by the service");
  await visitor.sees((message) => message.from === "visitor" && message.state === "failed");
  const outputs: string[] = [JSON.stringify(visitor.log())];
  const paths = [
    "/",
    "/healthz",
    "/readyz",
    "/widget.js",
    "/openapi.json",
    "/c/default",
    "/nothing",
    `/${encodeURIComponent(KEY)}x`,
    "/api/v1/visitors",
  ];
  const bodies = ["{", "null", JSON.stringify(replyOf(id, "x", { userId: OWNER }))];
  for (const path of [...paths, "/w/default.js", "/metrics", "/media/none", "/socket"]) {
    const response = await fetch(harness.url + path, { headers: { Authorization: testbed.bearer } });
    // The client itself sent the address, so an answer may repeat it.
    outputs.push(
      JSON.stringify([...response.headers]),
      (await response.text()).replaceAll(encodeURIComponent(KEY), ""),
    );
  }
  for (const body of bodies) {
    const response = await fetch(harness.callbackUrl, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json" },
    });
    outputs.push(await response.text());
  }
  const built = filesOf(join(import.meta.dirname, "..", "..", "widget", "dist"));
  const written = [...filesOf(harness.dataDir), ...built].filter((file) => existsSync(file));
  outputs.push(...harness.lines(), ...written.map((file) => readFileSync(file, "latin1")));
  const { authFailures } = harness.sandbox.state().counts;
  const control = `the service received the key (${authFailures} calls without it); the search finds the key in "apiKey=…": ${leaks(`?apiKey=${encodeURIComponent(KEY)}`)}`;
  return { tried: outputs.length, succeeded: outputs.filter(leaks).length, control };
}

/** Sends bytes over a raw connection. @returns the statuses of the answers until it ended or was silent for 3 s */
function exchange(port: number, bytes: string | Uint8Array): Promise<number[]> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.setTimeout(3_000, () => socket.destroy());
    socket.on("data", (data) => {
      received += data.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () =>
      resolve([...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))),
    );
  });
}

const NAMES = [
  "__proto__",
  "constructor",
  "Host",
  "Content-Length",
  "Transfer-Encoding",
  "Upgrade",
  "X-Forwarded-For",
  "Cookie",
  "a".repeat(9_000),
];
const VALUES = [
  "",
  "0",
  "-1",
  "1e9",
  "chunked, identity",
  "identity",
  "\u0000",
  "\t",
  "a\u0001b",
  "ÿ".repeat(100),
  "x".repeat(20_000),
  "websocket",
  "::1",
  ",,,,",
];

/** Requests that two parsers could end at different places (RFC 9112 section 11.2). */
const SMUGGLED = [
  "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
  "POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
  "POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  "POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
  "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde",
  "GET /healthz HTTP/1.1\nHost: a\n\n",
  "GET /healthz HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n",
  "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n",
];

/** Hosts of which two programs could choose different ones (RFC 9112 section 3.2). */
const AMBIGUOUS_HOSTS = ["a\r\nHost: b", "a\r\nX-Other: 1\r\nhost: a", "a, b", "a/b", "a@b", "a\\b"];

const UPGRADE =
  "GET /socket HTTP/1.1\r\nHost: a\r\nOrigin: ORIGIN\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/**
 * Requests a WebSocket on the connection of a request that is not answered yet: a callback, and a page's poll.
 * @returns the number of tries, and of those that were answered with an upgrade
 */
async function earlyUpgrades({ harness }: Testbed, port: number): Promise<{ tried: number; succeeded: number }> {
  const upgrade = UPGRADE.replace("ORIGIN", harness.host);
  const line = await fetch(`${harness.url}/socket/lines`, { method: "POST", headers: { Origin: harness.host } });
  const { line: id } = (await line.json()) as { line: string };
  const poll = `GET /socket/lines/${id}?mode=poll HTTP/1.1\r\nHost: a\r\nOrigin: ${harness.host}\r\n\r\n`;
  const path = new URL(harness.callbackUrl).pathname;
  const callback = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;
  const answers = await Promise.all([poll, callback].map((first) => exchange(port, first + upgrade)));
  return { tried: answers.length, succeeded: answers.filter((statuses) => statuses.includes(101)).length };
}

/**
 * A34: unusual headers, ambiguous hosts, request smuggling, and early upgrades. Succeeds with a 5xx, an answer other than 400 to
 * an ambiguous host, two answers to a smuggled pair, an upgrade, or a relay that stops.
 */
export async function oddHeaders(testbed: Testbed): Promise<Result> {
  const port = Number(new URL(testbed.harness.url).port);
  const path = new URL(testbed.harness.callbackUrl).pathname;
  const lines = NAMES.flatMap((name) => VALUES.map((value) => `${name}: ${value}`));
  const paths = [
    "/healthz",
    "/socket",
    "/callbacks/reply/x",
    "//evil.example/socket",
    "/%00",
    "*",
    "http://evil.example/socket",
  ];
  const odd = lines.flatMap((line) =>
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}\r\n\r\n`),
  );
  const tries = testbed.sample(odd);
  let succeeded = 0;
  for (const text of tries) {
    const statuses = await exchange(port, Buffer.from(text, "latin1"));
    succeeded += statuses.filter((status) => status >= 500 && status !== 505).length;
  }
  const smuggled = [...SMUGGLED, ...SMUGGLED.map((text) => text.replace("/healthz", path))];
  for (const text of smuggled)
    if ((await exchange(port, text)).filter((status) => status === 404 || status === 200).length > 1) succeeded++;
  for (const host of AMBIGUOUS_HOSTS)
    for (const request of [
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      UPGRADE.replace("Host: a", `Host: ${host}`),
    ])
      if ((await exchange(port, request)).join() !== "400") succeeded++;
  const upgrades = await earlyUpgrades(testbed, port);
  succeeded += upgrades.succeeded;
  // `exchange` accepts silence. This request does not: a relay that no longer answers fails the attack.
  const { status: good } = await fetch(`${testbed.harness.url}/healthz`);
  if (good !== 200) succeeded++;
  const tried = tries.length + smuggled.length + 2 * AMBIGUOUS_HOSTS.length + upgrades.tried;
  return { tried, succeeded, control: `a plain request answers ${good}` };
}

/**
 * Requests for the metrics without a token, as any web page can cause in an operator's browser.
 * @returns whether the operator's address is locked afterwards
 */
async function locksOperator({ harness, address }: Testbed): Promise<boolean> {
  const { admin } = JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { admin: string };
  const from = { "X-Forwarded-For": address() };
  for (let n = 0; n < 20; n++) await (await fetch(`${harness.url}/metrics`, { headers: from })).arrayBuffer();
  const answer = await fetch(`${harness.url}/metrics`, { headers: { ...from, Authorization: `Bearer ${admin}` } });
  await answer.arrayBuffer();
  return answer.status !== 200;
}

/**
 * A35: requests without a valid token for data of the operator and the owner's backend. Succeeds with an answer other than a
 * refusal.
 */
export async function exposedPages(testbed: Testbed): Promise<Result> {
  const { harness } = testbed;
  const { paths } = (await (await fetch(`${harness.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method })),
  );
  const guesses = [
    "/metrics",
    "/admin",
    "/admin/conversations",
    "/admin/settings",
    "/admin/audit",
    "/debug",
    "/status",
    "/stats",
    "/config",
    "/.env",
    "/sites.json",
    "/secrets.json",
    "/porchlight.db",
    "/..%2fsecrets.json",
    "/widget/../secrets.json",
    "/server-status",
    "/api/v1",
    "/__sandbox/state",
  ];
  const keys = [
    {},
    { Authorization: "Bearer " },
    { Authorization: "Bearer plt_guess" },
    { Authorization: "Basic YWRtaW46YWRtaW4=" },
  ];
  let tried = 0;
  let succeeded = 0;
  for (const { path, method } of operations)
    for (const headers of keys) {
      tried++;
      const init = { method: method.toUpperCase(), headers, ...(method !== "get" && { body: "{}" }) };
      const response = await fetch(harness.url + path.replaceAll(/\{\w+\}/g, "nobody"), init);
      await response.arrayBuffer();
      if (response.status !== 401) succeeded++;
    }
  for (const path of guesses) {
    tried++;
    const response = await fetch(harness.url + path, { redirect: "manual" });
    await response.arrayBuffer();
    const toLogin = response.headers.get("location")?.startsWith("/admin/login") === true;
    if (response.status < 400 && !toLogin) succeeded++;
  }
  const health = await (await fetch(`${harness.url}/healthz`)).text();
  if (health !== '{"status":"ok"}') succeeded++;
  tried += 20;
  if (await locksOperator(testbed)) succeeded++;
  const { status } = await testbed.api("GET", "/visitors");
  return { tried, succeeded, control: `with a token the API answers ${status}` };
}
