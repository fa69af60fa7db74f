import type { Secrets } from "../base/secrets.ts";
import type { Database } from "./database.ts";

/**
 * Reads the secrets of this deployment. A single process keeps them in its data folder. Nodes on PostgreSQL share the secrets of
 * the first node, which stores them in the database, because each node must accept the sessions, links and callbacks of the others.
 * @param own reads or generates the secrets of this data folder
 */
export async function shareSecrets(db: Database, own: () => Secrets): Promise<Secrets> {
  if (db.dialect === "sqlite") return own();
  const stored = await read(db);
  if (stored !== undefined) return stored;
  const offered = Object.entries(own());
  await db.transaction(async (tx) => {
    for (const [name, value] of offered)
      await tx.run("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, value);
  });
  const kept = await read(db);
  if (kept === undefined) throw new Error("The shared secrets are missing after they were written");
  return kept;
}

async function read(db: Database): Promise<Secrets | undefined> {
  const rows = await db.all<{ name: string; value: string }>("SELECT name, value FROM secrets");
  const { signing, callback, admin } = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  return signing !== undefined && callback !== undefined && admin !== undefined
    ? { signing, callback, admin }
    : undefined;
}
