/**
 * Unit tests of mutants without copies of the sources: a module that a mutant changes, and each module that imports it, also
 * exists with `?mutant=<key>` at the end of its id. All mutants share every other module, so Vite transforms it only once.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { ROOT } from "./changed-sources.ts";
import { type Part, type Sources, sourceFolder } from "./place.ts";

/** A mutant whose unit tests run. Paths are absolute. */
export type Variant = {
  key: string;
  /** The test file. */
  test: string;
  /** The changed files, by path. */
  changed: Record<string, string>;
  /** The changed files, and every file that imports one of them, directly or through others. */
  affected: string[];
};

/** @param changed the files that the mutant changes, by path in the folder of the part's sources */
export function variantOf(part: Part, key: string, unit: string, changed: Sources): Variant {
  const folder = join(ROOT, sourceFolder(part));
  const importers = importersIn(folder);
  const [test, ...others] = [...importers.keys()].filter((path) => path.endsWith(`/${unit}`));
  if (test === undefined || others.length > 0) throw new Error(`${unit} is not the end of exactly one path of ${part}`);
  const files = [...changed].map(([path, text]): [string, string] => [join(folder, path), text]);
  const affected = withImporters(
    importers,
    files.map(([path]) => path),
  );
  if (!affected.includes(test)) throw new Error(`${unit} does not import what the mutant changes`);
  return { key, test, changed: Object.fromEntries(files), affected };
}

const IMPORT = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;
const known = new Map<string, ReadonlyMap<string, string[]>>();

/** For each file of a folder the files that import it. */
function importersIn(folder: string): ReadonlyMap<string, string[]> {
  const before = known.get(folder);
  if (before !== undefined) return before;
  const paths = globSync("**/*.{ts,tsx}", { cwd: folder, exclude: ["**/node_modules", ".mutants"] });
  const importers = new Map(paths.map((path) => [join(folder, path), [] as string[]]));
  for (const path of importers.keys())
    for (const [, target = ""] of readFileSync(path, "utf8").matchAll(IMPORT))
      importers.get(join(dirname(path), target))?.push(path);
  known.set(folder, importers);
  return importers;
}

function withImporters(importers: ReadonlyMap<string, string[]>, paths: readonly string[]): string[] {
  const found = new Set(paths);
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return [...found];
}

/**
 * Skips the rest of a file once one test has failed and another one has passed. The failed one has found the mutant, and the
 * passed one shows that the mutant can run at all.
 */
const STOP = `import { beforeEach } from "vitest";
const states = new Set();
beforeEach((context) => {
  if (states.has("fail") && states.has("pass")) context.skip();
  context.onTestFinished(({ task }) => { states.add(task.result.state); });
});
`;

/** The text of a variant's test file: the environment of the real test file, and an import of its variant. */
export function entryOf({ key, test }: Variant): string {
  const environment = /^\/\/ @vitest-environment .*$/m.exec(readFileSync(test, "utf8"))?.[0] ?? "";
  return `${environment}\n${STOP}import ${JSON.stringify(`${test}?mutant=${key}`)};\n`;
}

const VARIANT = /^(.*)\?mutant=(.*)$/;

/** Resolves and loads the modules of the variants. */
export function variantModules(variants: readonly Variant[]): Plugin {
  const byKey = new Map(variants.map(({ key, changed, affected }) => [key, { changed, affected: new Set(affected) }]));
  return {
    name: "porchlight:mutants",
    enforce: "pre",
    resolveId(source, importer = "") {
      if (VARIANT.test(source)) return source;
      const [, from, key = ""] = VARIANT.exec(importer) ?? [];
      if (from === undefined || !source.startsWith(".")) return;
      const path = join(dirname(from), source);
      return byKey.get(key)?.affected.has(path) === true ? `${path}?mutant=${key}` : undefined;
    },
    load(id) {
      const [, path, key = ""] = VARIANT.exec(id) ?? [];
      return path === undefined ? undefined : (byKey.get(key)?.changed[path] ?? readFileSync(path, "utf8"));
    },
  };
}
