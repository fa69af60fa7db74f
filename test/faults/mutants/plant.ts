import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyEdits, type Edit, readSources, type Sources } from "./place.ts";

export const ROOT = join(import.meta.dirname, "..", "..", "..");
/** Folder of the mutants' sources. It is inside the repository, so that they find the packages; each process has its own. */
export const shelfOf = (part: string): string => join(ROOT, part, ".mutants", String(process.pid));

/** A change of the sources of a part, the relay's when absent. */
type Change = {
  name: string;
  part?: "relay" | "widget";
  edits: readonly Edit[];
  /** The copy has the unit tests, too. */
  withTests?: boolean;
};

/** Writes a copy of a part's sources with the change in it. @throws Error when an edit does not find its place */
export function plant({ name, part = "relay", edits, withTests = false }: Change): string {
  const shelf = shelfOf(part);
  const folder = join(shelf, name.replace(/[^a-z]+/gi, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The sources look for the built widget and for shared test code two folders above their own.
  for (const beside of ["widget", "test"])
    if (!existsSync(join(shelf, beside))) symlinkSync(join(ROOT, beside), join(shelf, beside));
  const root = join(folder, "src");
  cpSync(join(ROOT, part, "src"), root, {
    recursive: true,
    filter: (path) => withTests || !path.endsWith(".test.ts"),
  });
  for (const [path, text] of editsOf(part, name, edits)) writeFileSync(join(root, path), text);
  return root;
}

const sources = { relay: readSources("relay"), widget: readSources("widget") };

/** The files that a mutant changes, by path. @throws Error that names the mutant when the place of an edit is not found */
function editsOf(part: "relay" | "widget", name: string, edits: readonly Edit[]): Sources {
  try {
    return applyEdits(sources[part], edits);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
