import type { Clock } from "../base/clock.ts";
import { createPoll } from "../base/poll.ts";
import type { Database } from "./database.ts";
import { accountLease, accountOf } from "./lease-names.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";

/**
 * The paces of accounts' calls, for the next node: the holder of an account's lease stores them, and the node that takes the
 * lease continues with them. So a stated waiting time, and the calls of the last minute, also count after a takeover (R-801).
 */
export type Paces = {
  /**
   * Continues with the stored paces of leases that this node has just taken, except those that it stored itself. Then stores its
   * own again, because it did not store what changed while another node had the lease. Reports a pace that cannot be read, and
   * ignores it: the node still takes the lease.
   */
  resume: (leases: readonly string[]) => Promise<void>;
  /** Starts to store changed paces, every `SAVE_MS`. */
  start: () => void;
  /** Stores what changed, and stops. */
  stop: () => Promise<void>;
};

/** The gates of the accounts, which report their paces and continue with stored ones. */
export type PaceSource = {
  /** The paces that changed after the last call, by account. */
  unsavedPaces: () => ReadonlyMap<string, string>;
  /** Continues with a pace that is `age` ms old. */
  continuePace: (account: string, saved: string, age: number) => void;
  /** Includes the account's pace in the next `unsavedPaces`, if there were calls. */
  savePaceAgain: (account: string) => void;
};

type PacesOptions = {
  db: Pick<Database, "all">;
  clock: Clock;
  node: string;
  source: PaceSource;
  onError: (error: unknown) => void;
};

/** Interval at which changed paces are stored, in ms. The next node does not know the calls that a node made after its last save. */
const SAVE_MS = 200;

/** Stores the pace `$2`, which is `$4` ms old, if the node `$3` is the last holder of the lease `$1`. */
const SAVE = `UPDATE leases SET pace = $2, pace_node = $3, pace_at = ${POSTGRES_NOW} - $4 WHERE name = $1 AND node = $3 RETURNING name`;

const LOAD = `SELECT name, pace, ${POSTGRES_NOW} - pace_at AS age FROM leases
  WHERE name = ANY (string_to_array($1, ' ')) AND pace IS NOT NULL AND pace_node <> $2`;

/** Creates the store of one node's paces. Only nodes on PostgreSQL need it. */
export function createPaces({ db, clock, node, source, onError }: PacesOptions): Paces {
  /**
   * Paces that the database has not stored yet, by account. After a failed save they are stored later, even if they do not
   * change again.
   */
  const waiting = new Map<string, { pace: string; at: number }>();
  /** Accounts whose leases this node has taken. A node without the lease makes calls too, such as look-ups, and stores nothing. */
  const taken = new Set<string>();
  /** Calls of `resume`. When the number changes while a `SAVE` is under way, the node may have the lease again. */
  let resumes = 0;
  async function save(): Promise<void> {
    for (const [account, pace] of source.unsavedPaces())
      if (taken.has(account)) waiting.set(account, { pace, at: clock.uptime() });
    for (const [account, { pace, at }] of waiting) {
      const before = resumes;
      const stored = await db.all(SAVE, accountLease(account), pace, node, Math.round(clock.uptime() - at));
      waiting.delete(account);
      // Another node has the lease now.
      if (stored.length === 0 && resumes === before) taken.delete(account);
    }
  }
  const saves = createPoll({ clock, every: SAVE_MS, run: save, onError });
  return {
    async resume(leases) {
      const rows = await db.all<{ name: string; pace: string; age: number }>(LOAD, leases.join(" "), node);
      for (const { name, pace, age } of rows) {
        const account = accountOf(name);
        if (account === undefined) continue;
        try {
          source.continuePace(account, pace, age);
        } catch (error) {
          onError(error);
        }
      }
      resumes++;
      for (const account of leases.map(accountOf)) {
        if (account === undefined) continue;
        taken.add(account);
        source.savePaceAgain(account);
      }
    },
    start: saves.start,
    async stop() {
      await saves.stop();
      await save().catch(onError);
    },
  };
}
