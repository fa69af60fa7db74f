import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import zlib from "node:zlib";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Site } from "../base/config.ts";
import { silentLog } from "../base/log.ts";
import type { Sites } from "../records/sites.ts";
import { assets } from "./assets.ts";

const LANGUAGES = [
  "en",
  "ar",
  "bg",
  "cs",
  "da",
  "de",
  "el",
  "es",
  "et",
  "fi",
  "fr",
  "he",
  "hi",
  "hr",
  "hu",
  "id",
  "is",
];
/** With these languages, the sites have 1,020 scripts. The relay keeps all of them in memory (`SCRIPTS_MAX`). */
const SITES = 60;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assets-"));
  mkdirSync(join(folder, "assets"));
  const words = Object.fromEntries(LANGUAGES.map((tag) => [tag, { word: tag, file: `/assets/${tag}.js` }]));
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ panel: "assets/panel-1.js", words }));
  writeFileSync(join(folder, "loader.js"), 'start("__PORCHLIGHT__");');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

/** Compresses at the lowest level, so that the test is fast. */
const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 0 } };

/** The routes for many sites, and the requested levels of all compressions by brotli, with where they ran. */
function setup() {
  const levels: string[] = [];
  const record = (where: string, options: unknown): void => {
    const { params = {} } = (options ?? {}) as zlib.BrotliOptions;
    levels.push(`${where} ${params[zlib.constants.BROTLI_PARAM_QUALITY] ?? 11}`);
  };
  const { brotliCompressSync, brotliCompress } = zlib;
  vi.spyOn(zlib, "brotliCompressSync").mockImplementation((text, options) => {
    record("event loop", options);
    return brotliCompressSync(text, FAST);
  });
  vi.spyOn(zlib, "brotliCompress").mockImplementation(((text: Buffer, options: zlib.BrotliOptions, done: never) => {
    record("thread", options);
    return brotliCompress(text, FAST, done);
  }) as never);
  syncBuiltinESMExports();
  let replaced = (): void => {};
  const siteOf = (id: string, title: string) => ({ public: { ...DEFAULT_SITE, id, title } }) as Site;
  const all = Array.from({ length: SITES }, (_, i) => siteOf(`site${i}`, "Shop"));
  const sites = {
    all,
    find: (id: string) => all.find((site) => site.public.id === id),
    onReplaced: (done: () => void) => {
      replaced = done;
    },
  } as unknown as Sites;
  const app = assets({ sites, relay: "", folder, kept: join(folder, "kept"), now: 0, log: silentLog });
  const ask = (path: string, language = "en") => app.request(path, { headers: { "Accept-Language": language } });
  const rename = (title: string): void => {
    all.forEach((site, i) => {
      all[i] = siteOf(site.public.id, title);
    });
    replaced();
  };
  return { ask, levels, rename };
}

it("compresses the script of each site and language once, however many there are (A24)", async () => {
  const { ask, levels } = setup();
  const paths = Array.from({ length: SITES }, (_, i) =>
    LANGUAGES.map((tag) => [`/w/site${i}.js`, tag] as const),
  ).flat();
  for (const [path, language] of paths) expect((await ask(path, language)).status).toBe(200);
  const first = levels.length;
  for (const [path, language] of paths) await ask(path, language);
  expect([first, levels.length]).toEqual([paths.length, paths.length]);
});

it("compresses one script at a time at the highest level, in a thread, and others quickly meanwhile (A24)", async () => {
  const { ask, levels } = setup();
  const answers = await Promise.all(LANGUAGES.map((language) => ask("/w/site0.js", language)));
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(LANGUAGES.length);
  expect(levels.filter((level) => level === "event loop 11")).toEqual([]);
  expect(levels.filter((level) => level === "thread 11")).toHaveLength(1);
  // The next request for a script that was compressed quickly gets the smallest form.
  await ask("/w/site0.js", "is");
  await ask("/w/site0.js", "is");
  expect(levels.filter((level) => level === "thread 11")).toHaveLength(2);
});

it("compresses nothing for an unknown hash (A24)", async () => {
  const { ask, levels } = setup();
  expect((await ask(`/v/${"A".repeat(22)}/widget.js`)).status).toBe(404);
  expect(levels).toEqual([]);
});

it("serves new settings after a change, also when the former script was being compressed", async () => {
  const { ask, rename } = setup();
  const former = ask("/w/site0.js");
  rename("Bakery");
  await former;
  expect(await (await ask("/w/site0.js")).text()).toContain('"title":"Bakery"');
  const { path } = (await (await ask("/v/site0.json")).json()) as { path: string };
  expect(await (await ask(path)).text()).toContain('"title":"Bakery"');
});
