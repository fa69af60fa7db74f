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
  /**
   * Calls `prepare` before this node uses leases that it has taken in the database. The node holds them once the promise resolves;
   * until then it renews them and those that it holds.
   */
  beforeAcquire: (prepare: (names: readonly string[]) => Promise<void>) => void;
  /** Takes free leases, and starts to renew them. Resolves when those that it has taken are prepared. */
  start: () => Promise<void>;
  /** Releases all leases but these, so that another node can take them at once. Takes no other lease from now on. */
  keepOnly: (names: readonly string[]) => Promise<void>;
  /** Releases all leases. */
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
 * runs alone in the whole cluster does not delay it. Rows are locked in the order of their names, and only those that seem free or
 * own: the nodes that wait for thousands of leases would otherwise delay their holder. All leases that are renewed
 * together end at the same moment, so another node takes all of them or none: accounts with one key stay together.
 */
const TAKE = `WITH moment AS MATERIALIZED (SELECT ${POSTGRES_NOW} AS at)
  INSERT INTO leases (name, node, epoch, until)
  SELECT name, $2, 1, (SELECT at FROM moment) + ${LEASE_MS} FROM unnest(string_to_array($1, ' ')) AS name
  WHERE name NOT IN (SELECT l.name FROM leases l WHERE l.node <> $2 AND l.until >= (SELECT at FROM moment)) ORDER BY name
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
  keepOnly: async () => {},
  stop: async () => {},
});

/** `until`: the end of the lease, by this node's clock. */
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

type State = Omit<LeasesOptions, "names"> & {
  /** The leases that this node takes and renews. */
  wanted: readonly string[];
  held: Map<string, Held>;
  /** Leases that this node has taken and does not use yet, because they are not prepared. */
  taken: Map<string, Held>;
  listeners: ((name: string) => void)[];
  preparations: ((names: readonly string[]) => Promise<void>)[];
  /** The last renewal. */
  renewal: Promise<void>;
  /** Resolves when every preparation that has begun has ended. Never rejects. */
  prepared: Promise<void>;
};

/** The leases of one of several nodes. */
export function createLeases({ names, ...options }: LeasesOptions): Leases {
  const { clock, node, onError } = options;
  const known = new Set([...names, OTHERS_LEASE]);
  const leaseOf = (name: string): string => (known.has(name) ? name : OTHERS_LEASE);
  const [held, taken] = [new Map<string, Held>(), new Map<string, Held>()];
  const ended = { renewal: Promise.resolve(), prepared: Promise.resolve() };
  const state: State = { ...options, wanted: [...known], held, taken, listeners: [], preparations: [], ...ended };
  const renew = (): Promise<void> => {
    state.renewal = renewAll(state);
    return state.renewal;
  };
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
      state.listeners.push(listener);
      for (const name of held.keys()) listener(name);
    },
    beforeAcquire: (prepare) => void state.preparations.push(prepare),
    async start() {
      state.wanted = [...known];
      await renew().catch(onError);
      renewals.start();
      await state.prepared;
    },
    keepOnly: (kept) => keepOnly(state, kept),
    async stop() {
      await renewals.stop();
      await keepOnly(state, []);
      await state.prepared;
    },
  };
}

/**
 * Whether the lease is new to this node. One that expired is new too, even if no other node took it: the node refused work
 * meanwhile.
 */
function isNew({ held, clock }: State, name: string, fencingToken: number): boolean {
  const before = held.get(name);
  return before === undefined || before.until <= clock.uptime() || before.fencingToken !== fencingToken;
}

/** Takes free leases, and renews those that this node has. */
async function renewAll(state: State): Promise<void> {
  const { db, clock, node, held, taken } = state;
  // Measured from before the request, so this node's time ends before the database's.
  const until = clock.uptime() + LEASE_MS - MARGIN_MS;
  const tokens = await take(db, node, state.wanted);
  const fresh = new Map<string, Held>();
  // Only those that are still wanted: `keepOnly` releases the others when this has ended.
  for (const name of state.wanted) {
    const fencingToken = tokens.get(name);
    if (fencingToken === undefined) drop(state, name);
    else if (!isNew(state, name, fencingToken)) held.set(name, { fencingToken, until });
    else {
      if (taken.get(name)?.fencingToken !== fencingToken) fresh.set(name, { fencingToken, until });
      taken.set(name, { fencingToken, until });
    }
  }
  // Not awaited: a slow preparation must not delay the next renewal.
  if (fresh.size > 0) state.prepared = state.prepared.then(() => prepare(state, fresh));
}

/** Prepares leases that this node has taken, then uses those that it still has. Never rejects. */
async function prepare(state: State, fresh: ReadonlyMap<string, Held>): Promise<void> {
  const { held, taken, listeners, preparations, onError } = state;
  const current = (): [name: string, lease: Held][] =>
    [...taken].filter(([name, { fencingToken }]) => fresh.get(name)?.fencingToken === fencingToken);
  try {
    for (const each of preparations) await each(current().map(([name]) => name));
    const prepared = current();
    for (const [name, lease] of prepared) held.set(name, lease);
    for (const [name] of prepared) for (const listener of listeners) listener(name);
  } catch (error) {
    onError(error);
  } finally {
    // Those that could not be prepared are new again for the next renewal.
    for (const [name] of current()) taken.delete(name);
  }
}

function drop({ held, taken }: State, name: string): void {
  held.delete(name);
  taken.delete(name);
}

async function keepOnly(state: State, kept: readonly string[]): Promise<void> {
  const { db, node, held, taken, onError } = state;
  state.wanted = state.wanted.filter((name) => kept.includes(name));
  for (const name of [...held.keys(), ...taken.keys()]) if (!kept.includes(name)) drop(state, name);
  // It may take what is released next. The poll reports its error.
  await state.renewal.catch(() => {});
  await release(db, node, kept).catch(onError);
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
 * Ends all leases of a node but those in `kept`. Locks their rows in the order of their names, as `TAKE` does, so that the two
 * cannot deadlock.
 */
const release = (db: LeasesOptions["db"], node: string, kept: readonly string[]): Promise<unknown> =>
  db.all(
    `WITH mine AS (SELECT name FROM leases WHERE node = $1 AND name <> ALL (string_to_array($2, ' ')) ORDER BY name FOR UPDATE)
     UPDATE leases SET until = 0 FROM mine WHERE leases.name = mine.name RETURNING leases.name`,
    node,
    kept.join(" "),
  );
