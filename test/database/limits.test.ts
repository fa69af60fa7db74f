import { expect, inject, it } from "vitest";
import { openPostgres } from "../../relay/src/db/postgres.ts";
import { randomId } from "../../shared/id.ts";
import { createDatabase } from "../setup/nodes.ts";

/** How long a statement may take, in ms. */
const LIMIT = 2_000;
/** Longer than this test takes; the test ends it. In seconds. */
const MIGRATION = 600;

const server = inject("postgres") ?? "";
const newDatabase = (): Promise<string> => createDatabase(server, `limits_${randomId(12)}`.toLowerCase());

const WAITING = `SELECT mode FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE NOT granted AND datname = current_database()`;
const END_MIGRATION = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%pg_sleep%'`;

it("during a migration, no statement of another node waits at the server after the node has given it up", async () => {
  const url = await newDatabase();
  const [migrating, node, observer] = await Promise.all([
    openPostgres(url),
    openPostgres(url, 2, LIMIT),
    openPostgres(url),
  ]);
  await migrating.run("CREATE TABLE changing (id TEXT PRIMARY KEY)");
  const begun = Promise.withResolvers<void>();
  const migration = migrating.longTransaction(async (tx) => {
    await tx.run("LOCK TABLE changing IN ACCESS EXCLUSIVE MODE");
    begun.resolve();
    await tx.all(`SELECT pg_sleep(${MIGRATION})`);
  });
  const ended = expect(migration).rejects.toMatchObject({ code: "57014" });
  await begun.promise;
  const write = () => node.transaction((tx) => tx.run("INSERT INTO changing (id) VALUES ($1)", "v"), ["v"]);
  const outcomes = await Promise.allSettled([write(), node.all("SELECT id FROM changing WHERE id = $1", "v")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await observer.all(WAITING)).toEqual([]);
  await observer.all(END_MIGRATION);
  await ended;
  await write();
  expect(await node.all("SELECT id FROM changing WHERE id = $1", "v")).toEqual([{ id: "v" }]);
  for (const db of [migrating, node, observer]) await db.close();
});

it("writes again once the database is no longer read-only, although a session keeps that setting", async () => {
  const url = await newDatabase();
  const name = new URL(url).pathname.slice(1);
  const operator = await openPostgres(server);
  await operator.all(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const db = await openPostgres(url, 1);
  const write = () => db.run("CREATE TABLE written (id TEXT PRIMARY KEY)");
  await expect(write()).rejects.toMatchObject({ code: "25006" });
  await operator.all(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await write();
  for (const each of [operator, db]) await each.close();
});
