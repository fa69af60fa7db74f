import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyEdits, type Edit, PARTS, type Part, readSources, type Sources, sourceFolder } from "./place.ts";

export const ROOT = join(import.meta.dirname, "..", "..", "..");
/**
 * Folder of the mutants' sources. It is inside the repository, so that imports find the packages. Each process has its
 * own.
 */
export const mutantsFolder = (part: Part): string => join(ROOT, part, ".mutants", String(process.pid));

/** Entries of a part that are not copied for a mutant. */
const LEFT_OUT = [".mutants", "node_modules", "tsconfig.json"];

/** A change of the sources of a part; of the relay by default. */
type Change = {
  name: string;
  part?: Part;
  edits: readonly Edit[];
};

/** Writes a copy of a part's sources with the change applied. @throws Error when an edit does not find its place */
export function writeChangedSources({ name, part = "relay", edits }: Change): string {
  const mutants = mutantsFolder(part);
  const folder = join(mutants, name.replace(/[^a-z]+/gi, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The sources expect the built widget, `shared` and test code two folders above their own folder.
  for (const beside of ["shared", "widget", "test"])
    if (!existsSync(join(mutants, beside))) symlinkSync(join(ROOT, beside), join(mutants, beside));
  const root = join(folder, "src");
  const from = join(ROOT, sourceFolder(part));
  mkdirSync(root);
  // Copy entry by entry, because the folder of the mutants may be inside the copied folder.
  for (const entry of readdirSync(from))
    if (!LEFT_OUT.includes(entry))
      cpSync(join(from, entry), join(root, entry), {
        recursive: true,
        filter: (path) => !path.endsWith(".test.ts"),
      });
  // The part's own settings apply to its own folder only; without them, JSX would be read as React's.
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, part, "tsconfig.json"), include: ["src"] }),
  );
  for (const [path, text] of changedFiles(part, name, edits)) writeFileSync(join(root, path), text);
  return root;
}

const sources = Object.fromEntries(PARTS.map((part) => [part, readSources(part)])) as Record<Part, Sources>;

/** The files that a mutant changes, by path. @throws Error that names the mutant when the place of an edit is not found */
export function changedFiles(part: Part, name: string, edits: readonly Edit[]): Sources {
  try {
    return applyEdits(sources[part], edits);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
