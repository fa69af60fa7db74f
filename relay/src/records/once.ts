import { backoff } from "@porchlight/shared/backoff";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { Pacer } from "../flows/pacer.ts";
import { abandon, claim, dueEntries, type Entry, type Kind, LONGEST_CALL_MS, settle } from "./ledger.ts";
import { parkRestored } from "./restored.ts";

/**
 * What came of a call that must not be made twice. `again`: certainly not done, a later try may do. `refused`: certainly
 * not done, and no try will. `unknown`: it may have been done.
 */
export type Verdict =
  | { kind: "done"; result: Record<string, unknown> }
  | { kind: "again"; reason: string; waitMs?: number }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  kind: Kind;
  /** Name of this process, new with every start. */
  node: string;
  /** Makes the call. Never rejects; takes at most `LONGEST_CALL_MS`. */
  call: (entry: Entry) => Promise<Verdict>;
  /** The account's pace, shared with everything else that calls it. `call` tells it what came of the call. */
  pacer: (account: string) => Pick<Pacer, "take" | "answered"> | undefined;
  /** Writes what follows from the verdict, in the transaction that settles it; returns what to do once that is durable. */
  settled: (tx: Transaction, entry: Entry, verdict: Verdict) => Promise<(() => void) | undefined>;
  /** A lane's entries go out in the order they were written. */
  ordered: boolean;
  random?: () => number;
};

/** How often the ledger is looked at for what other processes wrote, or left. */
const LOOK_MS = 5_000;
const BATCH = 50;
const PARALLEL = 8;
const REWRITE_MS = 1_000;
const RETRY_BASE_MS = 5_000;
const RETRY_CAP_MS = 3_600_000;

/**
 * Works off the intents of one kind: claim, commit, call, settle. At most once by itself: what may have been done is never
 * done again without a person, and never forgotten either.
 */
export function createOnce(parts: Parts) {
  const { db, clock, log, kind, node, call, settled, ordered, pacer } = parts;
  const random = parts.random ?? Math.random;
  const flying = new Set<Promise<void>>();
  let stopped = false;
  let looking = false;
  let again = false;
  /** Until the next look, unless something happens. */
  let pause = LOOK_MS;
  let cancel = (): void => {};

  async function look(): Promise<void> {
    const now = clock.now();
    pause = LOOK_MS;
    await giveUp(now - LONGEST_CALL_MS);
    for (const entry of await dueEntries(db, { kind, state: "intent", now, limit: BATCH })) {
      if (stopped || flying.size >= PARALLEL) return;
      const pace = pacer(entry.account);
      const wait = pace?.take("fresh") ?? 0;
      pause = Math.min(pause, wait > 0 ? wait : LOOK_MS);
      if (wait > 0) continue;
      const taken = await db.transaction((tx) => claim(tx, { ...entry, node, now: clock.now(), ordered }));
      if (taken === undefined) pace?.answered({ kind: "transient" });
      else fly(taken);
    }
  }

  /** Calls that began before `before` have no process any more. */
  async function giveUp(before: number): Promise<void> {
    const lost = await db.transaction((tx) => abandon(tx, { kind, node, before, now: clock.now() }));
    for (const { account, key } of lost) log("ledger.unknown", { kind, account, key });
  }

  function fly(entry: Entry): void {
    const flight = call(entry)
      .then((verdict) => land(entry, verdict))
      .finally(() => {
        flying.delete(flight);
        wake();
      });
    flying.add(flight);
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
    if (!stopped) cancel = clock.after(pause, wake);
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
    /** Claims nothing more, and resolves when the calls under way are settled. */
    async stop(): Promise<void> {
      stopped = true;
      cancel();
      await Promise.all(flying);
    },
  };
}

export type Once = ReturnType<typeof createOnce>;
