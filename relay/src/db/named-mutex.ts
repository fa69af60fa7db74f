import { hash } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Database } from "./database.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";

/**
 * A mutex between nodes: of all calls with one name, one runs at a time. While a call runs, its row is in the table of the
 * leases. A single process needs none: it keeps the order of its calls itself.
 */
export type NamedMutex = {
  /** Runs `work` when no other node works under this name. @returns undefined when another one takes too long */
  run: <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;
};

type NamedMutexOptions = {
  db: Database;
  clock: Clock;
  /** Called with the reason why a row could not be deleted. It expires. */
  onError: (error: unknown) => void;
};

/** After this time, in ms by the clock of the database, the node that holds a name counts as dead. Longer than any call takes. */
const HOLD_MAX_MS = 60_000;
/** How long, and how often, a call tries to take its name, in ms: a person or a program waits for its result. */
const WAIT_MS = 5_000;
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
