import type { Transaction } from "../db/database.ts";

/** A problem that an operator was told about. Times are milliseconds since 1970; without `ended` it goes on. */
export type Alert = { kind: string; subject: string; since: number; ended: number | null; problem: string };

const COLUMNS = "kind, subject, since, ended, problem";

export const openAlerts = (tx: Transaction): Promise<Alert[]> =>
  tx.all(`SELECT ${COLUMNS} FROM alerts WHERE ended IS NULL ORDER BY since`);

/** The newest alerts, those that go on first. */
export const alertsPage = (tx: Transaction, limit: number): Promise<Alert[]> =>
  tx.all(
    `SELECT ${COLUMNS} FROM alerts ORDER BY CASE WHEN ended IS NULL THEN 0 ELSE 1 END, since DESC LIMIT $1`,
    limit,
  );

/** Stores a problem that began. The row of an earlier one of the same kind and subject is used again. */
export async function raiseAlert(
  tx: Transaction,
  { kind, subject, since, problem }: Omit<Alert, "ended">,
): Promise<void> {
  await tx.run(
    `INSERT INTO alerts (kind, subject, since, problem) VALUES ($1, $2, $3, $4)
     ON CONFLICT (kind, subject) DO UPDATE SET since = excluded.since, problem = excluded.problem, ended = NULL`,
    kind,
    subject,
    since,
    problem,
  );
}

export async function endAlert(tx: Transaction, kind: string, subject: string, at: number): Promise<void> {
  await tx.run("UPDATE alerts SET ended = $3 WHERE kind = $1 AND subject = $2", kind, subject, at);
}

/** Messages that failed since `since`. */
export async function failedSince(tx: Transaction, since: number): Promise<number> {
  const sql = "SELECT count(*) AS count FROM messages WHERE state = 'failed' AND settled >= $1";
  const [row] = await tx.all<{ count: number }>(sql, since);
  return row?.count ?? 0;
}
