/** How many relays a harness has: `NODES` of the project in vitest.config.ts. Several share one PostgreSQL. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { randomId } from "../../shared/id.ts";
import { postgresPath } from "./programs.ts";

export const NODES = Number(process.env.NODES ?? 1);

/** The database that is copied for each harness: its tables exist, which saves the time of all migrations. */
export const TEMPLATE = "harness";

/** Creates a database. @param more arguments of createdb(1) @returns its address */
export async function createDatabase(server: string, name: string, more: readonly string[] = []): Promise<string> {
  await promisify(execFile)(postgresPath("createdb"), [`--maintenance-db=${server}`, ...more, name]);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates a database for one harness on the project's PostgreSQL (test/setup/two-nodes.ts). @returns its address */
export async function makeDatabase(): Promise<string> {
  const { inject } = await import("vitest");
  const server = inject("postgres");
  if (server === undefined) throw new Error("NODES needs a project with PostgreSQL");
  return createDatabase(server, `harness_${randomId(12)}`.toLowerCase(), [`--template=${TEMPLATE}`]);
}
