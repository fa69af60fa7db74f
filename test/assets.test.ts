import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";

let harness: Harness;
let panel: string;
beforeAll(async () => {
  harness = await startHarness({ sites: { shop: { title: "Shop $& </script>" } } });
  panel = /"panel":"([^"]+)"/.exec((await ask("/widget.js")).body.toString())?.[1] ?? "";
});
afterAll(() => harness.stop());

it("serves the tag's script under an address with its hash, for pages that use integrity", async () => {
  const { path, integrity } = await (await fetch(`${harness.url}/v/default.json`)).json();
  const response = await fetch(harness.url + path, { headers: { "Accept-Language": "de" } });
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(`sha384-${createHash("sha384").update(bytes).digest("base64")}`).toBe(integrity);
  expect(readFileSync(join(harness.dataDir, "assets", "versions", `${path.split("/")[2]}.js`))).toEqual(bytes);
  expect((await fetch(`${harness.url}/v/none.json`)).status).toBe(404);
  expect((await fetch(`${harness.url}/v/${"A".repeat(22)}/widget.js`)).status).toBe(404);
});

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

/** Returns the answer as it was sent: nothing decompresses it. */
const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(harness.url + path, { method, headers, agent: false }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) });
    });
    outgoing.on("error", reject).end();
  });

const ENCODINGS = [
  ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ["gzip", "gzip", gunzipSync],
  ["identity", undefined, (bytes: Buffer) => bytes],
] as const;
const SCRIPTS: [what: string, path: () => string, caching: string][] = [
  ["the tag's script", () => "/widget.js", "public, max-age=300, stale-while-revalidate=86400"],
  ["a site's own script", () => "/w/shop.js", "public, max-age=300, stale-while-revalidate=86400"],
  ["the panel", () => panel, "public, max-age=31536000, immutable"],
];

describe.each(SCRIPTS)("%s", (_, path, caching) => {
  it.each(ENCODINGS)("is sent in the encoding that the browser prefers: %s", async (accept, encoding, unpack) => {
    const plain = await ask(path());
    const answer = await ask(path(), { "Accept-Encoding": accept });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.headers["content-length"]).toBe(String(answer.body.length));
    expect(answer.headers.vary).toContain("Accept-Encoding");
    expect(answer.headers["cache-control"]).toBe(caching);
    expect(unpack(answer.body).equals(plain.body)).toBe(true);
    if (encoding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length * 0.55);
  });

  it.each(ENCODINGS)("is not sent again to a browser that has this encoding: %s", async (accept) => {
    const first = await ask(path(), { "Accept-Encoding": accept });
    const etag = String(first.headers.etag);
    const again = await ask(path(), { "Accept-Encoding": accept, "If-None-Match": `"other", W/${etag}` });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect(again.headers).toMatchObject({ etag, "cache-control": caching });
    expect(again.headers.vary).toContain("Accept-Encoding");
  });

  it("has an ETag for each encoding, so that caches do not confuse them", async () => {
    const answers = await Promise.all(ENCODINGS.map(([accept]) => ask(path(), { "Accept-Encoding": accept })));
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it("answers HEAD like GET, without the script", async () => {
    const headers = { "Accept-Encoding": "br" };
    const [whole, head] = await Promise.all([ask(path(), headers), ask(path(), headers, "HEAD")]);
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ["content-length", "content-encoding", "etag", "vary", "cache-control", "content-type"])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
  });
});

/** Bound of the tag's script as it is served, in bytes. Every page downloads it. */
const SCRIPT_MAX = 4_096;

it("the tag's script with the default site's settings leaves 2 % of 4 kB free in every language, and 5 % in English", async () => {
  const manifest = join(import.meta.dirname, "../widget/dist/manifest.json");
  const { words } = JSON.parse(readFileSync(manifest, "utf8")) as { words: object };
  const languages = Object.keys(words);
  expect(languages.length).toBeGreaterThan(50);
  const sizes = await Promise.all(
    languages.map(async (language) => {
      const { headers } = await ask("/widget.js", { "Accept-Encoding": "gzip", "Accept-Language": language });
      return [language, Number(headers["content-length"])] as const;
    }),
  );
  const share = (language: string): number => (language === "en" ? 0.95 : 0.98);
  expect(sizes.filter(([language, bytes]) => !(bytes > 0 && bytes <= share(language) * SCRIPT_MAX))).toEqual([]);
});

it("serves the frame's code and its words outside /assets/, for proxies that refuse that path", async () => {
  const script = (await ask("/widget.js")).body.toString();
  const [path = ""] = /\/frame\/extras-[\w-]+\.js/.exec(script) ?? [];
  const code = await ask(path);
  expect([code.status, code.headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
  expect(code.body.equals((await ask(path.replace("frame", "assets"))).body)).toBe(true);
  const words = await ask("/frame/words/de-AT.js", { "Accept-Language": "fr" });
  expect(words.body.toString()).toMatch(/^export const spoken=\{"word":"Chat","close":"Chat schließen",/);
  expect(words.headers).toMatchObject({ "access-control-allow-origin": "*", vary: "Accept-Encoding, Accept-Language" });
  expect((await ask("/frame/unknown-12345678.js")).status).toBe(404);
});

it("puts only those settings into the tag's script that differ from the panel's defaults", async () => {
  const { body } = await ask("/widget.js");
  expect(body.toString()).toContain('"site":{"id":"default","accent":"#4f46e5","uploads":{}}');
});

it("does not serve the compressed files under their own names, nor unknown files", async () => {
  const answers = await Promise.all([`${panel}.br`, "/assets/manifest.json", "/w/unknown.js"].map((path) => ask(path)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});

it("starts, and logs an error, when the files of former builds cannot be stored", async () => {
  await harness.halt();
  await rm(join(harness.dataDir, "assets"), { recursive: true });
  await writeFile(join(harness.dataDir, "assets"), "in the way");
  await harness.start();
  expect((await ask(panel)).status).toBe(200);
  expect(harness.lines().filter((line) => line.includes("assets.not_kept")).length).toBe(1);
});

it("escapes a site's texts, so that they cannot end the script", async () => {
  const { body } = await ask("/w/shop.js");
  expect(body.toString()).toContain('"title":"Shop $& \\u003c/script>"');
});
