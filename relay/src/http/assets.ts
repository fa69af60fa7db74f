import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { servedSite } from "@porchlight/shared/site";
import { type Context, Hono } from "hono";
import type { Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { keepBuild } from "../files/builds.ts";
import { openVersions } from "../files/versions.ts";
import type { Sites } from "../records/sites.ts";
import { type Encoding, encodingOf, isHeld } from "./negotiate.ts";
import { wordsFor } from "./words.ts";

/** What every asset says: any page may load it, also one that isolates itself (COEP), and nobody guesses its type. */
const OPEN = {
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Timing-Allow-Origin": "*",
  "X-Content-Type-Options": "nosniff",
  Vary: "Accept-Encoding",
} as const;

const SCRIPT = { ...OPEN, "Content-Type": "text/javascript; charset=utf-8" } as const;
/** The tag's script is asked for again after five minutes; it names the newest panel. Its launcher speaks the visitor's language. */
const LOADER = {
  ...SCRIPT,
  "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
  Vary: "Accept-Encoding, Accept-Language",
} as const;
const HASHED = { ...SCRIPT, "Cache-Control": "public, max-age=31536000, immutable" } as const;
/** Where the newest panel is, for pages whose own is gone. */
const NEWEST = { ...OPEN, "Cache-Control": "no-cache" } as const;

/** Where the build leaves room for the site's settings. */
const PLACEHOLDER = '"__PORCHLIGHT__"';

/** Tags' scripts kept: some kilobytes each, one for every site and language that is asked for. */
const SCRIPTS_MAX = 1_000;

/** A file in every form that a browser may ask for: compressed before anybody asks. */
type Packed = { readonly hash: string; readonly forms: Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>> };

const packed = (identity: Buffer, gzip: Buffer, br: Buffer): Packed => ({
  hash: createHash("sha256").update(identity).digest("base64url").slice(0, 22),
  forms: { identity: new Uint8Array(identity), gzip: new Uint8Array(gzip), br: new Uint8Array(br) },
});

/** A tag's script is a few kilobytes, and made once for a site: milliseconds at the hardest setting. */
function pack(text: string): Packed {
  const bytes = Buffer.from(text);
  return packed(bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes));
}

/** Files of former builds are larger and seldom asked for: what takes two milliseconds instead of a hundred will do. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
function packFormer(path: string): Packed {
  const bytes = readFileSync(path);
  return packed(bytes, gzipSync(bytes), brotliCompressSync(bytes, FAST));
}

type Built = { loader: string; panel: string; words: Record<string, string>; chunks: Map<string, Packed> };
type Manifest = Pick<Built, "panel" | "words">;

/** The built widget. @throws when it was not built */
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
      .map((name) => [name, packed(read(name), read(`${name}.gz`), read(`${name}.br`))]),
  );
  return { loader, panel: `/${panel}`, words, chunks };
}

/** The form that the client likes best, or 304 where it holds that one. Each form has a tag of its own (RFC 9110, 8.8.3). */
function serve(c: Context, { hash, forms }: Packed, common: Readonly<Record<string, string>>): Response {
  const encoding = encodingOf(c.req.header("accept-encoding"));
  const plain = encoding === "identity";
  const etag = plain ? `"${hash}"` : `"${hash}-${encoding}"`;
  const headers: Record<string, string> = { ...common, ETag: etag };
  if (isHeld(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  if (!plain) headers["Content-Encoding"] = encoding;
  headers["Content-Length"] = String(forms[encoding].length);
  return new Response(forms[encoding], { headers });
}

/** JSON that stays inside a script: `<` could end it, U+2028 is a line end to old engines. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(/[<\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

type Options = { sites: Sites; relay: string; folder: string; kept: string; now: number; log: Log };

/** Names of former builds' files. A full disk must not keep the relay from starting: they are for a few pages only. */
function formerOf({ folder, kept, now, log }: Options): Set<string> {
  try {
    return keepBuild({ build: join(folder, "assets"), folder: kept, now });
  } catch (error) {
    log("assets.not_kept", { cause: String(error) });
    return new Set();
  }
}

/**
 * The tag's script with a site's settings baked in, and the chunks it fetches. Everything is read and compressed once:
 * nothing a request says becomes a path, and none costs more than looking it up. Files of former builds are read when
 * a page that still stands open asks for one, and then kept as well.
 * @param options.relay the relay's public origin, or empty: the script then takes it from its own address
 * @param options.folder the widget's build
 * @param options.kept folder for the files of former builds
 * @param options.now milliseconds since 1970
 */
export function assets(options: Options): Hono {
  const { loader, panel, words: all, chunks } = readBuild(options.folder);
  const former = formerOf(options);
  const chunkOf = (name: string): Packed | undefined => {
    if (former.delete(name)) chunks.set(name, packFormer(join(options.kept, name)));
    return chunks.get(name);
  };
  const scripts = new Map<string, Packed>();
  const scriptOf = (site: Site, accepted: string | undefined): Packed => {
    const words = wordsFor(all, site.public.locale, accepted);
    const key = `${site.public.id} ${Object.keys(words ?? {})} ${words && Object.values(words)[0]?.word}`;
    const made = scripts.get(key);
    if (made !== undefined) return made;
    // A function, so that `$` in a site's texts is not read as a pattern.
    const text = loader.replace(PLACEHOLDER, () =>
      inScript({ relay: options.relay, panel, site: servedSite(site.public), words }),
    );
    const script = pack(text);
    scripts.set(key, script);
    if (scripts.size > SCRIPTS_MAX) scripts.delete(scripts.keys().next().value ?? "");
    return script;
  };
  const script = (c: Context, id: string | undefined): Response => {
    const site = options.sites.find(id ?? "default") ?? (id === undefined ? options.sites.all[0] : undefined);
    if (site !== undefined) return serve(c, scriptOf(site, c.req.header("accept-language")), LOADER);
    return new Response("// Porchlight: no site with this key is served here.\n", { status: 404, headers: SCRIPT });
  };

  /** The script of a site for who fixes its bytes: in no visitor's language but the site's own, or English. */
  const fixedOf = (site: Site): Packed => scriptOf(site, undefined);
  const versions = openVersions(join(options.kept, "versions"));
  const fixed = new Map<string, Packed>();
  /** A full disk must not keep the script from a page. */
  const keepVersion = (hash: string, { forms }: Packed): void => {
    try {
      versions.keep(hash, forms.identity);
    } catch (error) {
      options.log("assets.not_kept", { cause: String(error) });
    }
  };
  const version = (hash: string): Packed | undefined => {
    const known = fixed.get(hash) ?? options.sites.all.map(fixedOf).find((script) => script.hash === hash);
    if (known !== undefined) keepVersion(hash, known);
    const bytes = known === undefined ? versions.find(hash) : undefined;
    const script = known ?? (bytes && pack(bytes.toString()));
    if (script !== undefined) fixed.set(hash, script);
    return script;
  };
  const described = (c: Context, id: string): Response => {
    const site = options.sites.find(id);
    if (site === undefined) return c.json({ error: "No site with this key is served here." }, 404, NEWEST);
    const { hash, forms } = fixedOf(site);
    const integrity = `sha384-${createHash("sha384").update(forms.identity).digest("base64")}`;
    return c.json({ path: `/v/${hash}/widget.js`, integrity, crossorigin: "anonymous" }, 200, NEWEST);
  };

  return new Hono()
    .get("/v/:hash/widget.js", (c) => {
      const script = version(c.req.param("hash"));
      return script === undefined ? c.notFound() : serve(c, script, HASHED);
    })
    .get("/v/:file{.+\\.json}", (c) => described(c, c.req.param("file").replace(/\.json$/, "")))
    .get("/widget.js", (c) => script(c, c.req.query("site")))
    .get("/w/:file{.+\\.js}", (c) => script(c, c.req.param("file").replace(/\.js$/, "")))
    .get("/assets/panel.js", () => new Response(null, { status: 302, headers: { ...NEWEST, Location: panel } }))
    .get("/assets/:name", (c) => {
      const chunk = chunkOf(c.req.param("name"));
      return chunk === undefined ? c.notFound() : serve(c, chunk, HASHED);
    });
}
