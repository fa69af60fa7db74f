import type { Transaction } from "../db/database.ts";

/**
 * Seconds between two rows of a series. Each step is a multiple of the one before it, and its rows are sums of that one's rows.
 * The rows of minutes and quarters of an hour are kept for two days, the others for SERIES_DAYS.
 */
export const STEPS = { minute: 60, quarterHour: 900, hour: 3_600, quarterDay: 21_600 } as const;
/** The length of a step, in seconds. */
export type SeriesStep = (typeof STEPS)[keyof typeof STEPS];

/** A row of the stored series: what one node counted within one step, as JSON. */
export type SeriesRow = { at: number; node: string; body: string };

/** Whether two rows of one step are of the same node and time. */
export const isSameRow = (a: SeriesRow, b: SeriesRow): boolean => a.at === b.at && a.node === b.node;

/**
 * Stores the counts of a node for each step that began at `at`, in milliseconds since 1970. An existing row is kept. No two rows
 * may have the same step and node.
 */
export const addSamples = (tx: Transaction, step: SeriesStep, rows: readonly SeriesRow[]): Promise<void> =>
  tx.runEach(
    "INSERT INTO series (step, at, node, body) VALUES ($1, $2, $3, $4) ON CONFLICT (step, at, node) DO NOTHING",
    rows.map(({ at, node, body }) => [step, at, node, body]),
  );

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

/**
 * A part of `samplesInSteps`: the rows of one step, since the end of the newest row of the next coarser step that has one.
 * @param coarser the coarser steps, from the coarsest to the finest
 */
function selectStep(step: SeriesStep, coarser: readonly SeriesStep[]): string {
  const ends = coarser.map(
    (each) => `(SELECT max(at) + ${each * 1_000} FROM series WHERE step = ${each} AND at >= $1 AND at < $2)`,
  );
  const begin = ends.length === 0 ? "$1" : `COALESCE(${[...ends.reverse(), "$1"].join(", ")})`;
  return `SELECT step, at, node, body FROM series WHERE step = ${step} AND at >= ${begin} AND at < $2`;
}

/**
 * The rows of this time, oldest first, each time in the coarsest step that has a row for it. One statement reads them: a day in
 * quarters of an hour is about a hundred rows, in minutes 1,440 of each node.
 * @param steps from the coarsest to the finest
 */
export async function samplesInSteps(
  tx: Transaction,
  steps: readonly SeriesStep[],
  from: number,
  to: number,
): Promise<SeriesRow[]> {
  const parts = steps.map((step, n) => selectStep(step, steps.slice(0, n)));
  const rows = await tx.all<SeriesRow & { step: SeriesStep }>(`${parts.join(" UNION ALL ")} ORDER BY at`, from, to);
  const found: SeriesRow[] = [];
  let end = from;
  for (const step of steps) {
    // An older version may have stored hours without their quarters: then the statement returns minutes of these hours, too.
    const since = end;
    const uncovered = rows.filter((row) => row.step === step && row.at >= since);
    found.push(...uncovered);
    end = Math.max(end, (uncovered.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + step * 1_000);
  }
  return found;
}

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
