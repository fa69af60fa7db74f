import { backoff } from "@porchlight/shared/backoff";
import type { FailReason, SentState } from "@porchlight/shared/protocol";
import { hashed } from "../../base/log.ts";
import { expired, type Head, lanes as openLanes, postpone } from "../../records/outbox.ts";
import type { Turn } from "../../service/keygate.ts";
import type { Outcome } from "../../service/outcome.ts";
import { close, concludeAll } from "./conclude.ts";
import { hand, headFor, mayFly, queue, queueLater, queueNext, wake } from "./lanes.ts";
import { type Added, type CourierDeps, type CourierState, createState, type Lane } from "./state.ts";

/**
 * Delivers the outbox to the service. A lane waits at its account's gate, sends its first message when its turn comes, and
 * writes the outcome down (BEHAVIOUR 2.8).
 */

/** Waits between attempts of one message: full jitter up to `min(cap, base * 2^attempt)`. */
const RETRY_BASE_MS = 1_000;
const RETRY_CAP_MS = 60_000;
/** Outcome of a turn that was not used: nothing was accepted or refused. */
const NOT_CALLED = { kind: "unready", status: 0 } as const;
const EXPIRE_MS = 30_000;
const EXPIRE_BATCH = 500;
/** Calls under way may finish this long after `stop`. */
const STOP_MS = 10_000;

export type Courier = {
  /** Queues every lane that the last run of the relay left. */
  start: () => Promise<void>;
  /** Queues a visitor's lane after a message was added to it. */
  wake: (added: Added) => void;
  /** Forgets what is in memory of a deleted visitor: no message of theirs is sent any more. */
  drop: (visitor: string) => void;
  /** Sends no new message. Resolves when the calls under way have ended, or after 10 s. */
  stop: () => Promise<void>;
};

type Optional = "onFailed" | "random";

/** Creates the courier of all accounts. It sends nothing before `start` or `wake`. */
export function createCourier(given: Omit<CourierDeps, Optional> & Partial<Pick<CourierDeps, Optional>>): Courier {
  const deps = { onFailed: async () => {}, random: Math.random, ...given };
  const courier = createState(deps, (tx, conclusions) => concludeAll(deps, tx, conclusions));
  return {
    start: () => start(courier),
    wake: (added) => wake(courier, added, flyIn(courier)),
    drop: (visitor) => void courier.handed.delete(visitor),
    stop: () => stop(courier),
  };
}

async function start(courier: CourierState): Promise<void> {
  const { db, gates, clock } = courier.deps;
  for (const { visitor, account, due, first } of await openLanes(db)) {
    if (!gates.has(account) || courier.lanes.has(visitor)) continue;
    // A message that failed before goes again at once, paced: a restart often removes the cause.
    const rank = due > clock.now() ? "repeat" : first ? "first" : "message";
    queue(courier, { visitor, account, rank, state: "ready", again: false }, flyIn(courier));
  }
  expireLater(courier);
}

async function stop(courier: CourierState): Promise<void> {
  courier.stopped = true;
  courier.cancelExpiry();
  if (courier.flying === 0) return;
  await new Promise<void>((resolve) => {
    const cancel = courier.deps.clock.after(STOP_MS, resolve);
    courier.landed.add(() => {
      if (courier.flying > 0) return;
      cancel();
      resolve();
    });
  });
}

// ── one message ───────────────────────────────────────────────────────────────────────────────────────────────────

const flyIn = (courier: CourierState) => (lane: Lane, turn: Turn) => fly(courier, lane, turn);

/** Sends a lane's first message, and writes the outcome down. Never rejects. */
async function fly(courier: CourierState, lane: Lane, turn: Turn): Promise<void> {
  if (courier.stopped) return turn.settle(NOT_CALLED);
  lane.state = "flying";
  lane.again = false;
  lane.turn = undefined;
  courier.flying++;
  try {
    await sendFirst(courier, lane, turn);
  } catch (error) {
    // The database failed to store the outcome: the message stays first in its lane, and goes again with the same sid.
    courier.deps.log("database.failing", { visitor: hashed(lane.visitor), cause: String(error) });
    queueLater(courier, lane, RETRY_BASE_MS, flyIn(courier));
  } finally {
    courier.flying--;
    turn.settle(NOT_CALLED);
    for (const check of [...courier.landed]) check();
  }
}

async function sendFirst(courier: CourierState, lane: Lane, turn: Turn): Promise<void> {
  const { clock, carry } = courier.deps;
  const head = await headFor(courier, lane.visitor);
  lane.turn = head?.turn;
  if (head === undefined) queueNext(courier, lane, false, flyIn(courier));
  else if (head.expires <= clock.now()) await giveUp(courier, lane, head, "expired");
  else {
    const outcome = await carry(head);
    turn.settle(outcome);
    await handle(courier, lane, head, outcome);
  }
}

/** Decides from a call's outcome whether the message is delivered, has failed, or goes again (BEHAVIOUR 2.8). */
async function handle(courier: CourierState, lane: Lane, head: Head, outcome: Outcome): Promise<void> {
  if (courier.stopped && outcome.kind !== "ok" && outcome.kind !== "duplicate") return;
  switch (outcome.kind) {
    case "ok":
    case "duplicate":
      await finish(courier, lane, head, "delivered");
      return courier.deps.log("delivery.done", { ...about(head), attempts: head.attempts + 1 });
    case "permanent":
      return giveUp(courier, lane, head, "rejected", outcome);
    // The gate holds every call of the key back: the message waits there.
    case "throttle":
    case "config":
    case "edge":
      return queue(courier, lane, flyIn(courier));
    case "unready":
    case "transient":
    case "unknown":
      return tryLater(courier, lane, head, outcome);
  }
}

async function tryLater(courier: CourierState, lane: Lane, head: Head, outcome: Outcome): Promise<void> {
  const { db, clock, log, random } = courier.deps;
  const wait = Math.max(outcome.waitMs ?? 0, backoff(head.attempts, RETRY_BASE_MS, RETRY_CAP_MS, random));
  const failed = { ...triedAgain(head, outcome), due: clock.now() + wait };
  await db.transaction((tx) => postpone(tx, failed), [head.visitor]);
  log("delivery.retry", { ...about(head), attempts: head.attempts + 1, status: outcome.status, wait });
  queueLater(courier, { ...lane, rank: "repeat" }, wait, flyIn(courier));
}

/** Marks a message as failed, and queues the lane's next one. */
async function giveUp(courier: CourierState, lane: Lane, head: Head, reason: FailReason, outcome?: Outcome) {
  await finish(courier, lane, outcome === undefined ? head : triedAgain(head, outcome), "failed", reason);
  const { status, message } = outcome ?? {};
  courier.deps.log("delivery.failed", { ...about(head), reason, status, cause: message });
}

/** Removes a message from the outbox, marks it in its thread, and queues the lane's next one. */
async function finish(courier: CourierState, lane: Lane, head: Head, state: SentState, reason?: FailReason) {
  const following = await close(courier, head, state, reason);
  if (following !== undefined) hand(courier, following);
  queueNext(courier, lane, following !== undefined, flyIn(courier));
}

/** The fields of a log line that name a message: the API and the admin pages show the same id. */
const about = ({ visitor, id }: Pick<Head, "visitor" | "id">) => ({ visitor: hashed(visitor), message: id });

/** The message with one more failed attempt. */
const triedAgain = (head: Head, { status, message }: Outcome): Head => ({
  ...head,
  attempts: head.attempts + 1,
  error: status === 0 ? message : `${status}: ${message}`,
});

// ── expiry ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Marks every message past its horizon as failed, also while the account is held or the service is away. */
async function expire(courier: CourierState): Promise<void> {
  const { db, clock, log } = courier.deps;
  for (let closed = EXPIRE_BATCH; closed > 0; ) {
    const late = await expired(db, clock.now(), EXPIRE_BATCH);
    const idle = late.filter((parcel) => !mayFly(courier, parcel));
    closed = idle.length;
    await Promise.all(idle.map((parcel) => close(courier, parcel, "failed", "expired")));
    for (const parcel of idle) log("delivery.failed", { ...about(parcel), reason: "expired" });
  }
}

function expireLater(courier: CourierState): void {
  if (courier.stopped) return;
  const { clock, log } = courier.deps;
  courier.cancelExpiry = clock.after(EXPIRE_MS, () => {
    expire(courier)
      .catch((error: unknown) => log("database.failing", { cause: String(error) }))
      .finally(() => expireLater(courier));
  });
}
