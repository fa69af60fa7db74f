import type { Clock } from "../base/clock.ts";
import { createPoll } from "../base/poll.ts";
import type { Database, Transaction } from "./database.ts";

/**
 * Who works for whom among several nodes. A node that holds a lease renews it; when it does not, another node takes it
 * after `LEASE_MS`, under a higher epoch. Whoever held it before finds the epoch changed and writes nothing more.
 *
 * On SQLite there is one process, and it holds everything.
 */
export type Leases = {
  /**
   * Whether this node holds the lease now, as far as its own clock can tell. A name that `createLeases` was not given stands
   * for a removed account: one node works for all of them.
   */
  holds: (name: string) => boolean;
  /**
   * Makes sure, inside the transaction that writes, that this node still holds the lease.
   * @throws LeaseLost
   */
  assertHeld: (tx: Transaction, names: readonly string[]) => Promise<void>;
  /** Calls `listener` with every lease that this node takes, and with the leases it holds already. */
  onTaken: (listener: (name: string) => void) => void;
  /** Takes what is free, and begins to renew. */
  start: () => Promise<void>;
  /** Gives all leases back, so that another node takes them at once. */
  stop: () => Promise<void>;
};

/** This node's lease is another node's now. */
export class LeaseLost extends Error {}

/** The lease of the node that calls the service for an account. */
export const accountLease = (account: string): string => `account:${account}`;
/** The lease of the node that sends mails to visitors. */
export const MAIL_LEASE = "mail";
/** The lease of the node that cleans up after accounts which the settings do not name any more. */
const OTHERS_LEASE = "others";

/** The lease of the node that does the daily work: retention, backups, alerts. */
export const CHORES_LEASE = "chores";

/** A lease lasts so long after its last renewal, by the clock of the database. */
const LEASE_MS = 3_000;
/** It is renewed so often; what is free is looked for at the same time. */
const RENEW_MS = 750;
/** The holder stops using it so long before it ends. */
const MARGIN_MS = 500;

/** Milliseconds since 1970 by the clock of PostgreSQL: the clocks of nodes may differ. */
const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/**
 * Takes or renews every lease of `$1` that is free or held by `$2`. One statement without other locks: a transaction that
 * runs alone in the whole cluster does not hold it up. Rows are locked in the order of their names.
 */
const TAKE = `INSERT INTO leases (name, node, epoch, until)
  SELECT name, $2, 1, ${NOW} + ${LEASE_MS} FROM unnest(string_to_array($1, ' ')) AS name ORDER BY name
  ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until,
    epoch = CASE WHEN leases.node = excluded.node THEN leases.epoch ELSE leases.epoch + 1 END
  WHERE leases.node = excluded.node OR leases.until < ${NOW}
  RETURNING name, epoch`;

/** The leases of a process without others beside it: it holds all of them for ever. */
export const holdsAll = (): Leases => ({
  holds: () => true,
  assertHeld: async () => {},
  onTaken: () => {},
  start: async () => {},
  stop: async () => {},
});

type Held = { epoch: number; until: number };

export type LeasesOptions = {
  /** Its connections serve nothing else: a renewal must not wait behind the work of a busy node. */
  db: Pick<Database, "all">;
  clock: Clock;
  /** Name of this process, new with every start. */
  node: string;
  /** The leases that this node may hold besides that of removed accounts; without blanks. */
  names: readonly string[];
  /** Is told why a renewal failed: what is not renewed ends by itself. */
  onError: (error: unknown) => void;
};

/** The leases of one of several nodes. */
export function createLeases({ db, clock, node, names: given, onError }: LeasesOptions): Leases {
  const names = [...given, OTHERS_LEASE];
  const known = new Set(names);
  const leaseOf = (name: string): string => (known.has(name) ? name : OTHERS_LEASE);
  const held = new Map<string, Held>();
  const listeners: ((name: string) => void)[] = [];

  async function renew(): Promise<void> {
    // Counted from before the request: the database counts from later.
    const until = clock.uptime() + LEASE_MS - MARGIN_MS;
    const epochs = await take(db, node, names);
    for (const name of names) {
      const epoch = epochs.get(name);
      const before = held.get(name);
      if (epoch === undefined) held.delete(name);
      else held.set(name, { epoch, until });
      // One that had ended meanwhile is taken anew, also when nobody else wanted it: work was turned away.
      const lapsed = before === undefined || before.until <= clock.uptime();
      if (epoch !== undefined && (lapsed || before.epoch !== epoch)) for (const listener of listeners) listener(name);
    }
  }
  const renewals = createPoll({ clock, every: RENEW_MS, run: renew, onError });

  return {
    holds: (name) => (held.get(leaseOf(name))?.until ?? 0) > clock.uptime(),
    async assertHeld(tx, wanted) {
      const epochs = await epochsOf(tx, node, wanted.map(leaseOf));
      const isLost = (name: string): boolean =>
        epochs.get(name) === undefined || epochs.get(name) !== held.get(name)?.epoch;
      const lost =
        wanted.map(leaseOf).find(isLost) ??
        (await heldElsewhere(
          tx,
          wanted.filter((name) => !known.has(name)),
        ));
      if (lost !== undefined) throw new LeaseLost(`Another node holds the lease ${lost}`);
    },
    onTaken(listener) {
      listeners.push(listener);
      for (const name of held.keys()) listener(name);
    },
    async start() {
      await renew().catch(onError);
      renewals.start();
    },
    async stop() {
      await renewals.stop();
      held.clear();
      await giveBack(db, node).catch(onError);
    },
  };
}

/** Takes or renews what is free or ours. @returns the epoch of each lease that this node holds now */
async function take(db: LeasesOptions["db"], node: string, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.all<{ name: string; epoch: number }>(TAKE, names.join(" "), node);
  return new Map(rows.map(({ name, epoch }) => [name, epoch]));
}

/** The epochs of those of these leases that are this node's in the database. */
async function epochsOf(tx: Transaction, node: string, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.anyOf<{ name: string; node: string; epoch: number }>(
    "SELECT name, node, epoch FROM leases WHERE name = ANY ($1)",
    names,
  );
  return new Map(rows.flatMap((row) => (row.node === node ? [[row.name, row.epoch] as const] : [])));
}

/** One of these leases that some node holds: its settings name an account that ours do not. */
async function heldElsewhere(tx: Transaction, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const [row] = await tx.anyOf<{ name: string }>(
    `SELECT name FROM leases WHERE name = ANY ($1) AND until >= ${NOW}`,
    names,
  );
  return row?.name;
}

const giveBack = (db: LeasesOptions["db"], node: string): Promise<unknown> =>
  db.all("UPDATE leases SET until = 0 WHERE node = $1 RETURNING name", node);
