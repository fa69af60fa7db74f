import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env.CORPORA_DIR ?? join(import.meta.dirname, "..", "..", "shared", "corpora");
let hasWarned = false;

/** Path of a file of the test corpora, which are outside the repository. Logs once if they are missing. */
export function corpus(path: string): string {
  if (!hasWarned && !existsSync(FOLDER))
    console.warn(`No test corpora at CORPORA_DIR: tests use their own examples only`);
  hasWarned = true;
  return join(FOLDER, path);
}

/** The text of such a file; without the corpora an empty one. */
export function corpusText(path: string): string {
  const file = corpus(path);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
