import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { RetentionRules } from "../base/rules.ts";
import type { Database } from "../db/database.ts";
import { addAudit } from "../records/operators.ts";
import { countOld, dropOld, type RetentionPlace, staleVisitors } from "../records/retention.ts";
import type { Forget } from "./forget.ts";

const DAY_MS = 86_400_000;
/** The job begins this long after the start of the relay, which has other work then. */
const FIRST_MS = 10 * 60_000;

const KINDS = ["conversations", "files", "leads", "mails"] as const satisfies (keyof RetentionRules)[];

/** What a run deleted, or a dry run would delete. */
export type RetentionRow = { site: string; kind: (typeof KINDS)[number]; days: number; count: number };

type RetentionDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  sites: { all: readonly Site[] };
  forget: Forget;
  /** Whether this node does the job. */
  works: () => boolean;
};

/** Deletes what sites no longer keep: once a day, and by command. Each run is counted in the audit log. */
export function createRetention(deps: RetentionDeps) {
  const { clock, log, works } = deps;
  const poll = createPoll({
    clock,
    every: DAY_MS,
    run: async () => {
      if (works()) await run(deps, { dry: false, actor: "retention", isStopped: poll.isStopped });
    },
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  let cancel = (): void => {};
  return {
    /** @param dry only counts */
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

export type Retention = ReturnType<typeof createRetention>;

type Run = { dry: boolean; actor: string; isStopped: () => boolean };

async function run(deps: RetentionDeps, given: Run): Promise<RetentionRow[]> {
  const { db, clock, log, sites } = deps;
  const rows: RetentionRow[] = [];
  for (const {
    public: { id: site },
    retention = {},
  } of sites.all)
    for (const kind of KINDS) {
      const days = retention[kind];
      if (days === undefined || given.isStopped()) continue;
      const before = clock.now() - days * DAY_MS;
      const count =
        kind === "conversations"
          ? await dropConversations(deps, { ...given, site, before })
          : given.dry
            ? await countOld(db, kind, site, before)
            : await db.transaction((tx) => dropOld(tx, kind, site, before), [`retention ${site}`]);
      rows.push({ site, kind, days, count });
    }
  const deleted = given.dry ? [] : rows.filter(({ count }) => count > 0);
  for (const { site, kind, days, count } of deleted) {
    log("retention.done", { site, kind, days, count });
    const subject = `${count} ${kind} of ${site}, older than ${days} days`;
    const entry = { at: clock.now(), actor: given.actor, action: "delete old data", subject };
    await db.transaction((tx) => addAudit(tx, entry), ["audit"]);
  }
  return rows;
}

/** Deletes whole visitors, as "delete my chat" does. @returns how many */
async function dropConversations(
  { db, forget }: RetentionDeps,
  { site, before, dry, isStopped }: Run & { site: string; before: number },
): Promise<number> {
  let count = 0;
  let after: RetentionPlace | undefined;
  do {
    const { found, next } = await staleVisitors(db, { site, before, after });
    for (const visitor of found) {
      if (isStopped()) return count;
      if (!dry) await forget(visitor);
      count++;
    }
    after = next;
  } while (after !== undefined);
  return count;
}
