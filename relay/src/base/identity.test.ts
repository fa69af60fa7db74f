import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { createIdentity } from "./identity.ts";

const SECRET = "a secret of thirty-two bytes or more";
const NOW = Date.UTC(2026, 10, 21);
const SECONDS = NOW / 1_000;
const key = (secret: string) => new TextEncoder().encode(secret);

const reasons: string[] = [];
const options = { site: "shop", now: () => NOW, refused: (reason: string) => void reasons.push(reason) };
const check = createIdentity({ ...options, keys: { secret: SECRET } });

const sign = (claims: JWTPayload, { alg = "HS256", secret = SECRET } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(key(secret));
const good = { sub: "customer-7", exp: SECONDS + 600 };

/** A token assembled without a library, because libraries refuse to sign it. */
const raw = (header: object, payload: unknown, signature = ""): string =>
  [...[header, payload].map((part) => base64url.encode(JSON.stringify(part))), signature].join(".");

describe("a signed identity", () => {
  it("provides the visitor's cleaned claims", async () => {
    const claims = {
      ...good,
      name: " Ada  King Lovelace ",
      email: "Ada@EXAMPLE.com",
      phone: "+44 20 7946 0000",
      plan: "pro",
    };
    expect(await check(await sign(claims))).toMatchObject({
      subject: "customer-7",
      firstName: "Ada King",
      lastName: "Lovelace",
      email: "Ada@example.com",
      phone: "+44 20 7946 0000",
      claims: { plan: "pro" },
    });
    expect(await check(await sign({ ...good, name: "Plato" }))).toMatchObject({ firstName: "Plato" });
  });

  it("cuts long names at 100 characters, never inside an emoji", async () => {
    const [whole, long] = ["x".repeat(99), `${"x".repeat(99)}👋🏽 `];
    expect(await check(await sign({ ...good, name: long }))).toMatchObject({ firstName: whole });
    expect(await check(await sign({ ...good, name: `${long}King` }))).toMatchObject({
      firstName: whole,
      lastName: "King",
    });
    expect(await check(await sign({ ...good, name: `Ada ${long}` }))).toMatchObject({
      firstName: "Ada",
      lastName: whole,
    });
  });

  it("omits empty and invalid claims", async () => {
    const empty = { name: "Unknown", email: "unknown@unknown.com", phone: "" };
    const odd = { name: { toString: "x" }, email: ["a@b.example"], phone: 5 };
    for (const claims of [empty, odd, { email: "no-address" }]) {
      const person = await check(await sign({ ...good, ...claims } as JWTPayload));
      expect(Object.keys(person ?? {})).toEqual(["subject", "claims"]);
    }
  });

  it("may name its own site, but no other", async () => {
    expect(await check(await sign({ ...good, aud: "shop" }))).toBeDefined();
    expect(await check(await sign({ ...good, aud: ["blog", "shop"] }))).toBeDefined();
    expect(await check(await sign({ ...good, aud: "blog" }))).toBeUndefined();
    expect(await check(await sign({ ...good, aud: "" }))).toBeUndefined();
  });

  it("expires within an hour, with tolerance for clock differences", async () => {
    expect(await check(await sign({ ...good, exp: SECONDS + 3_600 }))).toBeDefined();
    expect(await check(await sign({ ...good, exp: SECONDS + 3_630 }))).toBeDefined();
    expect(await check(await sign({ ...good, exp: SECONDS + 3_700 }))).toBeUndefined();
    expect(await check(await sign({ ...good, iat: SECONDS + 30 }))).toBeDefined();
  });

  it("may omit exp when it has iat, and is then valid for an hour", async () => {
    expect(await check(await sign({ sub: "customer-7", iat: SECONDS }))).toMatchObject({ subject: "customer-7" });
    expect(await check(await sign({ sub: "customer-7", iat: SECONDS - 3_599 }))).toBeDefined();
    expect(await check(await sign({ sub: "customer-7", iat: SECONDS - 3_600 }))).toBeUndefined();
  });
});

describe("a forged identity", () => {
  const header = { alg: "HS256", typ: "JWT" };
  const forgeries: Record<string, () => Promise<string> | string> = {
    "is signed with another secret": () => sign(good, { secret: "another secret of thirty-two bytes!" }),
    "uses another algorithm of the same secret": () => sign(good, { alg: "HS512", secret: SECRET.repeat(2) }),
    "is not signed": () => raw({ alg: "none" }, good),
    "is not signed, with other letter case": () => raw({ alg: "NoNe" }, good),
    "has no algorithm": () => raw({}, good, "AAAA"),
    "requires a critical extension": () => raw({ ...header, crit: ["x"], x: 1 }, good, "AAAA"),
    "contains its own key": () => raw({ alg: "HS256", jwk: { kty: "oct", k: "AAAA" } }, good, "AAAA"),
    "names the address of its key": () => raw({ alg: "RS256", jku: "https://evil.example/jwks" }, good, "AAAA"),
    "has expired": () => sign({ ...good, exp: SECONDS - 1 }),
    "expires now": () => sign({ ...good, exp: SECONDS }),
    "never expires": () => sign({ sub: "customer-7" }),
    "never expires and was made long ago": () => sign({ sub: "customer-7", iat: SECONDS - 86_400 }),
    "never expires and has a text as its date": () => sign({ sub: "customer-7", iat: "now" as unknown as number }),
    "never expires and was made in the future": () => sign({ sub: "customer-7", iat: SECONDS + 600 }),
    "has a text as its expiry": () => sign({ ...good, exp: "tomorrow" as unknown as number }),
    "has a number in quotes as its expiry": () => sign({ ...good, exp: String(SECONDS + 60) as unknown as number }),
    "has null as its expiry": () => raw(header, { sub: "customer-7", exp: null }, "AAAA"),
    "is not yet valid": () => sign({ ...good, nbf: SECONDS + 60 }),
    "was made in the future": () => sign({ ...good, iat: SECONDS + 600 }),
    "has an invalid date": () => sign({ ...good, iat: "now" as unknown as number }),
    "names nobody": () => sign({ exp: good.exp }),
    "has an empty subject": () => sign({ ...good, sub: "" }),
    "has a number as its subject": () => sign({ ...good, sub: 7 as unknown as string }),
    "has a list as its subject": () => sign({ ...good, sub: ["customer-7"] as unknown as string }),
    "has a subject that is too long": () => sign({ ...good, sub: "x".repeat(300) }),
    "has a lone surrogate in its subject": () => sign({ ...good, sub: "customer-\ud800" }),
    "is empty": () => "",
    "is not a token": () => "hello",
    "has too many parts": async () => `${await sign(good)}.x`,
    "has lost its signature": async () => (await sign(good)).replace(/[^.]*$/, ""),
    "has another payload under its signature": async () => {
      const [head, , signature] = (await sign(good)).split(".");
      return `${head}.${base64url.encode(JSON.stringify({ ...good, sub: "customer-8" }))}.${signature}`;
    },
    "has a payload that is not an object": async () => {
      const [head, , signature] = (await sign(good)).split(".");
      return `${head}.${base64url.encode("[]")}.${signature}`;
    },
  };

  it.each(Object.entries(forgeries))("%s: refused", async (_name, make) => {
    reasons.length = 0;
    expect(await check(await make())).toBeUndefined();
    expect(reasons).toHaveLength(1);
    expect(reasons.join()).not.toContain("customer-7");
  });
});

describe("an identity signed with a published key", () => {
  let signer: (claims: JWTPayload, kid?: string) => Promise<string>;
  let file: string;
  let publicKey: string;

  beforeAll(async () => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: "one", alg: "ES256" };
    publicKey = JSON.stringify(jwk);
    file = join(mkdtempSync(join(tmpdir(), "porchlight-")), "jwks.json");
    writeFileSync(file, JSON.stringify({ keys: [jwk] }));
    signer = (claims, kid = "one") =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid }).sign(pair.privateKey);
  });

  it("is accepted when its key is published", async () => {
    const byKeys = createIdentity({ ...options, keys: { jwks: file } });
    expect(await byKeys(await signer(good))).toMatchObject({ subject: "customer-7" });
    expect(await byKeys(await signer(good, "two"))).toBeUndefined();
    expect(await byKeys(await signer({ ...good, aud: "blog" }))).toBeUndefined();
  });

  it("is accepted with a key published later; the file is not fetched for every unknown key", async () => {
    const known = readFileSync(file, "utf8");
    let now = options.now();
    const byKeys = createIdentity({ ...options, now: () => now, keys: { jwks: file } });
    writeFileSync(file, known.replace('"one"', '"two"'));
    expect(await byKeys(await signer(good, "two"))).toMatchObject({ subject: "customer-7" });
    writeFileSync(file, known.replace('"one"', '"three"'));
    expect(await byKeys(await signer(good, "three"))).toBeUndefined();
    now += 10_000;
    expect(await byKeys(await signer(good, "three"))).toMatchObject({ subject: "customer-7" });
    writeFileSync(file, "{");
    now += 10_000;
    expect(await byKeys(await signer(good, "four"))).toBe("unavailable");
    expect(await byKeys(await signer(good, "three"))).toMatchObject({ subject: "customer-7" });
    writeFileSync(file, known);
  });

  it("is refused when a published key was used as an HMAC secret", async () => {
    const byKeys = createIdentity({ ...options, keys: { jwks: file } });
    expect(await byKeys(await sign(good, { secret: publicKey }))).toBeUndefined();
  });

  it("is retried later, not refused, while the keys cannot be fetched", async () => {
    const nowhere = createIdentity({ ...options, keys: { jwks: "https://127.0.0.1:1/jwks.json" } });
    expect(await nowhere(await signer(good))).toBe("unavailable");
  });
});
