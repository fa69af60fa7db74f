/** Setup of the project `postgres`: one PostgreSQL for all files, with a separate database for each test. */

import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Declared as in relay/src/db/database.fixture.ts, which this project's types do not include. */
    postgres?: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("postgres", server.url("postgres"));
  return server.stop;
}
