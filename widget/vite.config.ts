/**
 * Builds the loader (`loader.js`, a classic script), the panel with its parts, and the page that makes the tag (ES modules
 * with hashed names, listed in `manifest.json` for the relay). There are no CSS files and no preloads: nothing that a
 * strict policy of the page would refuse.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type ViteBuilder } from "vite";
import { linkedParts } from "./build/link-parts.ts";
import { minifiedBy } from "./build/minify.ts";
import { writePackage } from "./build/npm-package.ts";
import { assetOf, compressAssets, writeManifest } from "./build/output.ts";
import { emojiTags, readTranslations, versionOf, writeTranslations } from "./build/translations.ts";

const DIST = join(import.meta.dirname, "dist");
const translations = await readTranslations();

/** The sources of the libraries instead of their builds: then one minifier sees the whole panel. */
const SOURCES = {
  preact: join(import.meta.dirname, "node_modules/preact/src/index.js"),
  "@preact/signals-core": join(import.meta.dirname, "node_modules/@preact/signals-core/src/index.ts"),
};

/** The string that the relay replaces by the site's settings, in double quotes, when it serves the loader. */
const BAKED = '"__PORCHLIGHT__"';

/**
 * Chromium compiles all of a script with this line on the thread that receives it, instead of each function at its first
 * call: a third of what the launcher costs a page's main thread. A comment to all others.
 */
const COMPILE_EAGERLY = "//# allFunctionsCalledOnLoad";

/**
 * Makes the loader smaller: functions in front, only simple functions in the place of their call, and concatenation instead of
 * templates, which is all that `unsafe` changes there. The first two make the panel larger.
 */
const LOADER_COMPRESS = { hoist_funs: true, inline: 1, unsafe: true };

/** The bundler leaves the text of a script alone after the last plugin. */
const AS_WRITTEN = { minify: false as const };

const modules = {
  checks: { bundlerTimings: false },
  // Parts take what they share from the panel itself: one request for an open chat.
  preserveEntrySignatures: "allow-extension" as const,
  output: {
    entryFileNames: "assets/[name]-[hash].js",
    chunkFileNames: "assets/[name]-[hash].js",
    ...AS_WRITTEN,
  },
};

/** What JSX becomes: imported wherever it is used. */
const JSX_CALLS: Record<string, [from: string, name: string]> = {
  h: ["preact", "h"],
  Fragment: ["preact", "Fragment"],
};

/** As libraries, so that imports stay as they are: a preload helper would be refused by a strict policy. */
const environments = {
  client: {
    define: {
      LANGUAGES: JSON.stringify(translations.map(({ tag }) => tag).join(" ")),
      EMOJI_LANGUAGES: JSON.stringify(emojiTags().join(" ")),
      LANGUAGE_VERSION: JSON.stringify(versionOf(translations)),
    },
    build: {
      // The first to be built.
      emptyOutDir: true,
      lib: { entry: { panel: "src/panel/main/main.ts" }, formats: ["es" as const] },
      rolldownOptions: { ...modules, transform: { inject: JSX_CALLS } },
    },
  },
  // What the loader fetches besides the panel: usable before the panel is there.
  extras: {
    consumer: "client" as const,
    define: {
      CLOSE_WORDS: JSON.stringify(Object.fromEntries(translations.map(({ tag, messages }) => [tag, messages.dismiss]))),
    },
    build: {
      lib: { entry: { extras: "src/loader/extras.ts" }, formats: ["es" as const] },
      rolldownOptions: modules,
    },
  },
  // Alone, so that the panel is not cut in pieces for what it shares with a page that no visitor sees.
  snippet: {
    consumer: "client" as const,
    build: {
      lib: { entry: { snippet: "src/tag-page/snippet.ts" }, formats: ["es" as const] },
      rolldownOptions: modules,
    },
  },
  // What pages that are built install. As it is written: who installs it minifies it.
  module: {
    consumer: "client" as const,
    build: {
      lib: { entry: "src/loader/mount.ts", formats: ["es" as const], fileName: () => "npm/mount.js" },
      rolldownOptions: { output: AS_WRITTEN },
    },
  },
  loader: {
    consumer: "client" as const,
    build: {
      lib: {
        entry: "src/loader/loader.ts",
        formats: ["iife" as const],
        name: "porchlight",
        fileName: () => "loader.js",
      },
      rolldownOptions: { output: AS_WRITTEN },
    },
  },
};

/** @throws Error when the relay would not find its place in the loader */
function checkLoader(): void {
  const places = readFileSync(join(DIST, "loader.js"), "utf8").split(BAKED).length - 1;
  if (places !== 1) throw new Error(`loader.js must name ${BAKED} exactly once, not ${places} times`);
}

async function buildApp({ build, environments: all }: ViteBuilder): Promise<void> {
  for (const name of ["client", "extras", "snippet", "module", "loader"]) {
    const environment = all[name];
    if (!environment) continue;
    // The loader names the extras' file, which has a name once it is built.
    if (name === "loader") {
      const extras = assetOf(DIST, "extras").replace("assets/", "/frame/");
      environment.config.define = { EXTRAS: JSON.stringify(extras) };
    }
    await build(environment);
  }
  checkLoader();
  writeTranslations(join(DIST, "assets"), translations);
  writeManifest(DIST, translations);
  writePackage(join(DIST, "npm"));
  compressAssets(DIST);
}

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  // Smaller than the automatic runtime: children stand in the call, not in an object.
  oxc: { jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" } },
  resolve: { alias: SOURCES },
  plugins: [
    { ...linkedParts, applyToEnvironment: ({ name }) => name === "client" },
    { ...minifiedBy(), applyToEnvironment: ({ name }) => ["client", "extras", "snippet"].includes(name) },
    {
      ...minifiedBy({ compress: LOADER_COMPRESS, format: { preamble: COMPILE_EAGERLY } }),
      applyToEnvironment: ({ name }) => name === "loader",
    },
  ],
  build: {
    outDir: DIST,
    minify: false,
    cssMinify: "lightningcss",
    target: "es2022",
    modulePreload: false,
    emptyOutDir: false,
  },
  environments,
  builder: { buildApp },
});
