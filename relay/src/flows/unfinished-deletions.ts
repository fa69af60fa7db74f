import type { Clock } from "../base/clock.ts";
import { hashed, type Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { Database } from "../db/database.ts";
import { type Deletion, unfinishedDeletions } from "../records/deletions.ts";
import type { Forget } from "./forget.ts";

/** Interval of the search for interrupted deletions, in milliseconds. */
const EVERY_MS = 10_000;

type Deps = {
  db: Database;
  clock: Clock;
  log: Log;
  forget: Forget;
  /** Whether this node does the work. */
  works: () => boolean;
  /** Whether other nodes may be deleting. */
  shared: boolean;
};

/**
 * Creates the job that continues deletions that were interrupted by the end of a process or by an error of the database. Nobody has
 * to repeat the request.
 */
export function createUnfinishedDeletions({ db, clock, log, forget, works, shared }: Deps) {
  /** The number of deleted parts of each deletion at the last search. If it has risen since, another node works on the deletion. */
  let seen = new Map<string, number>();

  /** The deletions that no other process works on, as far as this one can tell. `forget` skips those of this process. */
  function interrupted(found: readonly Deletion[]): Deletion[] {
    const before = seen;
    seen = new Map(found.map(({ visitor, parts }) => [visitor, parts]));
    return shared ? found.filter(({ visitor, parts }) => before.get(visitor) === parts) : [...found];
  }

  async function finish({ visitor, begun }: Deletion): Promise<void> {
    if (!(await forget(visitor, { resume: true }))) return;
    log("deletion.finished", { visitor: hashed(visitor), begun: new Date(begun).toISOString() });
  }

  const poll = createPoll({
    clock,
    every: EVERY_MS,
    async run() {
      if (!works()) return;
      for (const deletion of interrupted(await unfinishedDeletions(db))) {
        if (poll.isStopped()) return;
        // `forget` has reported the error. The next run tries this deletion again.
        await finish(deletion).catch(() => {});
      }
    },
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  return { start: poll.start, stop: poll.stop };
}
