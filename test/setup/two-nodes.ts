/** Setup of the projects with two nodes: one PostgreSQL for all files, with a migrated database to copy for each harness. */

import type { TestProject } from "vitest/node";
import { migrate } from "../../relay/src/db/migrate.ts";
import { openDatabase } from "../../relay/src/db/open.ts";
import { createDatabase, TEMPLATE } from "./nodes.ts";
import { startPostgres } from "./postgres.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ max_connections: "400" });
  const url = server.url("postgres");
  project.provide("postgres", url);
  const db = await openDatabase(await createDatabase(url, TEMPLATE), 1);
  await migrate(db);
  await db.close();
  return server.stop;
}
