import { createHmac, randomBytes } from "node:crypto";
import { newVisitorId } from "../../relay/src/base/sign.ts";
import { IDENTITY_SECRET, identityOf } from "../identities.ts";
import type { Result } from "./attack.ts";
import { greet, openRawClient, settled } from "./raw-client.ts";
import { replyOf, type Testbed } from "./testbed.ts";

const ID_FIELDS = [
  "fromId",
  "toId",
  "visitor",
  "visitorId",
  "userId",
  "contactId",
  "thread",
  "owner",
  "sub",
  "__proto__",
];

/** Frames that contain another visitor's id: in an extra field, nested, and in the existing fields. */
function framesNaming(id: string, n: number): object {
  const field = ID_FIELDS[n % ID_FIELDS.length] as string;
  const spelt = [id, id.toUpperCase(), [id], { id }, { $eq: id }, ` ${id}`][n % 6];
  const known: object[] = [
    { t: "older", before: n + 1 },
    { t: "send", id: `foreign-${n}`, text: "x", [field]: spelt },
    { t: "read", n, [field]: spelt },
    { t: "retry", id: id.slice(0, 64) },
    { t: "react", id, emoji: "👍" },
    { t: "transcript", id: `foreign-${n}`, [field]: spelt },
    { t: "older", before: 99, [field]: spelt },
    { t: "typing", [field]: spelt },
  ];
  return known[n % known.length] as object;
}

/** A1: frames that contain another visitor's id. Succeeds with a frame with that visitor's text, or a changed row. */
export async function foreignIds(testbed: Testbed): Promise<Result> {
  const { visitor, id } = await testbed.knownVisitor("words of the victim A1");
  const words = async (): Promise<string> => {
    const { items } = (await testbed.api("GET", `/visitors/${id}/messages`)).body as { items: { text: string }[] };
    return JSON.stringify(items.map(({ text }) => text));
  };
  const before = await words();
  const tried = testbed.count(10_000);
  let succeeded = 0;
  const client = await testbed.connect();
  await greet(client);
  for (let n = 0; n < tried; n++) {
    client.send(JSON.stringify(framesNaming(id, n)));
    if (n % 100 === 99) await settled(client);
  }
  await settled(client);
  succeeded += client.frames.filter((frame) => frame.includes("words of the victim")).length;
  client.end();
  if ((await words()) !== before) succeeded++;
  await visitor.drop();
  const own = await testbed.connect();
  await greet(own, { token: visitor.token() });
  await own.until((frame) => frame.includes("words of the victim A1"));
  own.end();
  return { tried, succeeded, control: "with the victim's own token the relay sends the text" };
}

/** A2: visitor ids guessed near a real one and at random. Succeeds with an answer other than that for an unknown id. */
export async function guessedIds(testbed: Testbed): Promise<Result> {
  const { id } = await testbed.knownVisitor("words of A2");
  const tried = testbed.count(2_000);
  let succeeded = 0;
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const strange = newVisitorId("a key of another relay", Date.now());
  for (let n = 0; n < tried; n++) {
    const at = 2 + (n % (id.length - 2));
    const near = id.slice(0, at) + alphabet[(alphabet.indexOf(id[at] ?? "") + 1 + n) % 31] + id.slice(at + 1);
    const guess =
      n % 3 === 0
        ? strange
        : n % 3 === 1 && near !== id
          ? near
          : newVisitorId(randomBytes(8).toString("hex"), Date.now());
    const status = await testbed.callback(replyOf(guess, "guessed"));
    if (status !== 404) succeeded++;
  }
  const right = await testbed.callback(replyOf(id, "not guessed"));
  if (right !== 200) succeeded++;
  return { tried, succeeded, control: `the real id answers ${right}` };
}

/** A6: real ids with one changed character, at every place. Succeeds when the relay accepts the reply. */
export async function changedIds(testbed: Testbed): Promise<Result> {
  const { id } = await testbed.knownVisitor("words of A6");
  const changed = [...id].flatMap((character, at) =>
    [..."0z_A"].filter((other) => other !== character).map((other) => id.slice(0, at) + other + id.slice(at + 1)),
  );
  const all = [...changed, id.slice(1), id.slice(0, -1), `${id}0`, `0${id}`, id.toUpperCase(), `${id}\0`, ` ${id}x`];
  let succeeded = 0;
  const tries = testbed.sample(all);
  for (const each of tries) if ((await testbed.callback(replyOf(each, "wrong id"))) === 200) succeeded++;
  const right = await testbed.callback(replyOf(id, "right id"));
  return { tried: tries.length, succeeded, control: `the unchanged id answers ${right}` };
}

/** Origins that resemble the allowed one. */
function origins(own: string): (string | undefined)[] {
  const { hostname, port, protocol } = new URL(own);
  const other = Number(port) === 65_535 ? 65_534 : Number(port) + 1;
  return [
    ...[undefined, "", "null", "NULL", "*", "file://", "about:blank", "chrome-extension://abcdef", "data:"],
    ...[
      `https://${hostname}:${port}`,
      `http://${hostname}`,
      `http://${hostname}:${other}`,
      `http://${hostname}:0${port}`,
    ],
    ...[`${own}/`, `${own}.`, `${own}/x`, `${own}?x`, `${own}#x`, `${own},https://evil.example`, `${own}\\@evil`],
    ...[
      `${protocol}//${hostname}.:${port}`,
      `${protocol}//${hostname}.evil.example:${port}`,
      `${protocol}//x.${hostname}:${port}`,
    ],
    ...[
      `${protocol}//evil${hostname}:${port}`,
      `${protocol}//${hostname}evil:${port}`,
      `${protocol}//u@${hostname}:${port}`,
    ],
    ...[
      `${protocol}//u:p@${hostname}:${port}`,
      `${protocol}//evil.example#${hostname}:${port}`,
      `http://127.0.0.1:${port}`,
    ],
    ...[
      `http://[::1]:${port}`,
      `//${hostname}:${port}`,
      `${hostname}:${port}`,
      "https://evil.example",
      "http://evil.example",
    ],
    ...[own.toUpperCase(), own.replace("localhost", "LOCALHOST"), own.replace("localhost", "local%68ost")],
    ...[
      `ws://${hostname}:${port}`,
      `javascript:${own}`,
      "https://xn--lcalhost-0fg.example",
      `${own}@evil.example`,
      "undefined",
    ],
  ];
}

/** A7: origins that are not allowed, at the socket, its fallback and the uploads; and a request target with a host. */
export async function foreignOrigins(testbed: Testbed): Promise<Result> {
  const { url, host } = testbed.harness;
  let tried = 0;
  let succeeded = 0;
  const knock = async (origin: string | undefined, path = "/socket"): Promise<void> => {
    tried++;
    const client = await openRawClient(url, {
      ...(origin !== undefined && { origin }),
      address: testbed.address(),
      path,
    });
    if (client === undefined) return;
    if ((await Promise.race([greet(client), client.closed.then(() => undefined)])) !== undefined) succeeded++;
    client.end();
  };
  for (const origin of origins(host)) {
    await knock(origin);
    const headers = { ...(origin !== undefined && { Origin: origin }), "X-Forwarded-For": testbed.address() };
    for (const path of ["/socket/lines", "/media"]) {
      tried++;
      const answer = await fetch(url + path, { method: "POST", headers }).catch(() => undefined);
      if (answer !== undefined && answer.status < 300) succeeded++;
      await answer?.arrayBuffer();
    }
  }
  await knock("https://evil.example", "//evil.example/socket");
  const client = await testbed.connect();
  const welcome = await greet(client);
  client.end();
  return {
    tried,
    succeeded,
    control: welcome === undefined ? "the relay refused the allowed origin" : "the relay accepts the allowed origin",
  };
}

const encoded = (part: unknown): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");

function signed(header: unknown, payload: unknown, secret: string | Buffer = IDENTITY_SECRET, hash = "sha256"): string {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;
}

/** Values of `alg` that the relay must refuse. */
const ALGORITHMS = [
  ...["none", "None", "NONE", "nOnE", "", null, 256],
  ...["HS384", "HS512", "RS256", "ES256", "PS256", "EdDSA", "hs256"],
];

/** Identity tokens, each with one error. */
function forgedIdentities(): string[] {
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const claims = { sub: "victim", exp };
  return [...wrongSignatures(claims), ...wrongHeaders(claims), ...wrongClaims(claims), ...malformed(claims)];
}

type Claims = { sub: string; exp: number };
const GOOD_HEADER = { alg: "HS256", typ: "JWT" };

/** Tokens without a signature, with another secret's, and with one changed character in it. */
function wrongSignatures(claims: Claims): string[] {
  const [head, body, mac = ""] = identityOf({ sub: "victim" }).split(".");
  const flipped = Array.from(
    { length: 24 },
    (_, n) => `${head}.${body}.${mac.slice(0, n)}${mac[n] === "A" ? "B" : "A"}${mac.slice(n + 1)}`,
  );
  const secrets = ["", "a", IDENTITY_SECRET.slice(1), `${IDENTITY_SECRET} `, "\0"];
  return [
    ...ALGORITHMS.map((alg) => `${encoded({ alg })}.${encoded(claims)}.`),
    ...ALGORITHMS.filter((alg) => typeof alg === "string" && alg !== "").map((alg) =>
      signed({ alg }, claims, "not the secret"),
    ),
    ...flipped,
    ...secrets.map((secret) => signed(GOOD_HEADER, claims, secret)),
  ];
}

/** Tokens whose header names another algorithm or a key of the attacker. */
const wrongHeaders = (claims: Claims): string[] => [
  signed({ ...GOOD_HEADER, alg: "HS512" }, claims, IDENTITY_SECRET, "sha512"),
  signed({ typ: "JWT" }, claims),
  signed({ ...GOOD_HEADER, jwk: { kty: "oct", k: encoded("mine") } }, claims, "mine"),
  signed({ ...GOOD_HEADER, jku: "http://127.0.0.1:9/k" }, claims, "mine"),
  signed({ ...GOOD_HEADER, kid: "../../dev/null" }, claims, ""),
  signed({ ...GOOD_HEADER, crit: ["exp2"], exp2: 1 }, claims),
];

/** Correctly signed tokens with a wrong, missing or unacceptable claim. */
function wrongClaims(claims: Claims): string[] {
  const { exp } = claims;
  const now = exp - 600;
  const subjects = [{ exp }, ...["", 7, null, ["victim"], { a: 1 }].map((sub) => ({ sub, exp }))];
  const ends = [
    { sub: "victim" },
    ...["never", null, now - 3_600, now + 999_999].map((end) => ({ ...claims, exp: end })),
  ];
  const starts = [
    { ...claims, nbf: now + 3_600 },
    { ...claims, iat: now + 3_600 },
  ];
  return [...subjects, ...ends, ...starts].map((each) => signed(GOOD_HEADER, each));
}

/** Texts that are not a whole token, and a token with another's body. */
function malformed(claims: Claims): string[] {
  const token = identityOf({ sub: "victim" });
  const [head, body, mac = ""] = token.split(".");
  return [
    ...["[]", "null", '"victim"', "{"].map((payload) => signed(GOOD_HEADER, payload)),
    signed("[]", claims),
    ...[
      `${head}.${body}`,
      `${head}.${body}.`,
      `.${body}.${mac}`,
      `${head}..${mac}`,
      `${token}.x`,
      `${head}`,
      "...",
      "..",
    ],
    `${head}.${encoded({ ...claims, sub: "other" })}.${mac}`,
    token.toUpperCase(),
    `${head}.${body}.${mac.slice(0, -4)}`,
  ];
}

/** A9: forged identity tokens, on a site with an identity secret. Succeeds with a welcome. */
export async function forgedTokens(testbed: Testbed): Promise<Result> {
  const tries = forgedIdentities();
  let succeeded = 0;
  for (const identity of tries) {
    const client = await testbed.connect();
    if ((await greet(client, { identity })) !== undefined) succeeded++;
    client.end();
  }
  const client = await testbed.connect();
  const welcome = await greet(client, { identity: identityOf({ sub: "victim" }) });
  client.end();
  return {
    tried: tries.length,
    succeeded,
    control: welcome === undefined ? "the relay refused the valid token" : "the relay accepts the valid token",
  };
}

/** A8: session tokens after a logout in every tab, and changed session tokens. Succeeds with a welcome with the thread. */
export async function stolenTokens(testbed: Testbed): Promise<Result> {
  let tried = 0;
  let succeeded = 0;
  const knows = async (token: string): Promise<boolean> => {
    tried++;
    const client = await testbed.connect();
    const welcome = await greet(client, { token });
    await (welcome && settled(client));
    client.end();
    return client.frames.some((frame) => frame.includes("words of A8"));
  };
  const { visitor } = await testbed.knownVisitor("words of A8");
  const token = visitor.token() ?? "";
  const before = await knows(token);
  for (let at = 0; at < token.length; at += Math.ceil(token.length / testbed.count(100)))
    if (await knows(token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1))) succeeded++;
  const ended = visitor.ended();
  visitor.write({ t: "logout" });
  if ((await ended) !== 4401) succeeded++;
  for (let n = 0; n < 20; n++) if (await knows(token)) succeeded++;
  return {
    tried: tried - 1,
    succeeded,
    control: before ? "before the logout the token gives access to the thread" : "the token never worked",
  };
}

/** A10: each site's tokens and identities at every other site. Succeeds with the other site's texts. */
export async function otherSites(testbed: Testbed): Promise<Result> {
  let tried = 0;
  let succeeded = 0;
  let own = 0;
  const sites = ["default", "b"];
  for (const from of sites) {
    const { visitor, id } = await testbed.knownVisitor(`words of A10 at ${from}`, from);
    for (const at of sites)
      for (const spelt of [
        {},
        { since: 0 },
        { epoch: "x", since: 0 },
        { identity: identityOf({ sub: `ten-${from}-${at}` }) },
      ]) {
        const client = await testbed.connect();
        const welcome = await greet(client, { site: at, token: visitor.token(), ...spelt });
        await (welcome && settled(client));
        const seen = client.frames.some((frame) => frame.includes("words of A10"));
        if (at === from && !("identity" in spelt)) own += seen ? 1 : 0;
        if (at !== from) tried++;
        if (at !== from && seen) succeeded++;
        client.end();
      }
    if (from === "b") {
      tried++;
      if ((await testbed.api("GET", `/visitors/${id}/messages`)).status !== 404) succeeded++;
    }
  }
  return { tried, succeeded, control: `${own} of 6 tokens give access to the thread at their own site` };
}
