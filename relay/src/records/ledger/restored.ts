import type { Transaction } from "../../db/database.ts";
import type { Kind } from "./ledger.ts";

const REASON = "the database was restored from a backup: this may have been called since";

/** Stands in `meta` while nobody has looked what was granted between the backup and now. */
const DISTRUST = "ledger.distrusted";

/** Whether keys may have been granted that this ledger forgot: it was restored, and nobody has said that it is complete. */
export async function isDistrusted(tx: Transaction): Promise<boolean> {
  return (await tx.all("SELECT 1 FROM meta WHERE name = $1", DISTRUST)).length > 0;
}

/** A person compared the ledger with the service's credit history. @returns false when it was trusted all along */
export async function trustLedger(
  tx: Transaction,
  { actor, reason, now }: { actor: string; reason: string; now: number },
): Promise<boolean> {
  if ((await tx.run("DELETE FROM meta WHERE name = $1", DISTRUST)) === 0) return false;
  const value = JSON.stringify({ actor, reason, at: new Date(now).toISOString() });
  await tx.run("INSERT INTO meta (name, value) VALUES ($1, $2)", `ledger.trusted.${now}`, value);
  return true;
}

/**
 * A database that was restored from a backup names another epoch than the one its ledger was written under. What it holds
 * as still to be called may have been called after the backup was made, so from now on nobody knows. And it has forgotten
 * the keys that came since: a grant waits for a person until somebody has looked.
 * @returns how many entries that was
 */
export async function parkRestored(tx: Transaction, kind: Kind, actor: string, now: number): Promise<number> {
  const name = `ledger.${kind}`;
  const [row] = await tx.all<{ epoch: string; written: string | null }>(
    "SELECT e.value AS epoch, (SELECT value FROM meta WHERE name = $1) AS written FROM meta e WHERE e.name = 'epoch'",
    name,
  );
  if (row === undefined || row.written === row.epoch) return 0;
  await tx.run(
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    row.epoch,
  );
  if (row.written === null) return 0;
  if (kind === "grant")
    await tx.run(
      "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
      DISTRUST,
      new Date(now).toISOString(),
    );
  await tx.run(
    `INSERT INTO ledger_history (kind, account, key, step, at, state, actor, reason)
     SELECT l.kind, l.account, l.key,
       (SELECT count(*) + 1 FROM ledger_history h WHERE h.kind = l.kind AND h.account = l.account AND h.key = l.key),
       CAST($2 AS BIGINT), 'unknown', CAST($3 AS TEXT), CAST($4 AS TEXT)
     FROM ledger l WHERE l.kind = $1 AND l.state IN ('intent', 'calling')`,
    kind,
    now,
    actor,
    REASON,
  );
  return tx.run(
    "UPDATE ledger SET state = 'unknown', reason = $2, changed = $3 WHERE kind = $1 AND state IN ('intent', 'calling')",
    kind,
    REASON,
    now,
  );
}
