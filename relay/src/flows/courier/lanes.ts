import { type LaneHead, laneHead } from "../../records/outbox.ts";
import type { Permit } from "../../service/keygate.ts";
import { type CourierState, holdsAccount, type Lane, type QueuedMessage } from "./state.ts";

/** The lane scheduler: decides which lane waits at its account's gate, and which message of the lane goes next. */

/** Sends a lane's first message when the gate gives the permit. */
export type OnPermit = (lane: Lane, permit: Permit) => Promise<void>;

/**
 * For this long (ms), a message that is kept in memory may be sent without reading the outbox. A change of the outbox within
 * this time has the same effect as a change during the call.
 */
const HEAD_MS = 1_000;
/** Most messages to keep in memory: while the service is unreachable, the outbox keeps them. */
const HEADS_MAX = 1_000;

/** Queues a visitor's lane after a message was added to it. */
export function wake(state: CourierState, { visitor, account, first, head }: QueuedMessage, onPermit: OnPermit): void {
  if (state.stopped || !state.deps.gates.has(account)) return;
  if (!holdsAccount(state.deps, account)) return state.deps.nodes?.hintLane({ visitor, account, first });
  const lane = state.lanes.get(visitor);
  if (lane !== undefined) lane.again = true;
  else {
    if (head !== undefined) keepHead(state, head);
    queue(state, { visitor, account, rank: first ? "first" : "message", state: "ready", again: false }, onPermit);
  }
}

/** Lets a lane wait at its account's gate. */
export function queue({ lanes, deps }: CourierState, lane: Lane, onPermit: OnPermit): void {
  lane.state = "ready";
  lanes.set(lane.visitor, lane);
  deps.gates.enter(lane.account, lane.rank, (permit) => void onPermit(lane, permit));
}

/** Queues a lane after `ms`, unless it is queued earlier. */
export function queueLater(state: CourierState, lane: Lane, ms: number, onPermit: OnPermit): void {
  lane.state = "waiting";
  state.lanes.set(lane.visitor, lane);
  state.deps.clock.after(ms, () => {
    if (!state.stopped && state.lanes.get(lane.visitor) === lane) queue(state, lane, onPermit);
  });
}

/**
 * Queues a lane's next message, if there is one or one was added during the last call. Otherwise removes the lane from memory.
 * @param more whether the outbox has a next message
 */
export function queueNext(state: CourierState, lane: Lane, more: boolean, onPermit: OnPermit): void {
  if (state.stopped) return;
  if (more || lane.again) queue(state, { ...lane, rank: "message", failures: 0 }, onPermit);
  else state.lanes.delete(lane.visitor);
}

/** Keeps a lane's first message in memory, to save a read of the outbox. */
export function keepHead({ heads, deps }: CourierState, head: LaneHead): void {
  if (heads.size < HEADS_MAX) heads.set(head.visitor, { head, at: deps.clock.uptime() });
}

/** A lane's first message: from memory when it was passed on less than `HEAD_MS` ago, else from the outbox. */
export async function nextHead({ heads, deps }: CourierState, visitor: string): Promise<LaneHead | undefined> {
  const known = heads.get(visitor);
  heads.delete(visitor);
  return known !== undefined && deps.clock.uptime() - known.at < HEAD_MS ? known.head : laneHead(deps.db, visitor);
}

/** Whether a message may be on its way now. */
export function mayBeInFlight({ lanes }: CourierState, { visitor, turn }: { visitor: string; turn: number }): boolean {
  const lane = lanes.get(visitor);
  return lane?.state === "inFlight" && (lane.turn === undefined || lane.turn === turn);
}
