import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { RetentionRules } from "../base/rules.ts";
import type { Database, Transaction } from "../db/database.ts";
import { addAudit } from "../records/operators.ts";
import { dayOf, dropQuotas } from "../records/quotas.ts";
import { countOld, dropFinished, dropOld, type RetentionCursor, staleVisitors, wasLast } from "../records/retention.ts";
import { countSamples, dropSamples, STEPS } from "../records/series.ts";
import type { Forget } from "./forget.ts";

const DAY_MS = 86_400_000;
/** The first run starts this long (ms) after the relay, which is busy at its start. */
const FIRST_MS = 10 * 60_000;
/** Finished mails, finished webhook events and counters of a day are kept for this long (ms), whatever the settings say. */
const LONGEST_MS = 30 * DAY_MS;

/**
 * The kinds of data, in the order of deletion. Conversations come last, because the deletion of a conversation includes its files,
 * leads and mails, which would then be missing from the counts.
 */
const KINDS = ["files", "leads", "mails", "conversations"] as const satisfies (keyof RetentionRules)[];

/**
 * What a run deleted, or a dry run would delete. `series`: the hours behind the operator's plots. They count all sites
 * together, so `site` is null.
 */
export type RetentionRow =
  | { site: string; kind: (typeof KINDS)[number]; days: number; count: number }
  | { site: null; kind: "series"; days: number; count: number };
type SiteRow = RetentionRow & { site: string };

type RetentionDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  sites: { all: readonly Site[] };
  /** Days for which the rows of hours and of quarters of a day are kept (SERIES_DAYS). */
  seriesDays: number;
  forget: Forget;
  /** Whether this node runs the job. */
  works: () => boolean;
};

/** Deletes data that sites no longer keep: once a day, and by command. Each run is recorded in the audit log. */
export function createRetention(deps: RetentionDeps) {
  const { clock, log, works } = deps;
  const poll = createPoll({
    clock,
    every: DAY_MS,
    run: async () => {
      if (!works()) return;
      // First, because an error in the retention of one site ends the run.
      await dropExpired(deps, poll.isStopped);
      await run(deps, { dry: false, actor: "retention", isStopped: poll.isStopped });
    },
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  let cancel = (): void => {};
  return {
    /** Runs the job. `dry`: only counts. */
    run: (given: { dry: boolean; actor: string }): Promise<RetentionRow[]> =>
      run(deps, { ...given, isStopped: poll.isStopped }),
    start(): void {
      cancel = clock.after(FIRST_MS, poll.start);
    },
    async stop(): Promise<void> {
      cancel();
      await poll.stop();
    },
  };
}

/** The retention job; see `createRetention`. */
export type Retention = ReturnType<typeof createRetention>;

type Run = { dry: boolean; actor: string; isStopped: () => boolean };

async function run(deps: RetentionDeps, given: Run): Promise<RetentionRow[]> {
  const rows: RetentionRow[] = [];
  for (const {
    public: { id: site },
    retention = {},
  } of [...deps.sites.all])
    for (const kind of KINDS) {
      const days = retention[kind];
      if (days === undefined || given.isStopped()) continue;
      const row: SiteRow = { site, kind, days, count: 0 };
      rows.push(row);
      // After an error too, record what was deleted before it.
      await drop(deps, given, row).finally(() => (given.dry ? undefined : note(deps, given.actor, row)));
    }
  const series: RetentionRow = { site: null, kind: "series", days: deps.seriesDays, count: 0 };
  rows.push(series);
  await dropSeries(deps, given, series);
  return rows;
}

/** Deletes the finished mails, the finished webhook events and the counters that are older than `LONGEST_MS`. */
async function dropExpired({ db, clock }: RetentionDeps, isStopped: () => boolean): Promise<void> {
  const before = clock.now() - LONGEST_MS;
  for (const table of ["mails", "events"] as const)
    await repeatUntilLast(db, isStopped, (tx) => dropFinished(tx, table, before));
  await db.transaction((tx) => dropQuotas(tx, dayOf(before)));
}

/** Deletes slice by slice, each in a transaction of its own, so that visitors' messages are stored between them. */
async function repeatUntilLast(
  db: Database,
  isStopped: () => boolean,
  dropSlice: (tx: Transaction) => Promise<number>,
): Promise<void> {
  for (let last = false; !last && !isStopped(); ) last = wasLast(await db.transaction(dropSlice));
}

/** Deletes old hours of the series, and their sums by quarter of a day; in a dry run only counts the hours. Sets `row.count`. */
async function dropSeries(deps: RetentionDeps, { dry, actor }: Run, row: RetentionRow): Promise<void> {
  const before = deps.clock.now() - row.days * DAY_MS;
  if (dry) row.count = await countSamples(deps.db, STEPS.hour, before);
  else {
    row.count = await deps.db.transaction(
      async (tx) => {
        await dropSamples(tx, STEPS.quarterDay, before);
        return dropSamples(tx, STEPS.hour, before);
      },
      ["series"],
    );
    await note(deps, actor, row);
  }
}

/** Deletes old data of one kind; in a dry run only counts it. Adds the number to `row`. */
async function drop(deps: RetentionDeps, given: Run, row: SiteRow): Promise<void> {
  const { db, clock } = deps;
  const { site, kind, days } = row;
  const before = clock.now() - days * DAY_MS;
  if (kind === "conversations") await dropConversations(deps, { ...given, before }, row);
  else if (given.dry) row.count = await countOld(db, kind, site, before);
  else
    await repeatUntilLast(db, given.isStopped, async (tx) => {
      const count = await dropOld(tx, kind, site, before);
      row.count += count;
      return count;
    });
}

/** Writes a run to the log and to the audit log. */
async function note({ db, clock, log }: RetentionDeps, actor: string, row: RetentionRow): Promise<void> {
  const { site, kind, days, count } = row;
  if (count === 0) return;
  log("retention.done", row);
  const subject = `${count} ${kind === "series" ? "hours of series" : `${kind} of ${site}`}, older than ${days} days`;
  const entry = { at: clock.now(), actor, action: "delete old data", subject };
  await db.transaction((tx) => addAudit(tx, entry), ["audit"]);
}

/** Deletes whole visitors, as "delete my chat" does, unless they wrote after they were found. */
async function dropConversations(
  { db, forget }: RetentionDeps,
  { before, dry, isStopped }: Run & { before: number },
  row: SiteRow,
): Promise<void> {
  let after: RetentionCursor | undefined;
  do {
    const { found, next } = await staleVisitors(db, { site: row.site, before, after });
    for (const visitor of found) {
      if (isStopped()) return;
      if (dry || (await forget(visitor, { staleBefore: before }))) row.count++;
    }
    after = next;
  } while (after !== undefined);
}
