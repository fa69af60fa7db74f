import type { Clock } from "../../base/clock.ts";
import { createDeadlines } from "../../base/deadlines.ts";
import type { Log } from "../../base/log.ts";
import type { Spool } from "../../db/spool.ts";

/**
 * The outcome of an entry. `spooled`: the spool has the entry, and the database gets it later. `lost`: neither stored it.
 * `unknown`: it does not belong to this relay.
 */
export type IntakeOutcome<Stored> = Stored | "unknown" | "spooled" | "lost";

type LogEvents = { spooled: Parameters<Log>[0]; lost: Parameters<Log>[0]; replayed: Parameters<Log>[0] };

type IntakeDeps<Entry, Stored extends string> = {
  clock: Clock;
  log: Log;
  spool: Spool<Entry>;
  /** Writes an entry to the database. Must do nothing when called again with the same entry. */
  write: (entry: Entry) => Promise<Stored>;
  /** Whether an entry that the database did not store belongs to this relay; true when that cannot be determined. */
  isOurs?: (entry: Entry) => Promise<boolean>;
  /** Entries of one lane reach the database in order of arrival: while older ones wait in the spool, new ones go there too. */
  ordered: boolean;
  /** Entries of one lane are replayed one after the other, those of different lanes at the same time. */
  laneOf: (entry: Entry) => string;
  /** Names an entry, in the spool too. */
  idOf: (entry: Entry) => string;
  /**
   * The answer to a spooled entry waits for the database for up to this time (ms), counted from the first spooled entry of an
   * outage; see `ANSWER_DELAY_MS`. Absent: it does not wait.
   */
  answerDelay?: number | undefined;
  /** Time for the database to store an entry, in ms. After it, the entry goes to the spool. Absent: `TIMEOUT_MS`. */
  timeout?: number | undefined;
  events: LogEvents;
  /** What the log says about an entry. */
  describe: (entry: Entry) => Parameters<Log>[1];
};

type State<Entry, Stored extends string> = IntakeDeps<Entry, Stored> & {
  deadline: ReturnType<typeof createDeadlines>;
  /** Lanes that have entries in the spool, with the newest entry's id; `all` while an earlier process's entries may be in it. */
  spooled: Map<string, string> | "all";
  /** Ends the wait of entries that come after spooled ones of their lane, by lane. */
  freed: Map<string, PromiseWithResolvers<void>>;
  /** The replay under way. */
  replaying: Promise<void> | undefined;
  /** By the id of each spooled entry whose answer waits for the database: ends that wait. */
  answers: Map<string, () => void>;
  /** Ends the wait of the entries that are spooled in this outage; absent: nothing was spooled since the last replay. */
  outageWait: OutageWait | undefined;
  /** Cancels the replay that is planned; absent: none is. */
  cancelReplay: (() => void) | undefined;
  /** After a stop, the spool keeps its entries for the next process. */
  stopped: boolean;
  /** Uptime before which no new entry starts a replay, because the last one failed. */
  retryAt: number;
};

/** The wait of spooled entries for the database. `over` resolves when the database has them or `answerDelay` has passed. */
type OutageWait = { over: Promise<void>; end: () => void };

/** Stores callbacks durably; see `createIntake`. */
export type DurableIntake<Entry, Stored extends string> = {
  /** Resolves once the entry is durable, or once it is certain that it can be stored nowhere. Never rejects. */
  take: (entry: Entry) => Promise<IntakeOutcome<Stored>>;
  /** Stores the entries that an earlier process left in the spool. */
  start: () => Promise<void>;
  /** Stores the entries in the spool of a node that does not come back. @returns their number */
  replaySpool: (spool: Spool<Entry>) => Promise<number>;
  /** Ends all waits and replays. The spool keeps its entries for the next process. */
  stop: () => Promise<void>;
};

/** Default of `timeout`. The service waits only seconds for its answer. */
const TIMEOUT_MS = 1_000;
/**
 * `answerDelay` of a node that shares its database with others. While the answer waits, the service sends the visitor's next
 * reply to no other node, and if this node is killed, the balancer repeats the callback at another one: so the next reply
 * cannot overtake this one. Together with `TIMEOUT_MS` this is 5 s; the service's own timeout is unknown.
 */
export const ANSWER_DELAY_MS = 4_000;
/** Interval of replays into a database that refuses entries, in ms. */
const REPLAY_MS = 500;

/**
 * Creates the durable intake of one kind of callback: it stores entries in the database, or in the spool while the database
 * fails or takes too long. The service does not repeat a callback, so a lost callback is lost permanently (RELIABILITY finding
 * 8).
 */
export function createIntake<Entry, Stored extends string>(
  deps: IntakeDeps<Entry, Stored>,
): DurableIntake<Entry, Stored> {
  const state: State<Entry, Stored> = {
    ...deps,
    deadline: createDeadlines(deps.clock, deps.timeout ?? TIMEOUT_MS),
    spooled: deps.spool.waiting ? "all" : new Map(),
    freed: new Map(),
    replaying: undefined,
    answers: new Map(),
    outageWait: undefined,
    cancelReplay: undefined,
    stopped: false,
    retryAt: Number.NEGATIVE_INFINITY,
  };
  return {
    take: (entry) => take(state, entry),
    async start() {
      if (deps.spool.waiting) await replay(state);
    },
    replaySpool: (spool) => spool.replay((entries) => writeAll(state, entries)),
    async stop() {
      state.stopped = true;
      state.cancelReplay?.();
      state.outageWait?.end();
      await state.replaying;
    },
  };
}

async function take<Entry, Stored extends string>(state: State<Entry, Stored>, entry: Entry) {
  const { clock, write, isOurs = async () => true } = state;
  // Waits only seconds for older entries, because the service waits only seconds for its answer. A database that has just failed is
  // not asked again for each entry.
  if (mustWait(state, entry) && clock.uptime() >= state.retryAt)
    await inTime(state, Promise.race([replay(state), laneFreed(state, entry)])).catch(() => {});
  const waiting = mustWait(state, entry);
  const attempt = waiting ? undefined : write(entry);
  const written = attempt && (await inTime(state, attempt).catch((error: unknown) => ({ error })));
  if (typeof written === "string") return written;
  if (!(await inTime(state, isOurs(entry)).catch(() => true))) return "unknown";
  const outcome = spoolEntry(state, entry, written === undefined ? "earlier entries wait in the spool" : written.error);
  if (outcome === "spooled" && !state.stopped) await untilStored(state, entry, attempt);
  return outcome;
}

/**
 * Waits until the database has a spooled entry, or `answerDelay` has passed.
 * @param attempt the first attempt to write it, which may succeed late
 */
function untilStored<Entry, Stored extends string>(
  state: State<Entry, Stored>,
  entry: Entry,
  attempt: Promise<Stored> | undefined,
): Promise<void> {
  const { answerDelay, idOf, answers } = state;
  if (answerDelay === undefined) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const id = idOf(entry);
  answers.set(id, resolve);
  attempt?.then(
    () => resolve(),
    () => {},
  );
  void beginWait(state, answerDelay).over.then(resolve);
  return promise.finally(() => answers.delete(id));
}

/** Begins the wait of this outage's entries, unless an earlier entry began it. */
function beginWait<Entry, Stored extends string>(state: State<Entry, Stored>, ms: number): OutageWait {
  if (state.outageWait !== undefined) return state.outageWait;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = state.clock.after(ms, resolve);
  const end = (): void => {
    cancel();
    resolve();
  };
  state.outageWait = { over, end };
  return state.outageWait;
}

/** Whether the spool may hold an earlier entry of the same lane. */
const mustWait = <Entry, Stored extends string>(state: State<Entry, Stored>, entry: Entry): boolean =>
  state.ordered && state.spool.waiting && (state.spooled === "all" || state.spooled.has(state.laneOf(entry)));

/** Resolves when a replay has stored the newest spooled entry of this entry's lane. */
function laneFreed<Entry, Stored extends string>({ freed, laneOf }: State<Entry, Stored>, entry: Entry): Promise<void> {
  const lane = laneOf(entry);
  const wait = freed.get(lane) ?? Promise.withResolvers<void>();
  freed.set(lane, wait);
  return wait.promise;
}

/** Ends the waits for these lanes: their entries go to the database directly again. */
function free<Entry, Stored extends string>({ freed }: State<Entry, Stored>, lanes: Iterable<string>): void {
  for (const lane of lanes) {
    freed.get(lane)?.resolve();
    freed.delete(lane);
  }
}

/** Resolves as `work` does; rejects when it takes too long. A late success is harmless: the second write does nothing. */
function inTime<T>({ deadline }: Pick<State<never, never>, "deadline">, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = deadline(() => reject(new Error("The database is too slow")));
    work.then(resolve, reject).finally(cancel);
  });
}

function spoolEntry<Entry, Stored extends string>(state: State<Entry, Stored>, entry: Entry, cause: unknown) {
  const { spool, spooled, laneOf, idOf, log, events, describe } = state;
  const about = { ...describe(entry), cause: String(cause) };
  try {
    spool.append(entry);
  } catch (error) {
    log(events.lost, { ...about, spool: String(error) });
    return "lost";
  }
  if (spooled !== "all") spooled.set(laneOf(entry), idOf(entry));
  log(events.spooled, about);
  replayLater(state);
  return "spooled";
}

/** Plans a replay. An entry that is spooled later does not delay the one that is planned. */
function replayLater<Entry, Stored extends string>(state: State<Entry, Stored>): void {
  if (state.stopped || state.cancelReplay !== undefined) return;
  state.cancelReplay = state.clock.after(REPLAY_MS, () => {
    state.cancelReplay = undefined;
    if (state.spool.waiting) void replay(state);
  });
}

/** Empties the spool into the database, in order. Tries again later when the database fails. */
function replay<Entry, Stored extends string>(state: State<Entry, Stored>): Promise<void> {
  const { spool, log, clock, events } = state;
  state.replaying ??= spool
    .replay((entries) => writeAll(state, entries))
    .then((count) => {
      // No await between the check and the new map: otherwise an entry spooled in between would be missing from the map.
      if (!spool.waiting) {
        state.spooled = new Map();
        free(state, [...state.freed.keys()]);
        state.outageWait?.end();
        state.outageWait = undefined;
      }
      log(events.replayed, { count });
    })
    .catch((error: unknown) => {
      log("database.failing", { cause: String(error) });
      state.retryAt = clock.uptime() + REPLAY_MS;
      replayLater(state);
    })
    .finally(() => {
      state.replaying = undefined;
    });
  return state.replaying;
}

/**
 * Writes entries: in order within a lane, and several lanes at once, because one commit per entry would be slower than new entries
 * arrive. A lane is free as soon as its newest entry is stored. Without this, new entries of all lanes would wait for the slowest
 * lane and join the spool, which would never become empty while the database is slow.
 */
async function writeAll<Entry, Stored extends string>(
  state: State<Entry, Stored>,
  entries: readonly Entry[],
): Promise<void> {
  const { write, laneOf, idOf, answers } = state;
  const inOrder = async ([lane, entriesOfLane]: [string, readonly Entry[]]): Promise<void> => {
    for (const entry of entriesOfLane) {
      await write(entry);
      const id = idOf(entry);
      answers.get(id)?.();
      if (state.spooled === "all" || state.spooled.get(lane) !== id) continue;
      state.spooled.delete(lane);
      free(state, [lane]);
    }
  };
  // Every lane must end before the next replay begins.
  const ended = await Promise.allSettled([...Map.groupBy(entries, laneOf)].map(inOrder));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
