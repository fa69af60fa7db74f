import type { Clock } from "../base/clock.ts";
import { createPoll } from "../base/poll.ts";
import type { Database, Transaction } from "./database.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";

/**
 * Leases decide which of several nodes works for an account. The holder renews its lease. When a lease was not renewed for
 * `LEASE_MS`, another node takes it with a higher fencing token (the column `epoch`). The former holder then finds that the token
 * has changed, and writes nothing.
 *
 * With SQLite there is one process, and it holds all leases.
 */
export type Leases = {
  /**
   * Whether this node holds the lease now, by its own clock. A name that `createLeases` does not know belongs to a removed account;
   * one lease covers all of these.
   */
  holds: (name: string) => boolean;
  /**
   * Checks, inside the transaction that writes, that this node still holds the lease.
   * @throws LeaseLost
   */
  assertHeld: (tx: Transaction, names: readonly string[]) => Promise<void>;
  /** Calls `listener` with each lease that this node acquires, and at once with those that it holds. */
  onAcquired: (listener: (name: string) => void) => void;
  /** Calls `prepare` before this node uses leases that it has taken in the database. The node holds them once the promise resolves. */
  beforeAcquire: (prepare: (names: readonly string[]) => Promise<void>) => void;
  /** Takes free leases, and starts to renew them. */
  start: () => Promise<void>;
  /** Releases all leases, so that another node can take them at once. */
  stop: () => Promise<void>;
};

/** Another node holds the lease now. */
export class LeaseLost extends Error {}

/** The lease of the node that handles the remaining work of accounts that the settings no longer name. */
const OTHERS_LEASE = "others";

/** Duration of a lease after its last renewal, by the clock of the database, in milliseconds. */
const LEASE_MS = 3_000;
/** Interval at which leases are renewed and free ones are taken, in milliseconds. */
const RENEW_MS = 750;
/** The holder stops using a lease this long before it ends, in milliseconds. */
const MARGIN_MS = 500;

/**
 * Takes or renews every lease of `$1` that is free or held by `$2`. One statement without other locks: a transaction that
 * runs alone in the whole cluster does not delay it. Rows are locked in the order of their names. All leases that are renewed
 * together end at the same moment, so another node takes all of them or none: accounts with one key stay together.
 */
const TAKE = `WITH moment AS MATERIALIZED (SELECT ${POSTGRES_NOW} AS at)
  INSERT INTO leases (name, node, epoch, until)
  SELECT name, $2, 1, (SELECT at FROM moment) + ${LEASE_MS} FROM unnest(string_to_array($1, ' ')) AS name ORDER BY name
  ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until,
    epoch = CASE WHEN leases.node = excluded.node THEN leases.epoch ELSE leases.epoch + 1 END
  WHERE leases.node = excluded.node OR leases.until < (SELECT at FROM moment)
  RETURNING name, epoch`;

/** The leases of a single process: it always holds all of them. */
export const holdsAll = (): Leases => ({
  holds: () => true,
  assertHeld: async () => {},
  onAcquired: () => {},
  beforeAcquire: () => {},
  start: async () => {},
  stop: async () => {},
});

type Held = { fencingToken: number; until: number };

/** What the leases of a node need. */
export type LeasesOptions = {
  /** A database whose connections serve nothing else, because a renewal must not wait for the work of a busy node. */
  db: Pick<Database, "all">;
  clock: Clock;
  /** Name of this process; each start makes a new one. */
  node: string;
  /** The leases that this node may hold, besides that of removed accounts. Names contain no spaces. */
  names: readonly string[];
  /** Called with the reason why a renewal failed. A lease that is not renewed expires. */
  onError: (error: unknown) => void;
};

/** The leases of one of several nodes. */
export function createLeases({ db, clock, node, names: given, onError }: LeasesOptions): Leases {
  const names = [...given, OTHERS_LEASE];
  const known = new Set(names);
  const leaseOf = (name: string): string => (known.has(name) ? name : OTHERS_LEASE);
  const held = new Map<string, Held>();
  const listeners: ((name: string) => void)[] = [];
  const preparations: ((names: readonly string[]) => Promise<void>)[] = [];

  /**
   * Whether the lease is new to this node. One that expired is new too, even if no other node took it: the node refused work
   * meanwhile.
   */
  function isNew(name: string, fencingToken: number): boolean {
    const before = held.get(name);
    return before === undefined || before.until <= clock.uptime() || before.fencingToken !== fencingToken;
  }

  async function renew(): Promise<void> {
    // Measured from before the request, so this node's time ends before the database's.
    const until = clock.uptime() + LEASE_MS - MARGIN_MS;
    const tokens = await take(db, node, names);
    const taken = [...tokens].flatMap(([name, token]) => (isNew(name, token) ? [name] : []));
    if (taken.length > 0) for (const prepare of preparations) await prepare(taken);
    for (const name of names) if (!tokens.has(name)) held.delete(name);
    for (const [name, fencingToken] of tokens) held.set(name, { fencingToken, until });
    for (const name of taken) for (const listener of listeners) listener(name);
  }
  const renewals = createPoll({ clock, every: RENEW_MS, run: renew, onError });

  return {
    holds: (name) => (held.get(leaseOf(name))?.until ?? 0) > clock.uptime(),
    async assertHeld(tx, wanted) {
      const tokens = await fencingTokensOf(tx, node, wanted.map(leaseOf));
      const isLost = (name: string): boolean =>
        tokens.get(name) === undefined || tokens.get(name) !== held.get(name)?.fencingToken;
      const lost =
        wanted.map(leaseOf).find(isLost) ??
        (await heldElsewhere(
          tx,
          wanted.filter((name) => !known.has(name)),
        ));
      if (lost !== undefined) throw new LeaseLost(`Another node holds the lease ${lost}`);
    },
    onAcquired(listener) {
      listeners.push(listener);
      for (const name of held.keys()) listener(name);
    },
    beforeAcquire: (prepare) => void preparations.push(prepare),
    async start() {
      await renew().catch(onError);
      renewals.start();
    },
    async stop() {
      await renewals.stop();
      held.clear();
      await releaseAll(db, node).catch(onError);
    },
  };
}

/** Takes free leases and renews those of this node. @returns the fencing token of each lease that this node holds now */
async function take(db: LeasesOptions["db"], node: string, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.all<{ name: string; epoch: number }>(TAKE, names.join(" "), node);
  return new Map(rows.map(({ name, epoch }) => [name, epoch]));
}

/** The fencing tokens of the leases among these that this node holds according to the database. */
async function fencingTokensOf(tx: Transaction, node: string, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.anyOf<{ name: string; node: string; epoch: number }>(
    "SELECT name, node, epoch FROM leases WHERE name = ANY ($1)",
    names,
  );
  return new Map(rows.flatMap((row) => (row.node === node ? [[row.name, row.epoch] as const] : [])));
}

/** One of these leases that another node holds. Its configuration then has accounts that this node's configuration lacks. */
async function heldElsewhere(tx: Transaction, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const [row] = await tx.anyOf<{ name: string }>(
    `SELECT name FROM leases WHERE name = ANY ($1) AND until >= ${POSTGRES_NOW}`,
    names,
  );
  return row?.name;
}

/**
 * Ends all leases of a node. Locks their rows in the order of their names, as `TAKE` does, so that the two cannot
 * deadlock.
 */
const releaseAll = (db: LeasesOptions["db"], node: string): Promise<unknown> =>
  db.all(
    `WITH mine AS (SELECT name FROM leases WHERE node = $1 ORDER BY name FOR UPDATE)
     UPDATE leases SET until = 0 FROM mine WHERE leases.name = mine.name RETURNING leases.name`,
    node,
  );
