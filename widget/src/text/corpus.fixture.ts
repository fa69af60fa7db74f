import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env.CORPORA_DIR ?? join(import.meta.dirname, "../../../../shared/corpora");

/** The text of a file of the test corpora, which are outside the repository. Without them, an empty text and a warning. */
export function corpus(path: string): string {
  const file = join(FOLDER, path);
  if (existsSync(file)) return readFileSync(file, "utf8");
  console.warn(`No test corpora at CORPORA_DIR: ${path} was not tried`);
  return "";
}
