import { hash } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Database } from "./database.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";

/**
 * A mutex between nodes: calls with the same name run one at a time. While a call runs, the table of the leases has a row with its
 * name. A single process does not need it, because it keeps the order of its calls itself.
 */
export type NamedMutex = {
  /** Runs `work` when no other call has this name. @returns undefined when the wait takes longer than `WAIT_MS` */
  run: <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;
};

type NamedMutexOptions = {
  db: Database;
  clock: Clock;
  /** Called with the reason why a row could not be deleted. Such a row expires after `HOLD_MAX_MS`. */
  onError: (error: unknown) => void;
};

/** After this time, in ms by the clock of the database, the node that holds a name counts as dead. Longer than any call takes. */
const HOLD_MAX_MS = 60_000;
/** How long a call tries to take its name, in ms. A person or a program waits for its result. */
const WAIT_MS = 5_000;
/** Time between two attempts, in ms. */
const ASK_MS = 100;

/** The name of the row: a hash, because the given name contains what people typed. `turn:` is a stored name. */
const rowOf = (name: string): string => `turn:${hash("sha256", name, "base64url")}`;

/** Creates the mutexes of one node. On SQLite `run` only calls `work`. */
export function createNamedMutex({ db, clock, onError }: NamedMutexOptions): NamedMutex {
  const take = (row: string, holder: string): Promise<boolean> =>
    db.transaction(
      async (tx) => {
        await tx.run(`DELETE FROM leases WHERE name LIKE 'turn:%' AND until < ${POSTGRES_NOW}`);
        const taken = await tx.run(
          `INSERT INTO leases (name, node, epoch, until) VALUES ($1, $2, 1, ${POSTGRES_NOW} + ${HOLD_MAX_MS})
           ON CONFLICT (name) DO NOTHING`,
          row,
          holder,
        );
        return taken === 1;
      },
      [row],
    );
  const end = (row: string, holder: string): Promise<unknown> =>
    db.transaction((tx) => tx.run("DELETE FROM leases WHERE name = $1 AND node = $2", row, holder), [row]);

  return {
    async run(name, work) {
      if (db.dialect === "sqlite") return work();
      const [row, holder] = [rowOf(name), randomId(12)];
      const until = clock.uptime() + WAIT_MS;
      while (!(await take(row, holder))) {
        if (clock.uptime() >= until) return undefined;
        await new Promise<void>((resolve) => void clock.after(ASK_MS, resolve));
      }
      try {
        return await work();
      } finally {
        await end(row, holder).catch(onError);
      }
    },
  };
}
