import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** One file of the repository: its path from the root with forward slashes, and its text. */
export type Source = { path: string; text: string };

export const root = join(import.meta.dirname, "..", "..");

const PARTS = ["shared", "relay", "widget", "test"];
const EXCLUDED = new Set(["node_modules", "dist", "data", "coverage", ".mutants"]);

/** Every file under the four parts whose name ends with one of `endings`, sorted by path. */
export function sources(...endings: string[]): Source[] {
  return PARTS.flatMap((part) => walk(join(root, part)))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .sort()
    .map((path) => ({ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }));
}

/** Every file at the root of the repository whose name ends with one of `endings`. */
export const rootFiles = (...endings: string[]): Source[] =>
  readdirSync(root)
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (EXCLUDED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** Whether a file is a test or a fixture, to which the rules for product code do not apply. */
export const isTest = (path: string): boolean => /\.(test|fixture)\.tsx?$/.test(path) || path.startsWith("test/");
