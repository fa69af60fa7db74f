/** Before the project `postgres`: one PostgreSQL for all its files. Each test has a database of its own on it. */

import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** As in relay/src/db/database.fixture.ts, which this project's types do not include. */
    postgres?: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide("postgres", server.url("postgres"));
  return server.stop;
}
