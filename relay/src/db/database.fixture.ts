import { randomId } from "@porchlight/shared/id";
import { inject } from "vitest";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server that this project's tests use (test/setup/database.ts); absent: they use SQLite. */
    postgres?: string;
  }
}

/** Databases of this process that no test uses now, by address. Making one takes longer than most tests. */
const free: string[] = [];

async function makeDatabase(server: string): Promise<string> {
  const { default: pg } = await import("pg");
  const client = new pg.Client(server);
  const name = `test_${randomId(12)}`;
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Empties every table but the record of the migrations. */
async function clear(db: Database): Promise<void> {
  const tables = await db.all<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'",
  );
  if (tables.length > 0) await db.run(`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(", ")}`);
}

/**
 * An empty database for one test: SQLite in memory, or, in the project `postgres` (vitest.config.ts), one on its server.
 */
export async function openTestDatabase(): Promise<Database> {
  const server = inject("postgres");
  if (server === undefined) return openSqlite(":memory:");
  const url = free.pop() ?? (await makeDatabase(server));
  const db = await openPostgres(url);
  return {
    ...db,
    async close() {
      await clear(db);
      await db.close();
      free.push(url);
    },
  };
}
