import { backoff } from "@porchlight/shared/backoff";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Database, Transaction } from "../db/database.ts";
import {
  abandon,
  claim,
  dueEntries,
  type Entry,
  hasten,
  type Kind,
  LONGEST_CALL_MS,
  settle,
  type Verdict,
} from "../records/ledger/ledger.ts";
import { parkRestored } from "../records/ledger/restored.ts";
import type { Gates } from "../service/gates.ts";
import type { Turn } from "../service/keygate.ts";

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  kind: Kind;
  /** Name of this process, new with every start. */
  node: string;
  accounts: readonly string[];
  /** Makes the call, and tells the turn what came of it. Never rejects; takes at most `LONGEST_CALL_MS`. */
  call: (entry: Entry, turn: Turn) => Promise<Verdict>;
  /** Every call waits for its turn at its account's gate, with everything else that calls the service. */
  gates: Pick<Gates, "enter">;
  /** Writes what follows from the verdict, in the transaction that settles it; returns what to do once that is durable. */
  settled: (tx: Transaction, entry: Entry, verdict: Verdict) => Promise<(() => void) | undefined>;
  /** A lane's entries go out in the order they were written. */
  ordered: boolean;
  random?: () => number;
};

/** How often the ledger is looked at for what other processes wrote, or left. */
const LOOK_MS = 5_000;
const PARALLEL = 8;
const REWRITE_MS = 1_000;
const RETRY_BASE_MS = 5_000;
const RETRY_CAP_MS = 3_600_000;

/**
 * Works off the intents of one kind: claim, commit, call, settle. At most once by itself: what may have been done is never
 * done again without a person, and never forgotten either.
 */
export function createLedgerWorker(parts: Parts) {
  const { db, clock, log, kind, node, accounts, call, settled, ordered, gates } = parts;
  const random = parts.random ?? Math.random;
  const flying = new Set<Promise<void>>();
  /** What waits at the gate, by name, and how to take it back. */
  const waiting = new Map<string, () => void>();
  let stopped = false;
  let looking = false;
  let again = false;
  let cancel = (): void => {};
  const nameOf = ({ account, key }: Entry): string => `${account}\0${key}`;

  async function look(): Promise<void> {
    const now = clock.now();
    await giveUp(now - LONGEST_CALL_MS);
    // Account by account: one that is held keeps nobody else's entries from being found.
    for (const account of accounts)
      for (const entry of await dueEntries(db, { kind, state: "intent", now, limit: PARALLEL, account })) queue(entry);
  }

  function queue(entry: Entry): void {
    const name = nameOf(entry);
    if (stopped || waiting.has(name) || flying.size >= PARALLEL * accounts.length) return;
    let gone = false;
    const leave = gates.enter(entry.account, kind, (turn) => {
      gone = true;
      waiting.delete(name);
      track(take(entry, turn));
    });
    if (!gone) waiting.set(name, leave);
  }

  /** An entry's turn has come: it is claimed now, because it may have changed while it waited. */
  async function take(entry: Entry, turn: Turn): Promise<void> {
    try {
      if (stopped) return;
      const taken = await db.transaction((tx) => claim(tx, { ...entry, node, now: clock.now(), ordered }));
      if (taken !== undefined) await land(taken, await call(taken, turn));
    } catch (error) {
      log("database.failing", { cause: String(error) });
    } finally {
      turn.settle({ kind: "unready", status: 0 });
    }
  }

  function track(work: Promise<void>): void {
    const flight = work.finally(() => {
      flying.delete(flight);
      wake();
    });
    flying.add(flight);
  }

  /** Calls that began before `before` have no process any more. */
  async function giveUp(before: number): Promise<void> {
    const lost = await db.transaction((tx) => abandon(tx, { kind, node, before, now: clock.now() }));
    for (const { account, key } of lost) log("ledger.unknown", { kind, account, key });
  }

  /** Writes the verdict down, as often as it takes: forgotten, a call that was made would be nobody's knowledge. */
  async function land(entry: Entry, verdict: Verdict): Promise<void> {
    if (verdict.kind === "unknown") log("ledger.unknown", { kind, account: entry.account, key: entry.key });
    for (;;) {
      try {
        return await write(entry, verdict);
      } catch (error) {
        log("database.failing", { cause: String(error) });
        if (stopped) return;
        await new Promise<void>((resolve) => void clock.after(REWRITE_MS, resolve));
      }
    }
  }

  async function write(entry: Entry, verdict: Verdict): Promise<void> {
    const now = clock.now();
    const next = nextOf(entry, verdict, now);
    const after = await db.transaction(async (tx) => {
      const taken = await settle(tx, entry, { ...next, actor: node, now });
      return taken && settled(tx, taken, verdict);
    });
    after?.();
  }

  function nextOf(entry: Entry, verdict: Verdict, now: number) {
    switch (verdict.kind) {
      case "done":
        return { state: "done", reason: null, due: now, result: JSON.stringify(verdict.result) } as const;
      case "again": {
        const jitter = backoff(entry.attempts - 1, RETRY_BASE_MS, RETRY_CAP_MS, random);
        return { state: "intent", reason: verdict.reason, due: now + Math.max(verdict.waitMs ?? 0, jitter) } as const;
      }
      case "refused":
      case "unknown":
        return { state: verdict.kind, reason: verdict.reason, due: now } as const;
    }
  }

  /** Something may be due: look now, and once more when already looking. */
  function wake(): void {
    again = true;
    if (looking || stopped) return;
    looking = true;
    void run();
  }

  async function run(): Promise<void> {
    cancel();
    while (again && !stopped) {
      again = false;
      await look().catch((error: unknown) => log("database.failing", { cause: String(error) }));
    }
    looking = false;
    if (!stopped) cancel = clock.after(LOOK_MS, wake);
  }

  return {
    /** Gives up the calls of dead processes, and begins. A relay holds the lock on its database file: no other one lives. */
    async start(): Promise<void> {
      const parked = await db.transaction((tx) => parkRestored(tx, kind, node, clock.now()));
      if (parked > 0) log("ledger.restored", { kind, parked });
      await giveUp(db.dialect === "sqlite" ? Number.MAX_SAFE_INTEGER : clock.now() - LONGEST_CALL_MS);
      wake();
    },
    wake,
    /** The account's key is good again: what was refused because it was not goes now. */
    async hasten(account: string): Promise<void> {
      const count = await db.transaction((tx) => hasten(tx, { kind, account, now: clock.now() }));
      if (count > 0) wake();
    },
    /** Claims nothing more, and resolves when the calls under way are settled. */
    async stop(): Promise<void> {
      stopped = true;
      cancel();
      for (const leave of waiting.values()) leave();
      await Promise.all(flying);
    },
  };
}
