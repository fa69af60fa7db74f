import type { Transaction } from "../../db/database.ts";
import type { LedgerKind } from "./ledger.ts";

const REASON = "the database was restored from a backup: this may have been called since";

/** Name in `meta`: set after a restored backup, until a person has checked what was granted since the backup. */
const DISTRUST = "ledger.distrusted";

/** Whether the ledger may lack grants: it was restored from a backup, and no person has confirmed it since. */
export async function isDistrusted(tx: Transaction): Promise<boolean> {
  return (await tx.all("SELECT 1 FROM meta WHERE name = $1", DISTRUST)).length > 0;
}

/** Records that a person compared the ledger with the service's history. @returns false when it was trusted already */
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
 * Recognises a database that was restored from a backup: its epoch differs from that of its ledger. Its open entries may have
 * been called after the backup, so they become unknown. Keys that came after the backup are missing, so grants wait for a
 * person until `trustLedger`.
 * @returns how many entries became unknown
 */
export async function holdRestored(tx: Transaction, kind: LedgerKind, actor: string, now: number): Promise<number> {
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
