import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type Context, Hono } from "hono";
import type { Log } from "../base/log.ts";
import { keepBuild } from "../files/builds.ts";
import { openVersions } from "../files/versions.ts";
import type { Sites } from "../records/sites.ts";
import { encodingOf, matchesEtag } from "./negotiate.ts";
import {
  compressQuickly,
  createTagScripts,
  type EncodedFile,
  encodedFile,
  inScript,
  PLACEHOLDER,
} from "./tag-scripts.ts";
import { type AllWords, frameWords } from "./words.ts";

/** Headers of every asset: any page may load it, including an isolated one (COEP), and browsers do not guess its type. */
const OPEN_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Timing-Allow-Origin": "*",
  "X-Content-Type-Options": "nosniff",
  Vary: "Accept-Encoding",
} as const;

const SCRIPT_HEADERS = { ...OPEN_HEADERS, "Content-Type": "text/javascript; charset=utf-8" } as const;
/** The tag's script names the newest panel, so it is cached for five minutes. Its words depend on the visitor's language. */
const LOADER_HEADERS = {
  ...SCRIPT_HEADERS,
  "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
  Vary: "Accept-Encoding, Accept-Language",
} as const;
/** Headers of a script whose address contains its hash. */
const HASHED_HEADERS = { ...SCRIPT_HEADERS, "Cache-Control": "public, max-age=31536000, immutable" } as const;
/** Headers of answers that name the newest panel or script. */
const NEWEST_HEADERS = { ...OPEN_HEADERS, "Cache-Control": "no-cache" } as const;

/** Files of former builds are larger and rarely requested, so they get a level that takes 2 ms instead of 100 ms. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
function compressFormer(path: string): EncodedFile {
  const bytes = readFileSync(path);
  return encodedFile(bytes, gzipSync(bytes), brotliCompressSync(bytes, FAST));
}

type Built = { loader: string; panel: string; words: AllWords; chunks: Map<string, EncodedFile> };
type Manifest = Pick<Built, "panel" | "words">;

/** Reads the built widget. @throws Error when the widget was not built */
function readBuild(folder: string): Built {
  const manifest = join(folder, "manifest.json");
  if (!existsSync(manifest)) throw new Error("The widget is not built: run `npm run build` first");
  const { panel, words } = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
  const loader = readFileSync(join(folder, "loader.js"), "utf8");
  if (loader.split(PLACEHOLDER).length !== 2) throw new Error("The built loader has no single place for its settings");
  const read = (name: string): Buffer => readFileSync(join(folder, "assets", name));
  const chunks = new Map(
    readdirSync(join(folder, "assets"))
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, encodedFile(read(name), read(`${name}.gz`), read(`${name}.br`))]),
  );
  return { loader, panel: `/${panel}`, words, chunks };
}

/**
 * Answers in the encoding that the client prefers, or 304 if it has that one. Each encoding has its own ETag (RFC 9110, 8.8.3).
 */
function serve(c: Context, { hash, encodings }: EncodedFile, common: Readonly<Record<string, string>>): Response {
  const encoding = encodingOf(c.req.header("accept-encoding"));
  const plain = encoding === "identity";
  const etag = plain ? `"${hash}"` : `"${hash}-${encoding}"`;
  const headers: Record<string, string> = { ...common, ETag: etag };
  if (matchesEtag(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  if (!plain) headers["Content-Encoding"] = encoding;
  headers["Content-Length"] = String(encodings[encoding].length);
  return new Response(encodings[encoding], { headers });
}

export type AssetsOptions = {
  sites: Sites;
  /** The relay's public origin, or empty: the script then takes it from its own address. */
  relay: string;
  /** Folder of the widget's build. */
  folder: string;
  /** Folder for files of former builds. */
  kept: string;
  /** Milliseconds since 1970. */
  now: number;
  log: Log;
};

/** The state of this route: everything is in memory except the files of former builds. */
type Assets = AssetsOptions & {
  built: Built;
  /** Names of files of former builds that are not in memory yet. */
  former: Set<string>;
  scripts: ReturnType<typeof createTagScripts>;
  /** Scripts that pages request by hash. */
  fixed: Map<string, EncodedFile>;
  versions: ReturnType<typeof openVersions>;
};

/** Names of the files of former builds. A full disk does not prevent the start, because few pages need these files. */
function formerOf({ folder, kept, now, log }: AssetsOptions): Set<string> {
  try {
    return keepBuild({ build: join(folder, "assets"), folder: kept, now });
  } catch (error) {
    log("assets.not_kept", { cause: String(error) });
    return new Set();
  }
}

/**
 * Serves the tag's script with a site's settings in it, and the chunks that it fetches. Each file is read and compressed once,
 * so a request costs one look-up. No part of a request becomes a path. Files of former builds are read when a page that was
 * opened before an upgrade requests them.
 */
export function assets(options: AssetsOptions): Hono {
  const built = readBuild(options.folder);
  const state: Assets = {
    ...options,
    built,
    former: formerOf(options),
    scripts: createTagScripts({ ...options, built }),
    fixed: new Map(),
    versions: openVersions(join(options.kept, "versions")),
  };
  const { panel } = state.built;
  return new Hono()
    .get("/v/:hash/widget.js", async (c) => {
      const script = await scriptWithHash(state, c.req.param("hash"));
      return script === undefined ? c.notFound() : serve(c, script, HASHED_HEADERS);
    })
    .get("/v/:file{.+\\.json}", (c) => describeScript(state, c, c.req.param("file").replace(/\.json$/, "")))
    .get("/widget.js", (c) => serveScript(state, c, c.req.query("site")))
    .get("/w/:file{.+\\.js}", (c) => serveScript(state, c, c.req.param("file").replace(/\.js$/, "")))
    .get("/frame/words/:file{.+\\.js}", (c) => serveWords(state, c, c.req.param("file").replace(/\.js$/, "")))
    .get("/frame/:name", (c) => serveChunk(state, c))
    .get("/assets/panel.js", () => new Response(null, { status: 302, headers: { ...NEWEST_HEADERS, Location: panel } }))
    .get("/assets/:name", (c) => serveChunk(state, c));
}

/**
 * A chunk by its name. The panel's frame comes from `/frame/`, so that it can say what is wrong where a proxy, a cache or a
 * filter in front of the relay refuses `/assets/`.
 */
function serveChunk(state: Assets, c: Context): Response | Promise<Response> {
  const chunk = chunkNamed(state, c.req.param("name") ?? "");
  return chunk === undefined ? c.notFound() : serve(c, chunk, HASHED_HEADERS);
}

/** The words of the panel's frame in the page's language, as a module. */
function serveWords({ built }: Assets, c: Context, tag: string): Response {
  const words = frameWords(built.words, tag, c.req.header("accept-language"));
  return c.body(`export const spoken=${inScript(words)}`, 200, LOADER_HEADERS);
}

/** A chunk by its name. Reads and compresses a file of a former build at its first request. */
function chunkNamed({ built, former, kept }: Assets, name: string): EncodedFile | undefined {
  if (former.delete(name)) built.chunks.set(name, compressFormer(join(kept, name)));
  return built.chunks.get(name);
}

async function serveScript(state: Assets, c: Context, id: string | undefined): Promise<Response> {
  const { sites } = state;
  const site = sites.find(id ?? "default") ?? (id === undefined ? sites.all[0] : undefined);
  if (site !== undefined)
    return serve(c, await state.scripts.find(site, c.req.header("accept-language")), LOADER_HEADERS);
  return new Response("// Porchlight: no site with this key is served here.\n", {
    status: 404,
    headers: SCRIPT_HEADERS,
  });
}

/** The script with this hash: a site's present script, or one that was served before. */
async function scriptWithHash(state: Assets, hash: string): Promise<EncodedFile | undefined> {
  const { scripts, fixed, versions } = state;
  const site = scripts.siteWithHash(hash);
  const known = fixed.get(hash) ?? (site && (await scripts.find(site)));
  if (known !== undefined) keepVersion(state, known);
  const bytes = known === undefined ? versions.find(hash) : undefined;
  const script = known ?? (bytes && compressQuickly(bytes));
  if (script !== undefined) fixed.set(hash, script);
  return script;
}

/** Keeps a script for requests after an upgrade. A full disk is logged and does not prevent the present answer. */
function keepVersion({ versions, log }: Assets, { hash, encodings }: EncodedFile): void {
  try {
    versions.keep(hash, encodings.identity);
  } catch (error) {
    log("assets.not_kept", { cause: String(error) });
  }
}

/** Answers with the path and the integrity of a site's present script. */
async function describeScript(state: Assets, c: Context, id: string): Promise<Response> {
  const site = state.sites.find(id);
  if (site === undefined) return c.json({ error: "No site with this key is served here." }, 404, NEWEST_HEADERS);
  const { hash, encodings } = await state.scripts.find(site);
  const integrity = `sha384-${createHash("sha384").update(encodings.identity).digest("base64")}`;
  return c.json({ path: `/v/${hash}/widget.js`, integrity, crossorigin: "anonymous" }, 200, NEWEST_HEADERS);
}
