import type { Transaction } from "../db/database.ts";

/**
 * A problem that operators are told about. Times are milliseconds since 1970. `ended` is null while the problem exists.
 * `cure`: what the operator can do. `unsentTo`: the channels to which its newest state was not sent yet, separated by spaces.
 */
export type Alert = {
  kind: string;
  subject: string;
  since: number;
  ended: number | null;
  problem: string;
  cure: string;
  unsentTo: string;
};

const COLUMNS = 'kind, subject, since, ended, problem, cure, untold AS "unsentTo"';

/** Open alerts, and ended ones whose end was not sent to every channel yet. Oldest first. */
export const unfinishedAlerts = (tx: Transaction): Promise<Alert[]> =>
  tx.all(`SELECT ${COLUMNS} FROM alerts WHERE ended IS NULL OR untold <> '' ORDER BY since, kind, subject`);

/** Open alerts, newest first. */
export const openAlerts = (tx: Transaction): Promise<Alert[]> =>
  tx.all(`SELECT ${COLUMNS} FROM alerts WHERE ended IS NULL ORDER BY since DESC, kind, subject`);

/** The kind of the alert that says that the service refuses an account's key or address. Its subject is the account. */
export const ACCOUNT_ALERT = "account";

/** The accounts that the service refuses, each with the sentence of its alert. */
export async function refusedAccounts(tx: Transaction): Promise<ReadonlyMap<string, string>> {
  const sql = "SELECT subject, problem FROM alerts WHERE kind = $1 AND ended IS NULL";
  const rows = await tx.all<Pick<Alert, "subject" | "problem">>(sql, ACCOUNT_ALERT);
  return new Map(rows.map(({ subject, problem }) => [subject, problem]));
}

/** A page of alerts: open ones first, then past ones, each newest first. @param skip rows before the page */
export const alertsPage = (
  tx: Transaction,
  { limit, skip }: { limit: number; skip: number },
): Promise<Pick<Alert, "kind" | "subject" | "since" | "ended" | "problem">[]> =>
  tx.all(
    `SELECT kind, subject, since, ended, problem FROM (
       SELECT kind, subject, since, ended, problem FROM alerts
       UNION ALL SELECT kind, subject, since, ended, problem FROM past_alerts) a
     ORDER BY CASE WHEN ended IS NULL THEN 0 ELSE 1 END, since DESC, kind, subject LIMIT $1 OFFSET $2`,
    limit,
    skip,
  );

/** How long past alerts are kept, in milliseconds: a year. */
const KEEP_MS = 365 * 24 * 3_600_000;

/** Copies an ended alert, whose row is about to be replaced, to the past alerts. Deletes past alerts that are too old. */
async function keepPast(tx: Transaction, { kind, subject, since }: Pick<Alert, "kind" | "subject" | "since">) {
  await tx.run(
    `INSERT INTO past_alerts (kind, subject, since, ended, problem)
     SELECT kind, subject, since, ended, problem FROM alerts
     WHERE kind = $1 AND subject = $2 AND ended IS NOT NULL AND since <> $3
     ON CONFLICT (kind, subject, since) DO NOTHING`,
    kind,
    subject,
    since,
  );
  await tx.run("DELETE FROM past_alerts WHERE ended < $1", since - KEEP_MS);
}

/** Stores a problem that began. An earlier one of the same kind and subject becomes a past one. */
export async function raiseAlert(tx: Transaction, alert: Omit<Alert, "ended">): Promise<void> {
  const { kind, subject, since, problem, cure, unsentTo } = alert;
  await keepPast(tx, alert);
  await tx.run(
    `INSERT INTO alerts (kind, subject, since, problem, cure, untold) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (kind, subject) DO UPDATE SET since = excluded.since, problem = excluded.problem, cure = excluded.cure,
       untold = excluded.untold, ended = NULL`,
    kind,
    subject,
    since,
    problem,
    cure,
    unsentTo,
  );
}

type AlertName = Pick<Alert, "kind" | "subject">;

/** Replaces the texts of an open alert, for example after the number of failed messages has changed. It is not sent again. */
export async function describeAlert(
  tx: Transaction,
  { kind, subject, problem, cure }: AlertName & Pick<Alert, "problem" | "cure">,
): Promise<void> {
  const sql = "UPDATE alerts SET problem = $3, cure = $4 WHERE kind = $1 AND subject = $2 AND ended IS NULL";
  await tx.run(sql, kind, subject, problem, cure);
}

/** Stores that a problem has ended. @param unsentTo the channels to which this must be sent */
export async function endAlert(
  tx: Transaction,
  { kind, subject }: AlertName,
  at: number,
  unsentTo: string,
): Promise<void> {
  const sql = "UPDATE alerts SET ended = $3, untold = $4 WHERE kind = $1 AND subject = $2";
  await tx.run(sql, kind, subject, at, unsentTo);
}

/** Stores the channels to which the newest state of an alert was not sent yet. */
export async function setUnsentTo(tx: Transaction, { kind, subject }: AlertName, unsentTo: string): Promise<void> {
  await tx.run("UPDATE alerts SET untold = $3 WHERE kind = $1 AND subject = $2", kind, subject, unsentTo);
}

/** Number of messages that failed since `since`, in milliseconds since 1970. */
export async function failedSince(tx: Transaction, since: number): Promise<number> {
  const sql = "SELECT count(*) AS count FROM messages WHERE state = 'failed' AND settled >= $1";
  const [row] = await tx.all<{ count: number }>(sql, since);
  return row?.count ?? 0;
}
