import { hash } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Database } from "./database.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";

/**
 * Turns between nodes: of all calls with one name, one runs at a time. Their rows are in the table of the leases, while a call
 * runs. A single process needs none: it keeps the order of its calls itself.
 */
export type Turns = {
  /** Runs `work` when no other node works under this name. @returns undefined when another one takes too long */
  run: <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;
};

type TurnsOptions = {
  db: Database;
  clock: Clock;
  /** Called with the reason why a turn could not be ended. It expires. */
  onError: (error: unknown) => void;
};

/** After this time, in ms by the clock of the database, the node of a turn counts as dead. Longer than any call takes. */
const TURN_MS = 60_000;
/** How long, and how often, a call asks for its turn, in ms: a person or a program waits for its result. */
const WAIT_MS = 5_000;
const ASK_MS = 100;

/** The name of a turn's row: a hash, because the turn's name contains what people typed. */
const rowOf = (name: string): string => `turn:${hash("sha256", name, "base64url")}`;

export function createTurns({ db, clock, onError }: TurnsOptions): Turns {
  const take = (row: string, holder: string): Promise<boolean> =>
    db.transaction(
      async (tx) => {
        await tx.run(`DELETE FROM leases WHERE name LIKE 'turn:%' AND until < ${POSTGRES_NOW}`);
        const taken = await tx.run(
          `INSERT INTO leases (name, node, epoch, until) VALUES ($1, $2, 1, ${POSTGRES_NOW} + ${TURN_MS})
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
