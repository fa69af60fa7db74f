import { backoff } from "@porchlight/shared/backoff";
import type { FailReason, SentState } from "@porchlight/shared/protocol";
import { hashed } from "../../base/log.ts";
import type { Transaction } from "../../db/database.ts";
import { holdsAll, LeaseLost } from "../../db/leases.ts";
import { expiredEntries, type LaneHead, scheduleRetry } from "../../records/outbox.ts";
import { addTry, NOT_SENT } from "../../records/tries.ts";
import type { Permit } from "../../service/keygate.ts";
import type { Outcome } from "../../service/outcome.ts";
import { conclude, concludeAll } from "./conclude.ts";
import { keepHead, mayBeInFlight, nextHead, queue, queueLater, queueNext, wake } from "./lanes.ts";
import { joinNodes, queueOpenLanes } from "./nodes.ts";
import {
  assertHoldsAccounts,
  type CourierDeps,
  type CourierState,
  createState,
  holdsAccount,
  type Lane,
  type LastTry,
  type QueuedMessage,
} from "./state.ts";

/**
 * Delivers the outbox to the service. A lane waits at its account's gate, sends its first message when it gets a permit, and
 * stores the outcome (BEHAVIOUR 2.8).
 */

/** Waits between attempts of one message: full jitter up to `min(cap, base * 2^attempt)`. */
const RETRY_BASE_MS = 1_000;
const RETRY_CAP_MS = 60_000;
/** How long a lane waits, in ms, when the database did not store its outcome. Most failures of the database are short. */
const STORE_AGAIN_MS = 500;
/** The outcome with which a permit is settled when no call was made. */
const NOT_CALLED = { kind: "unready", status: 0 } as const;
/** Interval in ms at which messages past their horizon are searched for, and the most that are handled together. */
const EXPIRE_MS = 30_000;
const EXPIRE_BATCH = 500;
/** How long `stop` waits for the calls under way, in ms. */
const STOP_MS = 10_000;

/** Delivers the outbox of all accounts. */
export type Courier = {
  /** Queues every lane with messages that earlier processes did not deliver. */
  start: () => Promise<void>;
  /** Queues a visitor's lane after a message was added to it. */
  wake: (added: QueuedMessage) => void;
  /**
   * Reads the outbox again: a lane that waits for another day's budget is queued when its first message may leave earlier now.
   */
  reread: () => Promise<void>;
  /** Drops a deleted visitor's messages from memory: none of them is sent any more. */
  drop: (visitor: string) => void;
  /** Sends no new message. Resolves when the calls under way have ended, or after 10 s. */
  stop: () => Promise<void>;
};

type Optional = "onFailed" | "random" | "leases";

/** Creates the courier of all accounts. It sends nothing before `start` or `wake`. */
export function createCourier(given: Omit<CourierDeps, Optional> & Partial<Pick<CourierDeps, Optional>>): Courier {
  const deps = { onFailed: async () => {}, random: Math.random, leases: holdsAll(), ...given };
  const courier = createState(deps, (tx, conclusions) => concludeAll(deps, tx, conclusions));
  return {
    start: () => start(courier),
    wake: (added) => wake(courier, added, onPermitOf(courier)),
    reread: () => queueOpenLanes(courier, onPermitOf(courier)),
    drop: (visitor) => void courier.heads.delete(visitor),
    stop: () => stop(courier),
  };
}

async function start(courier: CourierState): Promise<void> {
  await queueOpenLanes(courier, onPermitOf(courier));
  joinNodes(courier, onPermitOf(courier));
  expireLater(courier);
}

async function stop(courier: CourierState): Promise<void> {
  courier.stopped = true;
  courier.cancelExpiry();
  await courier.stopPolling();
  if (courier.inFlight === 0) return;
  await new Promise<void>((resolve) => {
    const cancel = courier.deps.clock.after(STOP_MS, resolve);
    courier.onConcluded.add(() => {
      if (courier.inFlight > 0) return;
      cancel();
      resolve();
    });
  });
}

// ── one message ───────────────────────────────────────────────────────────────────────────────────────────────────

const onPermitOf = (courier: CourierState) => (lane: Lane, permit: Permit) => usePermit(courier, lane, permit);

/** Sends a lane's first message, and stores the outcome. Never rejects. */
async function usePermit(courier: CourierState, lane: Lane, permit: Permit): Promise<void> {
  if (courier.stopped || !holdsAccount(courier.deps, lane.account)) {
    courier.lanes.delete(lane.visitor);
    return permit.settle(NOT_CALLED);
  }
  lane.state = "inFlight";
  lane.again = false;
  lane.turn = undefined;
  courier.inFlight++;
  try {
    await sendFirst(courier, lane, permit);
  } catch (error) {
    if (error instanceof LeaseLost) return dropLane(courier, lane, error);
    // The database failed to store the outcome. The message stays first in its lane, and is sent again with the same sid.
    courier.deps.log("database.failing", { visitor: hashed(lane.visitor), cause: String(error) });
    queueLater(courier, lane, STORE_AGAIN_MS, onPermitOf(courier));
  } finally {
    courier.inFlight--;
    permit.settle(NOT_CALLED);
    for (const check of [...courier.onConcluded]) check();
  }
}

/** Another node now sends for the account. It sends this message again under the same sid, and stores the outcome. */
function dropLane({ lanes, deps }: CourierState, { visitor }: Lane, error: LeaseLost): void {
  lanes.delete(visitor);
  deps.log("cluster.lease_lost", { visitor: hashed(visitor), cause: error.message });
}

async function sendFirst(courier: CourierState, lane: Lane, permit: Permit): Promise<void> {
  const { clock, deliver } = courier.deps;
  const head = await nextHead(courier, lane.visitor);
  lane.turn = head?.turn;
  if (head === undefined) queueNext(courier, lane, false, onPermitOf(courier));
  else if (head.expires <= clock.now()) await giveUp(courier, lane, head, "expired");
  else if (!holdsAccount(courier.deps, lane.account)) courier.lanes.delete(lane.visitor);
  else {
    const outcome = await deliver(head);
    permit.settle(outcome);
    await handle(courier, lane, head, outcome);
  }
}

/** Decides from a call's outcome whether the message is delivered, has failed, or is sent again (BEHAVIOUR 2.8). */
async function handle(courier: CourierState, lane: Lane, head: LaneHead, outcome: Outcome): Promise<void> {
  if (courier.stopped && outcome.kind !== "ok" && outcome.kind !== "duplicate") return;
  switch (outcome.kind) {
    case "ok":
    case "duplicate":
      if (await finish(courier, lane, head, "delivered", undefined, { accepted: outcome.status }))
        courier.deps.log("delivery.done", { ...about(head), attempts: head.attempts + 1 });
      return;
    case "permanent":
      return giveUp(courier, lane, head, "rejected", outcome);
    // The gate holds back every call of the key; the message waits there.
    case "throttle":
    case "config":
    case "edge":
      await storeTry(courier, triedAgain(head, outcome));
      return queue(courier, lane, onPermitOf(courier));
    case "unready":
      return outcome.waitMs === undefined
        ? tryLater(courier, lane, head, outcome)
        : waitForBudget(courier, lane, head, outcome);
    case "transient":
    case "unknown":
      return tryLater(courier, lane, head, outcome);
  }
}

async function tryLater(courier: CourierState, lane: Lane, head: LaneHead, outcome: Outcome): Promise<void> {
  const { clock, log, random } = courier.deps;
  const { failures = 0 } = lane;
  const wait = Math.max(outcome.waitMs ?? 0, backoff(failures, RETRY_BASE_MS, RETRY_CAP_MS, random));
  const tried = triedAgain(head, outcome);
  await storeTry(courier, tried, clock.now() + wait);
  log("delivery.retry", { ...about(head), attempts: tried.attempts, status: outcome.status, wait });
  queueLater(courier, { ...lane, rank: "repeat", failures: failures + 1 }, wait, onPermitOf(courier));
}

/**
 * Keeps a message until the day whose budget it uses. The outbox says when that is, because a budget that was raised meanwhile has
 * moved the message to an earlier day.
 */
async function waitForBudget(courier: CourierState, lane: Lane, head: LaneHead, outcome: Outcome): Promise<void> {
  const { clock, log } = courier.deps;
  const { attempts } = head;
  const until = await storeTry(courier, triedAgain(head, outcome));
  const rest = lane.again ? 0 : (until ?? 0) - clock.now();
  const wait = Math.max(RETRY_BASE_MS, rest);
  log("delivery.retry", { ...about(head), attempts, status: outcome.status, wait });
  queueLater(courier, { ...lane, rank: "repeat", until }, wait, onPermitOf(courier));
}

/**
 * Stores an attempt after which the message still waits, with the answer.
 * @param due time of the next attempt; null: as before
 * @returns that time; undefined when the outbox no longer has the message
 */
async function storeTry(
  { deps }: CourierState,
  tried: LaneHead,
  due: number | null = null,
): Promise<number | undefined> {
  const { visitor, pos, reaction, error } = tried;
  const store = async (tx: Transaction): Promise<number | undefined> => {
    await assertHoldsAccounts(deps, tx, [tried]);
    const next = await scheduleRetry(tx, tried, due);
    if (reaction === null) await addTry(tx, visitor, pos, { at: deps.clock.now(), answer: error });
    return next;
  };
  return deps.db.transaction(store, [visitor]);
}

/** Marks a message as failed, and queues the lane's next one. */
async function giveUp(courier: CourierState, lane: Lane, head: LaneHead, reason: FailReason, outcome?: Outcome) {
  const tried = outcome === undefined ? head : triedAgain(head, outcome);
  const refused = outcome && { at: courier.deps.clock.now(), answer: tried.error };
  if (!(await finish(courier, lane, tried, "failed", reason, { refused }))) return;
  const { status, message } = outcome ?? {};
  courier.deps.log("delivery.failed", { ...about(head), reason, status, cause: message });
}

/**
 * Removes a message from the outbox, marks it in its thread, and queues the lane's next one.
 * @returns false when the outbox no longer had the message; the message does not change then
 */
async function finish(
  courier: CourierState,
  lane: Lane,
  head: LaneHead,
  state: SentState,
  reason?: FailReason,
  last?: LastTry,
): Promise<boolean> {
  const { next, gone } = await conclude(courier, head, state, reason, last);
  if (next !== undefined) keepHead(courier, next);
  queueNext(courier, lane, next !== undefined, onPermitOf(courier));
  return !gone;
}

/** The fields by which a log line names a message. The API and the admin pages show the same id. */
const about = ({ visitor, id }: Pick<LaneHead, "visitor" | "id">) => ({ visitor: hashed(visitor), message: id });

/** Whether the relay called the service. Otherwise the relay itself held the message back, for example for its budget. */
const isCall = ({ kind, status }: Outcome): boolean =>
  status !== 0 || (kind !== "unready" && kind !== "permanent" && kind !== "config");

/** The message after an attempt that failed. Only a call to the service counts as an attempt. */
function triedAgain(head: LaneHead, outcome: Outcome): LaneHead {
  const { status, message } = outcome;
  if (!isCall(outcome)) return { ...head, error: `${NOT_SENT}${message}` };
  return { ...head, attempts: head.attempts + 1, error: status === 0 ? message : `${status}: ${message}` };
}

// ── expiry ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Marks every message past its horizon as failed, also while the account is held or the service is unreachable. */
async function expire(courier: CourierState): Promise<void> {
  const { db, clock, log } = courier.deps;
  // Entries that another node or a later check concludes stay in the outbox. They must not hide the entries after them.
  let skip = 0;
  for (let full = true; full; ) {
    const late = await expiredEntries(db, clock.now(), { skip, limit: EXPIRE_BATCH });
    const idle = late.filter((entry) => holdsAccount(courier.deps, entry.account) && !mayBeInFlight(courier, entry));
    full = late.length === EXPIRE_BATCH;
    skip += late.length - idle.length;
    await Promise.all(idle.map((entry) => conclude(courier, entry, "failed", "expired")));
    for (const entry of idle) log("delivery.failed", { ...about(entry), reason: "expired" });
  }
}

function expireLater(courier: CourierState): void {
  if (courier.stopped) return;
  const { clock, log } = courier.deps;
  courier.cancelExpiry = clock.after(EXPIRE_MS, () => {
    expire(courier)
      .then(() => courier.deps.nodes && queueOpenLanes(courier, onPermitOf(courier)))
      .catch((error: unknown) => log("database.failing", { cause: String(error) }))
      .finally(() => expireLater(courier));
  });
}
