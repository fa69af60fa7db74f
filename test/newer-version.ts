import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { plant } from "./faults/mutants/plant.ts";

/** Number of the step of the schema that `newerVersion` adds. */
export const NEWER = 999;

/**
 * Sources of a newer version: this one, with one more step of the schema, which changes tables that every message uses. Remove
 * `shelfOf("relay")` afterwards.
 * @returns their folder
 */
export function newerVersion(): string {
  const root = plant({ name: "newer version", edits: [] });
  const step = `ALTER TABLE messages ADD COLUMN newer BIGINT;
    ALTER TABLE visitors ADD COLUMN newer TEXT NOT NULL DEFAULT '';
    UPDATE messages SET newer = pos;
    CREATE TABLE newer (id TEXT PRIMARY KEY)`;
  writeFileSync(join(root, "db", "migrations", `${NEWER}.sql`), step);
  return root;
}
