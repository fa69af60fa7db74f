import type { Clock } from "../base/clock.ts";
import { createPoll } from "../base/poll.ts";
import type { Database } from "./database.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";

/** The nodes that share a database, with their addresses. */
export type Nodes = {
  /** Address of a node; undefined when it no longer runs. */
  addressOf: (node: string) => Promise<string | undefined>;
  /** Registers this node. @param address where the other nodes reach it, like `http://10.0.0.7:8787` */
  start: (address: string) => Promise<void>;
  /** Deletes this node's row. */
  stop: () => Promise<void>;
};

/** Interval at which a node renews its row, and the age of a row after which its node counts as gone, in milliseconds. */
const RENEW_MS = 5_000;
const GONE_MS = 60_000;

const KEY = ["nodes"];

/** What the register of nodes needs. */
export type NodesOptions = {
  db: Database;
  clock: Clock;
  node: string;
  /** Called once, when this node finds the first other node. */
  onOthers: () => void;
  onError: (error: unknown) => void;
};

/** Registers this node in the table `nodes`, and renews its row until `stop`. */
export function createNodes({ db, clock, node, onOthers, onError }: NodesOptions): Nodes {
  let address = "";
  let alone = true;

  async function renew(): Promise<void> {
    const others = await db.transaction(async (tx) => {
      await tx.run(`DELETE FROM nodes WHERE seen < ${POSTGRES_NOW} - ${GONE_MS}`);
      await tx.run(
        `INSERT INTO nodes (node, address, seen) VALUES ($1, $2, ${POSTGRES_NOW})
         ON CONFLICT (node) DO UPDATE SET seen = excluded.seen`,
        node,
        address,
      );
      return tx.all("SELECT 1 FROM nodes WHERE node <> $1 LIMIT 1", node);
    }, KEY);
    if (others.length > 0 && alone) onOthers();
    alone &&= others.length === 0;
  }
  const renewals = createPoll({ clock, every: RENEW_MS, run: renew, onError });

  return {
    async addressOf(other) {
      const [row] = await db.all<{ address: string }>("SELECT address FROM nodes WHERE node = $1", other);
      return row?.address;
    },
    async start(given) {
      address = given;
      await renew().catch(onError);
      renewals.start();
    },
    async stop() {
      await renewals.stop();
      await db.transaction((tx) => tx.run("DELETE FROM nodes WHERE node = $1", node), KEY).catch(onError);
    },
  };
}
