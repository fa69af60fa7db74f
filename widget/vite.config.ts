/**
 * Builds the loader (`loader.js`, a classic script), the panel with its parts, and the page that makes the tag (ES modules
 * with hashed names, listed in `manifest.json` for the relay). There are no CSS files and no preloads, because a strict
 * content policy of the page would refuse them.
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

/** Builds the libraries from their sources, so that one minifier processes the whole panel. */
const SOURCES = {
  preact: join(import.meta.dirname, "node_modules/preact/src/index.js"),
  "@preact/signals-core": join(import.meta.dirname, "node_modules/@preact/signals-core/src/index.ts"),
};

/** The string in the loader, with its double quotes, that the relay replaces with the site's settings when it serves the script. */
const SETTINGS_PLACEHOLDER = '"__PORCHLIGHT__"';

/**
 * With this line, Chromium compiles the whole script on the thread that receives it, instead of each function at its first
 * call. This saves a third of the launcher's cost on the page's main thread, and a quarter of the panel's. Other browsers read it
 * as a comment.
 */
const COMPILE_EAGERLY = { preamble: "//# allFunctionsCalledOnLoad" };

/**
 * Options that make the loader smaller, but the panel larger: functions move to the front (`hoist_funs`), only simple ones are
 * inlined (`inline`), and values stay in their variables (`collapse_vars`). Without `booleans_as_integers`, because pages replace
 * functions of the platform, which would get 1 instead of `true`.
 */
const LOADER_COMPRESS = { hoist_funs: true, inline: 1, collapse_vars: false };

/** Keeps the script as the last plugin wrote it: the bundler does not minify it again. */
const AS_WRITTEN = { minify: false as const };

const modules = {
  checks: { bundlerTimings: false },
  // Parts use the panel's own exports instead of shared chunks, so an open chat needs one request.
  preserveEntrySignatures: "allow-extension" as const,
  output: {
    entryFileNames: "assets/[name]-[hash].js",
    chunkFileNames: "assets/[name]-[hash].js",
    ...AS_WRITTEN,
  },
};

/** The functions that JSX calls. They are imported into every file that uses JSX. */
const JSX_CALLS: Record<string, [from: string, name: string]> = {
  h: ["preact", "h"],
  Fragment: ["preact", "Fragment"],
};

/** Everything is built as a library, so that the bundler adds no preload helper, which a strict policy would refuse. */
const environments = {
  client: {
    define: {
      LANGUAGES: JSON.stringify(translations.map(({ tag }) => tag).join(" ")),
      EMOJI_LANGUAGES: JSON.stringify(emojiTags().join(" ")),
      LANGUAGE_VERSION: JSON.stringify(versionOf(translations)),
    },
    build: {
      // The first build empties the folder.
      emptyOutDir: true,
      lib: { entry: { panel: "src/panel/main/main.ts" }, formats: ["es" as const] },
      rolldownOptions: { ...modules, transform: { inject: JSX_CALLS } },
    },
  },
  // Code that the loader fetches besides the panel, and uses before the panel has loaded.
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
  // Built separately: otherwise the bundler would split the panel into chunks that it shares with this page.
  snippet: {
    consumer: "client" as const,
    build: {
      lib: { entry: { snippet: "src/tag-page/snippet.ts" }, formats: ["es" as const] },
      rolldownOptions: modules,
    },
  },
  // The npm module for pages with a build step. It is not minified, because the page's own build does that.
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

/** @throws Error unless the loader contains the settings' string exactly once */
function checkLoader(): void {
  const places = readFileSync(join(DIST, "loader.js"), "utf8").split(SETTINGS_PLACEHOLDER).length - 1;
  if (places !== 1) throw new Error(`loader.js must name ${SETTINGS_PLACEHOLDER} exactly once, not ${places} times`);
}

async function buildApp({ build, environments: all }: ViteBuilder): Promise<void> {
  for (const name of ["client", "extras", "snippet", "module", "loader"]) {
    const environment = all[name];
    if (!environment) continue;
    // The loader contains the name of the extras' file, which is known after that file is built.
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
  // Produces smaller code than the automatic runtime, because children are arguments of the call.
  oxc: { jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" } },
  resolve: { alias: SOURCES },
  plugins: [
    { ...linkedParts, applyToEnvironment: ({ name }) => name === "client" },
    { ...minifiedBy({ format: COMPILE_EAGERLY }), applyToEnvironment: ({ name }) => name === "client" },
    { ...minifiedBy(), applyToEnvironment: ({ name }) => ["extras", "snippet"].includes(name) },
    {
      ...minifiedBy({ compress: LOADER_COMPRESS, format: COMPILE_EAGERLY }),
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
