import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, it } from "vitest";
import { migrate } from "../../relay/src/db/migrate.ts";
import { openPostgres } from "../../relay/src/db/postgres.ts";
import { randomId } from "../../shared/id.ts";
import { createDatabase } from "../setup/nodes.ts";

/** How long a statement may take, and how long the migration takes, in seconds. */
const [LIMIT, MIGRATION] = [2, 3];

it("a migration may take longer than other statements, and other nodes that start meanwhile wait for it", async () => {
  const url = await createDatabase(inject("postgres") ?? "", `migrated_${randomId(12)}`.toLowerCase());
  const folder = mkdtempSync(join(tmpdir(), "porchlight-migrations-"));
  const sql = `CREATE TABLE slow (x BIGINT); INSERT INTO slow (x) SELECT 7 FROM pg_sleep(${MIGRATION})`;
  writeFileSync(join(folder, "001.sql"), sql);
  const nodes = await Promise.all([1, 2].map(() => openPostgres(url, 2, LIMIT * 1_000)));
  const epochs = await Promise.all(nodes.map((db) => migrate(db, pathToFileURL(`${folder}/`))));
  expect(new Set(epochs).size).toBe(1);
  for (const db of nodes) {
    expect(await db.all("SELECT x FROM slow")).toEqual([{ x: 7 }]);
    await db.close();
  }
});
