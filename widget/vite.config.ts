/**
 * Two builds in one folder: `loader.js`, a classic script, and the panel, ES modules with hashed names, listed in
 * `manifest.json` for the relay. No CSS files and no preloads: nothing that a strict policy of the page would refuse.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { minify } from "terser";
import { defineConfig, transformWithOxc } from "vite";
import { writeModule } from "./build/npm-package.ts";
import { pack } from "./build/pack-translation.ts";
import { trimmedPreact } from "./build/preact.ts";
import { triedAgain } from "./build/retry.ts";
import { trimmedSignals } from "./build/signals.ts";

const OUT = join(import.meta.dirname, "dist");
const MARKER = "__PORCHLIGHT__";
const LOCALES = join(import.meta.dirname, "src", "locales");

/** Tags of the translations: every file but the English ones, which are in the panel. */
const languages = readdirSync(LOCALES).flatMap((name) => /^(?!en\b)([\w-]+)\.ts$/.exec(name)?.[1] ?? []);
type Translation = [tag: string, common: string, rare: string, chat: string, dismiss: string];
async function translation(tag: string): Promise<Translation> {
  const path = join(LOCALES, `${tag}.ts`);
  const { code } = await transformWithOxc(readFileSync(path, "utf8"), path);
  const { messages } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return [tag, pack(messages, "common"), pack(messages, "rare"), messages.chat, messages.dismiss];
}

const packed = await Promise.all(languages.map(translation));
/** One name for all of them, so that the panel does not carry a table of forty. Changes when any text does. */
const version = packed
  .reduce((hash, [, common, rare]) => hash.update(common).update(rare), createHash("sha256"))
  .digest("base64url")
  .replace(/\W/g, "")
  .slice(0, 8);

function writeWords(): void {
  for (const [tag, common, rare] of packed) {
    writeFileSync(join(OUT, "assets", `${tag}-${version}.js`), common);
    writeFileSync(join(OUT, "assets", `${tag}.rare-${version}.js`), rare);
  }
}

/**
 * Has the browser compile all of the file on the thread that receives it, instead of each function when the page first
 * calls it: a third of what the launcher costs a page's main thread. For Chromium; a comment to all others.
 */
const HINT = "//# allFunctionsCalledOnLoad\n";

/**
 * The relay replaces a string literal in double quotes; the minifier may prefer other quotes. The teaser's name is known
 * only now.
 */
function markLoader(): void {
  const path = join(OUT, "loader.js");
  const code =
    HINT + readFileSync(path, "utf8").replaceAll(`\`${MARKER}\``, `"${MARKER}"`).replace("__TEASER__", asset("teaser"));
  if (code.split(`"${MARKER}"`).length !== 2) throw new Error(`loader.js must name "${MARKER}" exactly once`);
  writeFileSync(path, code);
}

const assets = (): string[] => readdirSync(join(OUT, "assets")).map((name) => `assets/${name}`);

function asset(entry: string): string {
  const found = assets().find((name) => name.startsWith(`assets/${entry}-`));
  if (!found) throw new Error(`the build made no ${entry}`);
  return found;
}

/** The launcher's name where it is another one than in English: the relay writes it into the script. */
const words = Object.fromEntries(packed.flatMap(([tag, , , chat]) => (chat === "Chat" ? [] : [[tag, chat]])));

const writeManifest = (): void =>
  writeFileSync(
    join(OUT, "manifest.json"),
    `${JSON.stringify({ panel: asset("panel"), snippet: asset("snippet"), files: assets(), words }, null, 2)}\n`,
  );

/** What the relay sends, compressed as far as it goes: here, so that neither a start nor a request pays for it. */
function compress(): void {
  for (const name of assets()) {
    const bytes = readFileSync(join(OUT, name));
    writeFileSync(join(OUT, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(OUT, `${name}.br`), brotliCompressSync(bytes));
  }
}

/** Smaller than the automatic runtime: children stand in the call, not in an object. */
const classicJsx = {
  name: "classic-jsx",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.endsWith(".tsx") ? { code: `import { Fragment, h } from "preact";${code}`, map: null } : null,
};

/**
 * What close codes mean is for the relay's log, and what to do after each the panel says itself: the codes are enough, and of
 * those after which one simply comes back not even they.
 */
const codesAlone = {
  name: "codes-alone",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.endsWith("/shared/close.ts")
      ? {
          code: code
            .replace(/^ *(internal|restart|overload|noHello): .*/gm, "")
            .replace(/\bending\((\d+), "\w+", "[^"]*"\)/g, "{ code: $1 }"),
          map: null,
        }
      : null,
};

/**
 * Before the bundler's own minifier: what each leaves the other finds, 2 % of an open chat. Nothing in it reads a function's
 * `length` or `prototype` where the minifier would change it.
 */
const twiceMinified = {
  name: "twice-minified",
  async renderChunk(code: string) {
    const result = await minify(code, {
      module: true,
      ecma: 2020,
      compress: { passes: 3, keep_fargs: false, unsafe_arrows: true },
    });
    return { code: result.code ?? code, map: null };
  },
};

/**
 * The loader's style without its white space, and otherwise as it was written: the bundler's own minifier puts the
 * declarations in an order of its own, which zips worse.
 */
const styleAsWritten = {
  name: "style-as-written",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.includes("/loader/host.css")
      ? {
          code: code
            .replace(/\/\*.*?\*\//gs, "")
            .replace(/\s+/g, " ")
            .replace(/ ?([{};,!]) ?/g, "$1")
            // Within declarations only: in a selector a space before a colon or a star means something.
            .replace(/\{[^{}]*\}/g, (lines) => lines.replace(/ ?([:*/]) ?/g, "$1"))
            .replace(/(?<!\d)0\./g, ".")
            .replaceAll(";}", "}")
            .trim(),
          map: null,
        }
      : null,
};

/** Notes from one bundler to the next; there is none. */
const withoutNotes = {
  name: "without-notes",
  generateBundle(_: unknown, bundle: Record<string, { code?: string }>) {
    for (const [name, chunk] of Object.entries(bundle))
      if (chunk.code && name.startsWith("assets/")) chunk.code = chunk.code.replaceAll("/* @__PURE__ */ ", "");
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false as const,
  oxc: { jsx: { runtime: "classic" as const, pragma: "h", pragmaFrag: "Fragment" } },
  plugins: [
    trimmedPreact,
    trimmedSignals,
    codesAlone,
    classicJsx,
    styleAsWritten,
    triedAgain,
    twiceMinified,
    withoutNotes,
  ],
  build: { outDir: OUT, target: "es2022", modulePreload: false as const, emptyOutDir: false },
  environments: {
    client: {
      define: {
        LANGUAGES: JSON.stringify(languages.join(" ")),
        LANGUAGE_VERSION: JSON.stringify(version),
        CLOSE_WORDS: JSON.stringify(Object.fromEntries(packed.map(([tag, , , , dismiss]) => [tag, dismiss]))),
      },
      build: {
        // As a library, so that imports stay as they are: no preload helper, which a strict policy would refuse anyway.
        lib: {
          entry: { panel: "src/panel/main/main.ts", teaser: "src/loader/teaser.ts" },
          formats: ["es" as const],
        },
        rolldownOptions: {
          // Minifying twice is most of a build's seconds, on purpose.
          checks: { bundlerTimings: false },
          // Rarer chunks take what they share from the panel itself: one request for an open chat.
          preserveEntrySignatures: "allow-extension" as const,
          output: {
            entryFileNames: "assets/[name]-[hash].js",
            chunkFileNames: "assets/[name]-[hash].js",
            // Vite spares the white space of libraries.
            minify: true,
          },
        },
      },
    },
    // Alone, so that the panel is not cut in pieces for what it shares with a page that no visitor sees.
    snippet: {
      consumer: "client" as const,
      build: {
        lib: { entry: { snippet: "src/tag-page/snippet.ts" }, formats: ["es" as const] },
        rolldownOptions: {
          checks: { bundlerTimings: false },
          output: {
            entryFileNames: "assets/[name]-[hash].js",
            chunkFileNames: "assets/[name]-[hash].js",
            minify: true,
          },
        },
      },
    },
    /** What pages that are built install: see `module.ts`. */
    module: {
      consumer: "client" as const,
      build: { lib: { entry: "src/loader/mount.ts", formats: ["es" as const], fileName: () => "npm/mount.js" } },
    },
    loader: {
      consumer: "client" as const,
      build: {
        emptyOutDir: true,
        cssMinify: false as const,
        // As a library, so that its one import is left alone.
        lib: {
          entry: "src/loader/loader.ts",
          formats: ["iife" as const],
          name: "porchlight",
          fileName: () => "loader.js",
        },
      },
    },
  },
  builder: {
    async buildApp(builder: import("vite").ViteBuilder) {
      for (const name of ["loader", "client", "snippet", "module"]) {
        const environment = builder.environments[name];
        if (environment) await builder.build(environment);
      }
      markLoader();
      writeWords();
      writeManifest();
      writeModule(join(OUT, "npm"));
      compress();
    },
  },
});
