import { backoff } from "@porchlight/shared/backoff";
import type { Delivery, FailReason, Message, SentState } from "@porchlight/shared/protocol";
import type { Breaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import { hashed, type Log } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { expired, type Head, headOf, headsOf, lanes, postpone, removeParcels } from "../records/outbox.ts";
import { dropReaction, markAll, messageOf, noteFailure, numbersOf } from "../records/threads.ts";
import type { Outcome } from "../service/outcome.ts";
import { createDesk, type Desk, type Lane } from "./desk.ts";
import type { Pacer } from "./pacer.ts";

/**
 * Carries the outbox to the service: takes what an account's desk lets go, hands it over, and writes down what came of it
 * (BEHAVIOUR 2.8). In memory stands only which lane may go when; the outbox itself is the truth, and a new life reads it.
 */

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
  accounts: readonly string[];
  /** Hands one message to the service and says what came of it. Rejects only when it was not handed over. */
  carry: (head: Head) => Promise<Outcome>;
  pacer: (account: string) => Pacer;
  breaker: (account: string) => Breaker;
  /** Reads the keys again; true when one changed. */
  reloadKeys: () => boolean;
  /** An account's deliveries are delayed now, or no longer; a message was given up, in the transaction that says so. */
  onDelivery: (account: string) => void;
  onFailed?: (tx: Transaction, visitor: string, pos: number, reason: string) => Promise<void>;
  random?: () => number;
};

/** Waits between tries of one message: full jitter up to `min(cap, base * 2^attempt)`. */
const RETRY_BASE_MS = 1_000;
const RETRY_CAP_MS = 60_000;
/** How often a held desk looks for a new key and tries once. */
const HELD_MS = 30_000;
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
  const { db, bus, clock, log, carry, reloadKeys, onDelivery, onFailed = async () => {}, random = Math.random } = parts;
  const desks = new Map<string, Desk>(
    parts.accounts.map((account) => [
      account,
      createDesk({ account, clock, pacer: parts.pacer(account), breaker: parts.breaker(account) }),
    ]),
  );
  /** What ends a desk's wait for its next look. */
  const looks = new Map<Desk, () => void>();
  const told = new Map<Desk, Delivery>();
  /** Heads of lanes that were handed over in memory, and when. */
  const handed = new Map<string, { head: Head; at: number }>();
  const landed = new Set<() => void>();
  let stopped = false;
  let cancelExpiry = (): void => {};

  // ── when ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Something was added to a visitor's lane.
   * @param added.head the parcel with what it carries, to save reading it
   */
  function wake({ visitor, account, first, head }: Added): void {
    const desk = desks.get(account);
    if (desk === undefined || stopped) return;
    const lane = desk.lane(visitor);
    if (lane !== undefined) lane.again = true;
    else {
      if (head !== undefined) hand(head);
      desk.line({ visitor, kind: first ? "first" : "fresh", state: "ready", again: false });
    }
    pump(desk);
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

  function waitFor(desk: Desk, lane: Lane, ms: number): void {
    desk.park(lane);
    clock.after(ms, () => {
      if (stopped) return;
      desk.line(lane);
      pump(desk);
    });
  }

  /** Sends what may be sent now, and comes back when the next thing may. */
  function pump(desk: Desk): void {
    looks.get(desk)?.();
    if (stopped) return;
    let choice = desk.next();
    while (typeof choice !== "number") {
      void fly(desk, choice);
      choice = desk.next();
    }
    const wait = choice;
    if (Number.isFinite(wait))
      looks.set(
        desk,
        clock.after(wait, () => pump(desk)),
      );
    tell(desk);
  }

  /** Visitors are told the truth when it changes. */
  function tell(desk: Desk): void {
    const now: Delivery = desk.delayed() ? "delayed" : "ok";
    if (now === (told.get(desk) ?? "ok")) return;
    told.set(desk, now);
    onDelivery(desk.account);
  }

  // ── one message ───────────────────────────────────────────────────────────────────────────────────────────────

  async function fly(desk: Desk, lane: Lane): Promise<void> {
    desk.takeOff(lane);
    let made = false;
    try {
      const head = await headFor(lane.visitor);
      if (head === undefined) next(desk, lane, false);
      else if (head.expires <= clock.now()) await giveUp(desk, lane, head, "expired");
      else {
        const outcome = await carry(head);
        made = true;
        await settle(desk, lane, head, outcome);
      }
    } catch (error) {
      // The database does not take the result: the message stays first in its lane, and goes again with the same sid.
      log("database.failing", { visitor: hashed(lane.visitor), cause: String(error) });
      waitFor(desk, lane, RETRY_BASE_MS);
    } finally {
      desk.land();
      // Allowed and not made: nothing was accepted, nothing refused.
      if (!made) desk.pacer.answered({ kind: "transient" });
      for (const check of [...landed]) check();
      pump(desk);
    }
  }

  /** The lane's next message may go, if there is one or something came while we looked. */
  function next(desk: Desk, lane: Lane, more: boolean): void {
    if (more || lane.again) desk.line({ ...lane, kind: "fresh" });
    else desk.leave(lane);
  }

  async function settle(desk: Desk, lane: Lane, head: Head, outcome: Outcome): Promise<void> {
    desk.pacer.answered(outcome);
    if (stopped && outcome.kind !== "ok" && outcome.kind !== "duplicate") return;
    switch (outcome.kind) {
      case "ok":
      case "duplicate":
        answered(desk);
        await finish(desk, lane, head, "delivered");
        return log("delivery.done", { visitor: hashed(head.visitor), attempts: head.attempts + 1 });
      case "permanent":
        answered(desk);
        return giveUp(desk, lane, head, "rejected", outcome);
      case "throttle":
        log("account.throttled", { account: desk.account, rate: desk.pacer.snapshot().rate });
        return desk.line(lane);
      case "config":
      case "edge":
        hold(desk, outcome);
        return desk.line(lane);
      case "unready":
        return tryLater(desk, lane, head, outcome);
      case "transient":
      case "unknown":
        if (desk.breaker.failure()) log("account.unreachable", { account: desk.account, status: outcome.status });
        return tryLater(desk, lane, head, outcome);
    }
  }

  /** The service answered us: the way is open. */
  function answered(desk: Desk): void {
    if (desk.open()) log("account.resumed", { account: desk.account });
  }

  /** Our key, address or path is refused: every message would be. Nothing is lost, somebody is called. */
  function hold(desk: Desk, outcome: Outcome): void {
    const { kind, status, message } = outcome;
    const event = kind === "edge" ? "account.blocked" : "account.paused";
    if (desk.hold(HELD_MS)) log(event, { account: desk.account, status, reason: message });
    if (refreshKeys()) desk.hold(0);
  }

  function refreshKeys(): boolean {
    try {
      return reloadKeys();
    } catch (error) {
      log("settings.warning", { cause: String(error) });
      return false;
    }
  }

  async function tryLater(desk: Desk, lane: Lane, head: Head, outcome: Outcome): Promise<void> {
    const wait = Math.max(outcome.waitMs ?? 0, backoff(head.attempts, RETRY_BASE_MS, RETRY_CAP_MS, random));
    await db.transaction((tx) => postpone(tx, { ...triedAgain(head, outcome), due: clock.now() + wait }));
    log("delivery.retry", { visitor: hashed(head.visitor), attempts: head.attempts + 1, status: outcome.status, wait });
    waitFor(desk, { ...lane, kind: "retry" }, wait);
  }

  async function giveUp(desk: Desk, lane: Lane, head: Head, reason: FailReason, outcome?: Outcome): Promise<void> {
    await finish(desk, lane, outcome === undefined ? head : triedAgain(head, outcome), "failed", reason);
    const { status, message } = outcome ?? {};
    log("delivery.failed", { visitor: hashed(head.visitor), reason, status, message });
  }

  /** The message leaves the outbox and its thread says so, in one transaction. Then the lane's next one may go. */
  async function finish(desk: Desk, lane: Lane, head: Head, state: SentState, reason?: FailReason): Promise<void> {
    const following = await close(head, state, reason);
    if (following !== undefined) hand(following);
    next(desk, lane, following !== undefined);
  }

  /** @returns the lane's next parcel: asking here saves a turn that would find none */
  async function close(parcel: Parcel | Head, state: SentState, reason?: FailReason): Promise<Head | undefined> {
    const { n, change, next: following } = await db.append(conclude, { parcel, state, reason: reason ?? null });
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
    const concluded: Concluded[] = [];
    for (const [i, conclusion] of conclusions.entries()) {
      const { parcel, state } = conclusion;
      if (state === "failed") await fail(tx, conclusion);
      const n = parcel.reaction === null ? taken.shift() : await takeBack(tx, conclusion);
      concluded.push({ n, change: changeOf(conclusion, n), next: following[i] });
    }
    return concluded;
  }

  async function fail(tx: Transaction, { parcel, reason }: Conclusion): Promise<void> {
    if (parcel.reaction === null) await noteFailure(tx, parcel);
    await onFailed(tx, parcel.visitor, parcel.pos, reason ?? "rejected");
  }

  const takeBack = async (tx: Transaction, { parcel, state }: Conclusion): Promise<number | undefined> =>
    state === "failed" && parcel.reaction !== null
      ? dropReaction(tx, parcel.visitor, parcel.pos, parcel.reaction)
      : undefined;

  // ── time ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Messages past their horizon fail visibly, also while the account is held or the service away, however many. */
  async function expire(): Promise<void> {
    const flying = (visitor: string, account: string) => desks.get(account)?.lane(visitor)?.state === "flying";
    for (let closed = EXPIRE_BATCH; closed > 0; ) {
      const late = await expired(db, clock.now(), EXPIRE_BATCH);
      closed = 0;
      for (const parcel of late) {
        if (flying(parcel.visitor, parcel.account)) continue;
        await close(parcel, "failed", "expired");
        closed++;
        log("delivery.failed", { visitor: hashed(parcel.visitor), reason: "expired" });
      }
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
      for (const { visitor, account, due, first } of await lanes(db)) {
        const desk = desks.get(account);
        if (desk === undefined || desk.lane(visitor) !== undefined) continue;
        // Whatever failed in an earlier life goes again at once, paced: a restart is often what mends it.
        desk.line({
          visitor,
          kind: due > clock.now() ? "retry" : first ? "first" : "fresh",
          state: "ready",
          again: false,
        });
      }
      for (const desk of desks.values()) pump(desk);
      expireLater();
    },
    wake,
    /** Whether an account's deliveries go out. */
    delivery(account: string): Delivery {
      const desk = desks.get(account);
      return (desk && told.get(desk)) ?? "ok";
    },
    /** Keys were read again: held accounts try at once. */
    retryHeld(): void {
      for (const desk of desks.values()) {
        if (desk.held()) desk.hold(0);
        pump(desk);
      }
    },
    /** Takes no new message on the way, and resolves when those under way have landed, or after 10 s. */
    async stop(): Promise<void> {
      stopped = true;
      cancelExpiry();
      for (const cancel of looks.values()) cancel();
      const flying = (): boolean => [...desks.values()].some((desk) => desk.flying() > 0);
      if (!flying()) return;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(STOP_MS, resolve);
        landed.add(() => {
          if (flying()) return;
          cancel();
          resolve();
        });
      });
    },
  };
}

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

export type Courier = ReturnType<typeof createCourier>;
