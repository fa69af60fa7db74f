import { backoff } from "@porchlight/shared/backoff";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { Database, Transaction } from "../db/database.ts";
import {
  abandon,
  accountsCalling,
  claim,
  claimableEntries,
  type LedgerEntry,
  type LedgerKind,
  type LedgerVerdict,
  ledgerKey,
  retryRefusedKey,
  settle,
} from "../records/ledger/ledger.ts";
import { holdRestored } from "../records/ledger/restored.ts";
import type { Gates } from "../service/gates.ts";
import type { Permit } from "../service/keygate.ts";

type LedgerWorkerDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  kind: LedgerKind;
  /** Name of this process, new with every start. */
  node: string;
  accounts: readonly string[];
  /** Makes the call and settles the permit with its outcome. Never rejects. */
  call: (entry: LedgerEntry, permit: Permit) => Promise<LedgerVerdict>;
  /** Every call waits here for its permit, with everything else that calls the service. */
  gates: Pick<Gates, "enter">;
  /**
   * Stores the consequences of the verdict, in the transaction that settles the entry.
   * @returns a function to call when the transaction is durable
   */
  settled: (tx: Transaction, entry: LedgerEntry, verdict: LedgerVerdict) => Promise<(() => void) | undefined>;
  /** Whether a lane's entries are called in the order in which they were written. */
  ordered: boolean;
  /** Whether this node makes the calls of an account. */
  works: (account: string) => boolean;
  /** The same check inside the transaction that writes. @throws LeaseLost */
  assertWorks: (tx: Transaction, account: string) => Promise<void>;
  random: () => number;
};

type State = LedgerWorkerDeps & {
  /** Calls under way. */
  underWay: Set<Promise<void>>;
  /** Entries that wait for their permit, by name, and the function that cancels the waiting. */
  waiting: Map<string, () => void>;
  /** Names of the entries that have a permit, and of those whose permit ended since the last search began. */
  permitted: Map<string, "open" | "ended">;
  /** Searches for due entries now. */
  wake: () => void;
  isStopped: () => boolean;
};

/** Makes the calls of one kind of ledger entry. */
export type LedgerWorker = {
  /** Starts the worker. Calls of processes that no longer work for their accounts become `unknown`. */
  start: () => Promise<void>;
  /** Searches for due entries now, because one may have been added. */
  wake: () => void;
  /** Call it when an account's key works again. Makes entries due that the service refused because of the key. */
  retryRefusedKey: (account: string) => Promise<void>;
  /** Claims no more entries; resolves when the calls under way are settled. */
  stop: () => Promise<void>;
};

/** The ledger is searched at this interval (ms) for entries that other processes wrote or left. */
const POLL_MS = 5_000;
/** Most calls under way per account. */
const CALLS_AT_ONCE_MAX = 8;
/** Pause before the next attempt to store a verdict, in ms. */
const REWRITE_MS = 1_000;
/** Waits between the calls of one entry: full jitter up to `min(cap, base * 2^attempt)`. */
const RETRY_BASE_MS = 5_000;
const RETRY_CAP_MS = 3_600_000;

type Optional = "random" | "works" | "assertWorks";

/**
 * Makes the calls of one kind of ledger entry: claim, commit, call, settle. Each call is made at most once: a call that may
 * have been made is never repeated without a person, and never forgotten.
 */
export function createLedgerWorker(
  given: Omit<LedgerWorkerDeps, Optional> & Partial<Pick<LedgerWorkerDeps, Optional>>,
): LedgerWorker {
  const deps: LedgerWorkerDeps = { random: Math.random, works: () => true, assertWorks: async () => {}, ...given };
  const poll = createPoll({
    clock: deps.clock,
    every: POLL_MS,
    run: () => queueDue(state),
    onError: (error) => deps.log("database.failing", { cause: String(error) }),
  });
  const { wake, isStopped } = poll;
  const state: State = { ...deps, underWay: new Set(), waiting: new Map(), permitted: new Map(), wake, isStopped };
  return {
    start: () => start(state),
    wake,
    retryRefusedKey: (account) => retryAccount(state, account),
    async stop() {
      await poll.stop();
      for (const leave of state.waiting.values()) leave();
      await Promise.all(state.underWay);
    },
  };
}

async function start(state: State): Promise<void> {
  const { db, clock, log, kind, node } = state;
  const parked = await db.transaction((tx) => holdRestored(tx, kind, node, clock.now()));
  if (parked > 0) log("ledger.restored", { kind, parked });
  await abandonCalls(state);
  state.wake();
}

/** Queues the entries that are due and whose lane is free. One search runs at a time. */
async function queueDue(state: State): Promise<void> {
  const { db, clock, kind, accounts, works, ordered, permitted } = state;
  const now = clock.now();
  for (const [name, permit] of permitted) if (permit === "ended") permitted.delete(name);
  await abandonCalls(state);
  // One account at a time, so that the entries of a held account do not hide those of the others.
  for (const account of accounts.filter(works))
    for (const entry of await claimableEntries(db, { kind, account, now, ordered, limit: CALLS_AT_ONCE_MAX }))
      queue(state, entry);
}

/**
 * Calls under way become `unknown` if another process began them and this node now works for their account: that process is
 * gone or has stopped. The lease alone decides, never the time. A late answer still settles the call (`settle`).
 */
async function abandonCalls(state: State): Promise<void> {
  const { db, clock, log, kind, node, works, assertWorks } = state;
  for (const account of (await accountsCalling(db, kind, node)).filter(works)) {
    const lost = await db.transaction(
      async (tx) => {
        await assertWorks(tx, account);
        return abandon(tx, { kind, account, node, now: clock.now() });
      },
      [ledgerKey(account)],
    );
    for (const { key } of lost) log("ledger.unknown", { kind, account, key });
  }
}

/**
 * Adds an entry to those that wait for their permit, unless it waits already or too many calls are under way. An entry that had a
 * permit while the search ran is left out: the search may have read it before it was claimed, and would take a permit in vain.
 */
function queue(state: State, entry: LedgerEntry): void {
  const { accounts, underWay, waiting, permitted, gates, kind } = state;
  const name = `${entry.account}\0${entry.key}`;
  const isKnown = waiting.has(name) || permitted.has(name);
  if (state.isStopped() || isKnown || underWay.size >= CALLS_AT_ONCE_MAX * accounts.length) return;
  let gone = false;
  const leave = gates.enter(entry.account, kind, (permit) => {
    gone = true;
    waiting.delete(name);
    permitted.set(name, "open");
    track(
      state,
      take(state, entry, permit).finally(() => permitted.set(name, "ended")),
    );
  });
  if (!gone) waiting.set(name, leave);
}

function track({ underWay, wake }: State, work: Promise<void>): void {
  const flight = work.finally(() => {
    underWay.delete(flight);
    wake();
  });
  underWay.add(flight);
}

/** Claims an entry that has its permit, and makes its call. The entry may have changed while it waited. */
async function take(state: State, entry: LedgerEntry, permit: Permit): Promise<void> {
  const { db, clock, log, node, ordered, call, assertWorks } = state;
  const { account } = entry;
  try {
    if (state.isStopped()) return;
    const taken = await db.transaction(
      async (tx) => {
        await assertWorks(tx, account);
        return claim(tx, { ...entry, node, now: clock.now(), ordered });
      },
      [ledgerKey(account)],
    );
    if (taken !== undefined) await storeVerdict(state, taken, await call(taken, permit));
  } catch (error) {
    log("database.failing", { cause: String(error) });
  } finally {
    permit.settle({ kind: "unready", status: 0 });
  }
}

/** Stores the verdict. Retries until it is stored; otherwise the call would go unrecorded. */
async function storeVerdict(state: State, entry: LedgerEntry, verdict: LedgerVerdict): Promise<void> {
  const { clock, log, kind } = state;
  if (verdict.kind === "unknown") log("ledger.unknown", { kind, account: entry.account, key: entry.key });
  for (;;) {
    try {
      return await write(state, entry, verdict);
    } catch (error) {
      log("database.failing", { cause: String(error) });
      if (state.isStopped()) return;
      await new Promise<void>((resolve) => void clock.after(REWRITE_MS, resolve));
    }
  }
}

async function write(
  { db, clock, node, random, settled }: State,
  entry: LedgerEntry,
  verdict: LedgerVerdict,
): Promise<void> {
  const now = clock.now();
  const next = nextOf(entry, verdict, now, random);
  const after = await db.transaction(
    async (tx) => {
      const taken = await settle(tx, entry, { ...next, actor: node, now });
      return taken && settled(tx, taken, verdict);
    },
    // The lane of a message is its visitor.
    [ledgerKey(entry.account), entry.lane],
  );
  after?.();
}

/** The entry's next state after a call. */
function nextOf({ attempts }: LedgerEntry, verdict: LedgerVerdict, now: number, random: () => number) {
  switch (verdict.kind) {
    case "done":
      return { state: "done", reason: null, due: now, result: JSON.stringify(verdict.result) } as const;
    case "again": {
      const jitter = backoff(attempts - 1, RETRY_BASE_MS, RETRY_CAP_MS, random);
      return { state: "intent", reason: verdict.reason, due: now + Math.max(verdict.waitMs ?? 0, jitter) } as const;
    }
    case "refused":
    case "unknown":
      return { state: verdict.kind, reason: verdict.reason, due: now } as const;
  }
}

async function retryAccount({ db, clock, kind, wake }: State, account: string): Promise<void> {
  const count = await db.transaction(
    (tx) => retryRefusedKey(tx, { kind, account, now: clock.now() }),
    [ledgerKey(account)],
  );
  if (count > 0) wake();
}
