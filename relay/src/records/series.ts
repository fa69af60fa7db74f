import type { Transaction } from "../db/database.ts";

/** Seconds between two rows of a series. Recent rows cover a minute, older ones an hour. */
export const STEPS = { minute: 60, hour: 3_600 } as const;
/** The length of a step, in seconds. */
export type SeriesStep = (typeof STEPS)[keyof typeof STEPS];

/** A row of the stored series: what one node counted within one step, as JSON. */
export type SeriesRow = { at: number; node: string; body: string };

/** Whether two rows of one step are of the same node and time. */
export const isSameRow = (a: SeriesRow, b: SeriesRow): boolean => a.at === b.at && a.node === b.node;

/** Stores the counts of a node for the step that began at `at`, in milliseconds since 1970. An existing row is kept. */
export async function addSample(tx: Transaction, step: SeriesStep, { at, node, body }: SeriesRow): Promise<void> {
  await tx.run(
    "INSERT INTO series (step, at, node, body) VALUES ($1, $2, $3, $4) ON CONFLICT (step, at, node) DO NOTHING",
    step,
    at,
    node,
    body,
  );
}

/** Stores the counts of a node for a step, and replaces an existing row. */
export async function putSample(tx: Transaction, step: SeriesStep, { at, node, body }: SeriesRow): Promise<void> {
  await tx.run(
    `INSERT INTO series (step, at, node, body) VALUES ($1, $2, $3, $4)
     ON CONFLICT (step, at, node) DO UPDATE SET body = excluded.body`,
    step,
    at,
    node,
    body,
  );
}

/** The rows of steps that began within this time, oldest first. */
export const samplesBetween = (tx: Transaction, step: SeriesStep, from: number, to: number): Promise<SeriesRow[]> =>
  tx.all("SELECT at, node, body FROM series WHERE step = $1 AND at >= $2 AND at < $3 ORDER BY at", step, from, to);

/** Start of the newest stored step; undefined without rows. */
export async function newestSample(tx: Transaction, step: SeriesStep): Promise<number | undefined> {
  const [row] = await tx.all<{ at: number | null }>("SELECT max(at) AS at FROM series WHERE step = $1", step);
  return row?.at ?? undefined;
}

/** Start of the oldest stored step since `since`; undefined without rows. */
export async function oldestSample(tx: Transaction, step: SeriesStep, since: number): Promise<number | undefined> {
  const sql = "SELECT min(at) AS at FROM series WHERE step = $1 AND at >= $2";
  const [row] = await tx.all<{ at: number | null }>(sql, step, since);
  return row?.at ?? undefined;
}

/** Number of rows of steps that began before a time. */
export async function countSamples(tx: Transaction, step: SeriesStep, before: number): Promise<number> {
  const sql = "SELECT count(*) AS count FROM series WHERE step = $1 AND at < $2";
  const [row] = await tx.all<{ count: number }>(sql, step, before);
  return row?.count ?? 0;
}

/** Deletes the rows of steps that began before a time. @returns how many */
export const dropSamples = (tx: Transaction, step: SeriesStep, before: number): Promise<number> =>
  tx.run("DELETE FROM series WHERE step = $1 AND at < $2", step, before);
