import { backoff } from "@porchlight/shared/backoff";
import type { FailReason, Message, SentState } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import { hashed, type Log } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { expired, type Head, headOf, headsOf, lanes as openLanes, postpone, removeParcels } from "../records/outbox.ts";
import { dropReaction, markAll, messageOf, noteFailures, numbersOf } from "../records/threads.ts";
import type { Gates } from "../service/gates.ts";
import type { Turn } from "../service/keygate.ts";
import type { Outcome } from "../service/outcome.ts";

/**
 * Carries the outbox to the service: each visitor has a lane with one message on the way at a time, so order holds.
 * A lane waits at its account's gate, hands its first message over when its turn comes, and writes down what came of it
 * (BEHAVIOUR 2.8). In memory stands only which lane may go when; the outbox itself is the truth, and a new life reads it.
 */

/**
 * `ready`: waits at the gate. `flying`: its first message is on the way. `waiting`: that message failed for now and has a
 * time for its next try. `again`: something was added while the lane was busy.
 */
type Lane = {
  visitor: string;
  account: string;
  rank: "first" | "message" | "repeat";
  state: "ready" | "flying" | "waiting";
  again: boolean;
  /** Turn of the parcel that is on its way; nothing while it is looked up. */
  turn?: number | undefined;
};

/** What a delivery that ends is known by; a `Head` where its words are known too. */
type Parcel = Pick<Head, "visitor" | "turn" | "pos" | "reaction" | "attempts" | "error">;
type Added = { visitor: string; account: string; first: boolean; head?: Head | undefined };
type Conclusion = { parcel: Parcel | Head; state: SentState; reason: FailReason | null };
/** The thread's number and, where it is known, the change; `next`: the lane's next parcel. */
type Concluded = { n: number | undefined; change: Message | undefined; next: Head | undefined };

type Parts = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  gates: Pick<Gates, "has" | "enter">;
  /** Hands one message to the service and says what came of it. Rejects only when it was not handed over. */
  carry: (head: Head) => Promise<Outcome>;
  /** A message was given up, in the transaction that says so. */
  onFailed?: (tx: Transaction, visitor: string, pos: number, reason: string) => Promise<void>;
  random?: () => number;
};

/** Waits between tries of one message: full jitter up to `min(cap, base * 2^attempt)`. */
const RETRY_BASE_MS = 1_000;
const RETRY_CAP_MS = 60_000;
/** The turn was not used: nothing was accepted, nothing refused. */
const NOT_CALLED = { kind: "unready", status: 0 } as const;
const EXPIRE_MS = 30_000;
const EXPIRE_BATCH = 500;
/**
 * A parcel that was handed over in memory is sent without another look into the outbox for so long: what changes there
 * meanwhile changes as it would during the call itself.
 */
const HANDED_MS = 1_000;
/** So many at most: behind a service that is away, the outbox keeps them. */
const HANDED_MAX = 1_000;
/** In-flight calls may finish this long after `stop`. */
const STOP_MS = 10_000;

export function createCourier(parts: Parts) {
  const { db, bus, clock, log, gates, carry, onFailed = async () => {}, random = Math.random } = parts;
  const lanes = new Map<string, Lane>();
  /** Heads of lanes that were handed over in memory, and when. */
  const handed = new Map<string, { head: Head; at: number }>();
  const landed = new Set<() => void>();
  let flying = 0;
  let stopped = false;
  let cancelExpiry = (): void => {};

  // ── when ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Something was added to a visitor's lane.
   * @param added.head the parcel with what it carries, to save reading it
   */
  function wake({ visitor, account, first, head }: Added): void {
    if (stopped || !gates.has(account)) return;
    const lane = lanes.get(visitor);
    if (lane !== undefined) lane.again = true;
    else {
      if (head !== undefined) hand(head);
      queue({ visitor, account, rank: first ? "first" : "message", state: "ready", again: false });
    }
  }

  /** The lane's first message may go. */
  function queue(lane: Lane): void {
    lane.state = "ready";
    lanes.set(lane.visitor, lane);
    gates.enter(lane.account, lane.rank, (turn) => void fly(lane, turn));
  }

  function hand(head: Head): void {
    if (handed.size < HANDED_MAX) handed.set(head.visitor, { head, at: clock.uptime() });
  }

  /** The lane's oldest parcel: as it was handed over a moment ago, or as it stands in the outbox. */
  async function headFor(visitor: string): Promise<Head | undefined> {
    const known = handed.get(visitor);
    handed.delete(visitor);
    return known !== undefined && clock.uptime() - known.at < HANDED_MS ? known.head : headOf(db, visitor);
  }

  function waitFor(lane: Lane, ms: number): void {
    lane.state = "waiting";
    lanes.set(lane.visitor, lane);
    clock.after(ms, () => {
      if (!stopped) queue(lane);
    });
  }

  // ── one message ───────────────────────────────────────────────────────────────────────────────────────────────

  async function fly(lane: Lane, turn: Turn): Promise<void> {
    if (stopped) return turn.settle(NOT_CALLED);
    lane.state = "flying";
    lane.again = false;
    lane.turn = undefined;
    flying++;
    try {
      const head = await headFor(lane.visitor);
      lane.turn = head?.turn;
      if (head === undefined) next(lane, false);
      else if (head.expires <= clock.now()) await giveUp(lane, head, "expired");
      else {
        const outcome = await carry(head);
        turn.settle(outcome);
        await handle(lane, head, outcome);
      }
    } catch (error) {
      // The database does not take the result: the message stays first in its lane, and goes again with the same sid.
      log("database.failing", { visitor: hashed(lane.visitor), cause: String(error) });
      waitFor(lane, RETRY_BASE_MS);
    } finally {
      flying--;
      turn.settle(NOT_CALLED);
      for (const check of [...landed]) check();
    }
  }

  /** The lane's next message may go, if there is one or something came while we looked. */
  function next(lane: Lane, more: boolean): void {
    if (stopped) return;
    if (more || lane.again) queue({ ...lane, rank: "message" });
    else lanes.delete(lane.visitor);
  }

  async function handle(lane: Lane, head: Head, outcome: Outcome): Promise<void> {
    if (stopped && outcome.kind !== "ok" && outcome.kind !== "duplicate") return;
    switch (outcome.kind) {
      case "ok":
      case "duplicate":
        await finish(lane, head, "delivered");
        return log("delivery.done", { ...about(head), attempts: head.attempts + 1 });
      case "permanent":
        return giveUp(lane, head, "rejected", outcome);
      // The gate holds everything of the key back: the message waits there like all others.
      case "throttle":
      case "config":
      case "edge":
        return queue(lane);
      case "unready":
      case "transient":
      case "unknown":
        return tryLater(lane, head, outcome);
    }
  }

  async function tryLater(lane: Lane, head: Head, outcome: Outcome): Promise<void> {
    const wait = Math.max(outcome.waitMs ?? 0, backoff(head.attempts, RETRY_BASE_MS, RETRY_CAP_MS, random));
    await db.transaction(
      (tx) => postpone(tx, { ...triedAgain(head, outcome), due: clock.now() + wait }),
      [head.visitor],
    );
    log("delivery.retry", { ...about(head), attempts: head.attempts + 1, status: outcome.status, wait });
    waitFor({ ...lane, rank: "repeat" }, wait);
  }

  async function giveUp(lane: Lane, head: Head, reason: FailReason, outcome?: Outcome): Promise<void> {
    await finish(lane, outcome === undefined ? head : triedAgain(head, outcome), "failed", reason);
    const { status, message } = outcome ?? {};
    log("delivery.failed", { ...about(head), reason, status, cause: message });
  }

  /** The message leaves the outbox and its thread says so, in one transaction. Then the lane's next one may go. */
  async function finish(lane: Lane, head: Head, state: SentState, reason?: FailReason): Promise<void> {
    const following = await close(head, state, reason);
    if (following !== undefined) hand(following);
    next(lane, following !== undefined);
  }

  /** @returns the lane's next parcel: asking here saves a turn that would find none */
  async function close(parcel: Parcel | Head, state: SentState, reason?: FailReason): Promise<Head | undefined> {
    const {
      n,
      change,
      next: following,
    } = await db.append(conclude, { parcel, state, reason: reason ?? null }, [parcel.visitor]);
    if (n !== undefined)
      bus.publish({ visitor: parcel.visitor, head: n, ...(change === undefined ? {} : { changes: [change] }) });
    return following;
  }

  /**
   * Takes parcels out of the outbox and writes into their threads what came of them. A reaction that was refused is taken
   * off again; one that arrived says nothing new.
   */
  async function conclude(tx: Transaction, conclusions: readonly Conclusion[]): Promise<Concluded[]> {
    const parcels = conclusions.map(({ parcel }) => parcel);
    await removeParcels(tx, parcels);
    const numbers = await numbersOf(
      tx,
      parcels.map(({ visitor }) => visitor),
    );
    const marks = conclusions.flatMap(({ parcel: { visitor, pos, reaction }, state, reason }) =>
      reaction === null ? [{ visitor, pos, state, reason }] : [],
    );
    const taken = await markAll(tx, numbers, marks);
    await numbers.write(tx);
    const following = await headsOf(
      tx,
      parcels.map(({ visitor }) => visitor),
    );
    const failed = conclusions.filter(({ state, parcel }) => state === "failed" && parcel.reaction === null);
    await noteFailures(
      tx,
      failed.map(({ parcel }) => parcel),
    );
    const concluded: Concluded[] = [];
    for (const [i, conclusion] of conclusions.entries()) {
      const { parcel, state, reason } = conclusion;
      if (state === "failed") await onFailed(tx, parcel.visitor, parcel.pos, reason ?? "rejected");
      const n = parcel.reaction === null ? taken.shift() : await takeBack(tx, conclusion);
      concluded.push({ n, change: changeOf(conclusion, n), next: following[i] });
    }
    return concluded;
  }

  const takeBack = async (tx: Transaction, { parcel, state }: Conclusion): Promise<number | undefined> =>
    state === "failed" && parcel.reaction !== null
      ? dropReaction(tx, parcel.visitor, parcel.pos, parcel.reaction)
      : undefined;

  /** Whether a parcel may be on its way at this moment. */
  function mayFly({ visitor, turn }: Parcel): boolean {
    const lane = lanes.get(visitor);
    return lane?.state === "flying" && (lane.turn === undefined || lane.turn === turn);
  }

  // ── time ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Messages past their horizon fail visibly, also while the account is held or the service away, however many. */
  async function expire(): Promise<void> {
    for (let closed = EXPIRE_BATCH; closed > 0; ) {
      const late = await expired(db, clock.now(), EXPIRE_BATCH);
      const grounded = late.filter((parcel) => !mayFly(parcel));
      closed = grounded.length;
      await Promise.all(grounded.map((parcel) => close(parcel, "failed", "expired")));
      for (const parcel of grounded) log("delivery.failed", { ...about(parcel), reason: "expired" });
    }
  }

  function expireLater(): void {
    if (stopped) return;
    cancelExpiry = clock.after(EXPIRE_MS, () => {
      expire()
        .catch((error: unknown) => log("database.failing", { cause: String(error) }))
        .finally(expireLater);
    });
  }

  return {
    /** Takes up every lane that an earlier life left. */
    async start(): Promise<void> {
      for (const { visitor, account, due, first } of await openLanes(db)) {
        if (!gates.has(account) || lanes.has(visitor)) continue;
        // Whatever failed in an earlier life goes again at once, paced: a restart is often what mends it.
        const rank = due > clock.now() ? "repeat" : first ? "first" : "message";
        queue({ visitor, account, rank, state: "ready", again: false });
      }
      expireLater();
    },
    wake,
    /** The visitor was deleted: nothing of theirs that was handed over in memory is sent any more. */
    drop: (visitor: string): void => void handed.delete(visitor),
    /** Takes no new message on the way, and resolves when those under way have landed, or after 10 s. */
    async stop(): Promise<void> {
      stopped = true;
      cancelExpiry();
      if (flying === 0) return;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(STOP_MS, resolve);
        landed.add(() => {
          if (flying > 0) return;
          cancel();
          resolve();
        });
      });
    },
  };
}

/** What a line of the log names a message by: the id that the API and the admin pages show. */
const about = ({ visitor, id }: Pick<Head, "visitor" | "id">) => ({ visitor: hashed(visitor), message: id });

/** The parcel after one more try that did not succeed. */
const triedAgain = (head: Head, { status, message }: Outcome): Head => ({
  ...head,
  attempts: head.attempts + 1,
  error: status === 0 ? message : `${status}: ${message}`,
});

/** The message as the thread has it now, where the parcel says what it carries. */
const changeOf = ({ parcel, state, reason }: Conclusion, n: number | undefined): Message | undefined =>
  n === undefined || parcel.reaction !== null || !("text" in parcel)
    ? undefined
    : messageOf(parcel, { n, state, reason });
