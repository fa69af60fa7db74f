import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzipSync } from "node:zlib";
import { servedSite } from "@porchlight/shared/site";
import { setNewest } from "../base/bounded-map.ts";
import type { Site } from "../base/config.ts";
import type { Sites } from "../records/sites.ts";
import type { Encoding } from "./negotiate.ts";
import { type AllWords, wordsFor } from "./words.ts";

/** A file in every encoding that a browser may ask for. */
export type EncodedFile = {
  readonly hash: string;
  readonly encodings: Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>>;
};

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("base64url").slice(0, 22);

/** A file from its three encodings. The hash is that of the content without compression. */
export const encodedFile = (identity: Buffer, gzip: Buffer, br: Buffer): EncodedFile => ({
  hash: hashOf(identity),
  encodings: { identity: new Uint8Array(identity), gzip: new Uint8Array(gzip), br: new Uint8Array(br) },
});

/** The build leaves this text where the relay inserts the site's settings. */
export const PLACEHOLDER = '"__PORCHLIGHT__"';

/**
 * Most scripts in memory, 15 kB each: one per site and language. Enough for 60 sites in all languages. Beyond that,
 * the least recently requested scripts are dropped.
 */
const SCRIPTS_MAX = 4_000;

/** A window of 16 kB (2 to the power of 14) holds a whole script. */
const level = (quality: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 14 },
});
/** The highest level takes 8 ms for a script, so it runs in a thread. */
const DENSE = level(constants.BROTLI_MAX_QUALITY);
/** Takes 0.3 ms; the script is 200 bytes longer. */
const QUICK = level(9);

/** Compresses a tag's script on the event loop. */
export function compressQuickly(bytes: Buffer): EncodedFile {
  return encodedFile(bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes, QUICK));
}

async function compressDensely(bytes: Buffer): Promise<EncodedFile> {
  return encodedFile(bytes, gzipSync(bytes, { level: 9 }), await promisify(brotliCompress)(bytes, DENSE));
}

/** JSON for use inside a script: `<` could end the script, and old engines read U+2028 as a line end. */
export const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(/[<\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

type ScriptsOptions = {
  sites: Sites;
  /** The relay's public origin, or empty: the script then takes it from its own address. */
  relay: string;
  /** The built loader, its panel and the words of all languages. */
  built: { loader: string; panel: string; words: AllWords };
};

type State = ScriptsOptions & {
  /** By site and language, the one that was requested last at the end. A new map when the settings change. */
  scripts: Map<string, { script: EncodedFile; isDense: boolean }>;
  /** Sites by the hash of their fixed script. */
  byHash: Map<string, Site> | undefined;
  /** Whether a thread is compressing a script now. */
  isCompressing: boolean;
};

/**
 * The scripts of the sites' tags, one per language. The first request for a script compresses it: in a thread at the highest
 * level, one script at a time. Meanwhile requests for other scripts get the form that is made quickly, so that nobody waits
 * and a flood of requests for many languages costs little. A later request replaces that form.
 */
export function createTagScripts(options: ScriptsOptions) {
  const state: State = { ...options, scripts: new Map(), byHash: undefined, isCompressing: false };
  options.sites.onReplaced(() => {
    state.scripts = new Map();
    state.byHash = undefined;
  });
  return {
    /** The script of a site's tag, with the words of a language that the request accepts. */
    find: (site: Site, accepted?: string): EncodedFile | Promise<EncodedFile> => find(state, site, accepted),
    /** The site whose fixed script has this hash. That script is in the site's own language or English. */
    siteWithHash: (hash: string): Site | undefined => {
      state.byHash ??= new Map(state.sites.all.map((site) => [hashOf(textOf(state, site)), site]));
      return state.byHash.get(hash);
    },
  };
}

const wordsOf = ({ built }: State, { public: { locale } }: Site, accepted?: string) =>
  wordsFor(built.words, locale, accepted);

function textOf(state: State, site: Site, words = wordsOf(state, site)): Buffer {
  const { relay, built } = state;
  // Contains the origin even when it is empty: without an own property, a polluted `Object.prototype` could name another origin.
  const served = inScript({ relay, panel: built.panel, site: servedSite(site.public), words });
  // A function, so that `$` in a site's texts is not read as a pattern.
  return Buffer.from(built.loader.replace(PLACEHOLDER, () => served));
}

function find(state: State, site: Site, accepted?: string): EncodedFile | Promise<EncodedFile> {
  const words = wordsOf(state, site, accepted);
  const key = `${site.public.id} ${words.lang} ${words.file}`;
  const made = state.scripts.get(key);
  if (made !== undefined && (made.isDense || state.isCompressing)) {
    setNewest(state.scripts, key, made, SCRIPTS_MAX);
    return made.script;
  }
  const bytes = textOf(state, site, words);
  if (!state.isCompressing) return findDense(state, key, bytes);
  const script = compressQuickly(bytes);
  setNewest(state.scripts, key, { script, isDense: false }, SCRIPTS_MAX);
  return script;
}

async function findDense(state: State, key: string, bytes: Buffer): Promise<EncodedFile> {
  // If the settings change meanwhile, this script belongs to the former map.
  const { scripts } = state;
  state.isCompressing = true;
  try {
    const script = await compressDensely(bytes);
    setNewest(scripts, key, { script, isDense: true }, SCRIPTS_MAX);
    return script;
  } finally {
    state.isCompressing = false;
  }
}
