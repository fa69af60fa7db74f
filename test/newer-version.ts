import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeChangedSources } from "./faults/mutants/changed-sources.ts";

/** Number of the migration that `newerVersion` adds. */
export const NEWER = 999;

/** What the newer version writes to stderr before each statement of a migration. */
export const STATEMENT = "statement\n";
const WRITE = `{ process.stderr.write(${JSON.stringify(STATEMENT)}); await tx.run(statement); }`;

/**
 * Sources of a newer version: this one with one more migration, which changes tables that every message uses. Remove
 * `mutantsFolder("relay")` afterwards.
 * @returns their folder
 */
export function newerVersion(): string {
  const edits = [{ in: "migrate", find: "await tx.run(statement);", replace: WRITE }];
  const root = writeChangedSources({ name: "newer version", edits });
  // Inserting the numbers takes a fraction of a second, so that a kill can interrupt the migration.
  const step = `ALTER TABLE messages ADD COLUMN newer BIGINT;
    CREATE TABLE newer (id TEXT PRIMARY KEY);
    INSERT INTO newer
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)
      SELECT CAST(n AS TEXT) FROM numbers;
    UPDATE messages SET newer = pos;
    ALTER TABLE visitors ADD COLUMN newer TEXT NOT NULL DEFAULT ''`;
  writeFileSync(join(root, "db", "migrations", `${NEWER}.sql`), step);
  return root;
}
