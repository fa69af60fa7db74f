import { type LaneHead, laneHead } from "../../records/outbox.ts";
import type { Turn } from "../../service/keygate.ts";
import { type Added, type CourierState, isMine, type Lane } from "./state.ts";

/** The lane scheduler: decides which lane waits at its account's gate, and which message of the lane goes next. */

/** Sends a lane's first message when the gate gives its turn. */
export type Fly = (lane: Lane, turn: Turn) => Promise<void>;

/**
 * How long a message that was passed on in memory may be sent without reading the outbox, in ms. A change of the outbox within
 * this time is treated like a change during the call itself.
 */
const HANDED_MS = 1_000;
/** Most messages to keep in memory: while the service is away, the outbox keeps them. */
const HANDED_MAX = 1_000;

/** Queues a visitor's lane after a message was added to it. */
export function wake(state: CourierState, { visitor, account, first, head }: Added, fly: Fly): void {
  if (state.stopped || !state.deps.gates.has(account)) return;
  if (!isMine(state.deps, account)) return state.deps.nodes?.nudge({ visitor, account, first });
  const lane = state.lanes.get(visitor);
  if (lane !== undefined) lane.again = true;
  else {
    if (head !== undefined) hand(state, head);
    queue(state, { visitor, account, rank: first ? "first" : "message", state: "ready", again: false }, fly);
  }
}

/** Lets a lane wait at its account's gate. */
export function queue({ lanes, deps }: CourierState, lane: Lane, fly: Fly): void {
  lane.state = "ready";
  lanes.set(lane.visitor, lane);
  deps.gates.enter(lane.account, lane.rank, (turn) => void fly(lane, turn));
}

/** Queues a lane after `ms`. */
export function queueLater(state: CourierState, lane: Lane, ms: number, fly: Fly): void {
  lane.state = "waiting";
  state.lanes.set(lane.visitor, lane);
  state.deps.clock.after(ms, () => {
    if (!state.stopped) queue(state, lane, fly);
  });
}

/** Queues a lane's next message, when there is one or one was added during the last call; else forgets the lane. */
export function queueNext(state: CourierState, lane: Lane, more: boolean, fly: Fly): void {
  if (state.stopped) return;
  if (more || lane.again) queue(state, { ...lane, rank: "message", failures: 0 }, fly);
  else state.lanes.delete(lane.visitor);
}

/** Keeps a lane's first message in memory, to save a read of the outbox. */
export function hand({ handed, deps }: CourierState, head: LaneHead): void {
  if (handed.size < HANDED_MAX) handed.set(head.visitor, { head, at: deps.clock.uptime() });
}

/** A lane's first message: from memory when it was passed on less than `HANDED_MS` ago, else from the outbox. */
export async function headFor({ handed, deps }: CourierState, visitor: string): Promise<LaneHead | undefined> {
  const known = handed.get(visitor);
  handed.delete(visitor);
  return known !== undefined && deps.clock.uptime() - known.at < HANDED_MS ? known.head : laneHead(deps.db, visitor);
}

/** Whether a message may be on its way now. */
export function mayFly({ lanes }: CourierState, { visitor, turn }: { visitor: string; turn: number }): boolean {
  const lane = lanes.get(visitor);
  return lane?.state === "flying" && (lane.turn === undefined || lane.turn === turn);
}
