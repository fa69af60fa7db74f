import { backoff } from "@porchlight/shared/backoff";
import type { Delivery, FailReason, SentState } from "@porchlight/shared/protocol";
import type { Breaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import { hashed, type Log } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { expired, type Head, headOf, lanes, postpone, removeParcel } from "../records/outbox.ts";
import { type Carried, conclude, noteFailure } from "../records/threads.ts";
import type { Outcome } from "../service/outcome.ts";
import { createDesk, type Desk, type Lane } from "./desk.ts";
import type { Pacer } from "./pacer.ts";

/**
 * Carries the outbox to the service: takes what an account's desk lets go, hands it over, and writes down what came of it
 * (BEHAVIOUR 2.8). In memory stands only which lane may go when; the outbox itself is the truth, and a new life reads it.
 */

type Parcel = Carried & Pick<Head, "turn" | "attempts" | "error">;

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
  const landed = new Set<() => void>();
  let stopped = false;
  let cancelExpiry = (): void => {};

  // ── when ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Something was added to a visitor's lane. */
  function wake({ visitor, account, first }: { visitor: string; account: string; first: boolean }): void {
    const desk = desks.get(account);
    if (desk === undefined || stopped) return;
    const lane = desk.lane(visitor);
    if (lane !== undefined) lane.again = true;
    else desk.line({ visitor, kind: first ? "first" : "fresh", state: "ready", again: false });
    pump(desk);
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
      const head = await headOf(db, lane.visitor);
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
    next(desk, lane, await close(head, state, reason));
  }

  /** @returns whether the lane has another message: asking here saves a turn that would find it empty */
  async function close(parcel: Parcel, state: SentState, reason?: FailReason): Promise<boolean> {
    const { n, more } = await db.transaction(async (tx) => {
      await removeParcel(tx, parcel.visitor, parcel.turn);
      const n = await conclude(tx, parcel, state, reason);
      if (state === "failed" && parcel.reaction === null) await noteFailure(tx, parcel);
      if (state === "failed") await onFailed(tx, parcel.visitor, parcel.pos, reason ?? "rejected");
      return { n, more: (await headOf(tx, parcel.visitor)) !== undefined };
    });
    if (n !== undefined) bus.publish({ visitor: parcel.visitor, head: n });
    return more;
  }

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

export type Courier = ReturnType<typeof createCourier>;
