import { createPoll } from "../../base/poll.ts";
import { lanesDueBetween, type OpenLane, lanes as openLanes } from "../../records/outbox.ts";
import { type Fly, queue, wake } from "./lanes.ts";
import { type CourierState, isMine } from "./state.ts";

/** How a courier finds its lanes: at the start, when it takes over an account, and when another node adds to one. */

/** With several nodes, the outbox is searched at this interval (ms) for messages that were added without a hint… */
const LOOK_MS = 500;
/** …from this long ago (ms) until the same time ahead, because the clocks of nodes may differ. */
const LOOK_BACK_MS = 15_000;

/** Queues every lane of the accounts that this node sends for. */
export async function adopt(courier: CourierState, fly: Fly): Promise<void> {
  for await (const page of openLanes(courier.deps.db)) {
    if (courier.stopped) return;
    for (const lane of page) adoptLane(courier, lane, fly);
  }
}

function adoptLane(courier: CourierState, { visitor, account, due, first }: OpenLane, fly: Fly): void {
  const { gates, clock } = courier.deps;
  if (!gates.has(account) || !isMine(courier.deps, account) || courier.lanes.has(visitor)) return;
  // A message that failed before is tried again at once, within the pace: a restart often removes the cause.
  const rank = due > clock.now() ? "repeat" : first ? "first" : "message";
  queue(courier, { visitor, account, rank, state: "ready", again: false }, fly);
}

/** Listens to the other nodes, and searches for messages whose hints were lost. Does nothing with a single process. */
export function joinNodes(courier: CourierState, fly: Fly): void {
  const { nodes, leases, clock, db, log } = courier.deps;
  if (nodes === undefined) return;
  const onError = (error: unknown): void => log("database.failing", { cause: String(error) });
  nodes.onNudge((added) => {
    if (isMine(courier.deps, added.account)) wake(courier, added, fly);
  });
  leases.onTaken(() => void adopt(courier, fly).catch(onError));
  const looks = createPoll({
    clock,
    every: LOOK_MS,
    async run() {
      const now = clock.now();
      for (const { visitor, account } of await lanesDueBetween(db, now - LOOK_BACK_MS, now + LOOK_BACK_MS))
        if (isMine(courier.deps, account) && !courier.lanes.has(visitor))
          wake(courier, { visitor, account, first: false }, fly);
    },
    onError,
  });
  courier.stopLooking = looks.stop;
  looks.start();
}
