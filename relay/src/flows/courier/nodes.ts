import { createPoll } from "../../base/poll.ts";
import { lanesDueBetween, type OpenLane, openLanes } from "../../records/outbox.ts";
import { type OnPermit, queue, wake } from "./lanes.ts";
import { type CourierState, holdsAccount } from "./state.ts";

/** How a courier finds its lanes: at the start, when it takes over an account, and when another node adds to one. */

/** With several nodes, the outbox is searched at this interval (ms) for messages that were added without a hint. */
const POLL_MS = 500;
/** The search covers messages due from this long ago (ms) until the same time ahead, because the clocks of nodes may differ. */
const SEARCH_BACK_MS = 15_000;

/**
 * Queues every lane of the accounts that this node sends for: those that are not queued, and those that wait for another day's
 * budget although their first message is due earlier now.
 */
export async function queueOpenLanes(courier: CourierState, onPermit: OnPermit): Promise<void> {
  for await (const page of openLanes(courier.deps.db)) {
    if (courier.stopped) return;
    for (const lane of page) queueOpenLane(courier, lane, onPermit);
  }
}

function queueOpenLane(courier: CourierState, { visitor, account, due, first }: OpenLane, onPermit: OnPermit): void {
  const { gates, clock } = courier.deps;
  if (!gates.has(account) || !holdsAccount(courier.deps, account)) return;
  const lane = courier.lanes.get(visitor);
  // The call under way may have begun before the outbox changed.
  if (lane?.state === "inFlight") lane.again = true;
  if (lane !== undefined && (lane.state !== "waiting" || due >= (lane.until ?? 0))) return;
  // A message that failed before is tried again at once, within the pace: a restart often removes the cause.
  const rank = due > clock.now() ? "repeat" : first ? "first" : "message";
  queue(courier, { visitor, account, rank, state: "ready", again: false }, onPermit);
}

/** Listens to the other nodes, and searches for messages whose hints were lost. Does nothing with a single process. */
export function joinNodes(courier: CourierState, onPermit: OnPermit): void {
  const { nodes, leases, clock, db, log } = courier.deps;
  if (nodes === undefined) return;
  const onError = (error: unknown): void => log("database.failing", { cause: String(error) });
  nodes.onLaneHint((added) => {
    if (holdsAccount(courier.deps, added.account)) wake(courier, added, onPermit);
  });
  leases.onAcquired(() => void queueOpenLanes(courier, onPermit).catch(onError));
  const polls = createPoll({
    clock,
    every: POLL_MS,
    async run() {
      const now = clock.now();
      for (const { visitor, account } of await lanesDueBetween(db, now - SEARCH_BACK_MS, now + SEARCH_BACK_MS))
        if (holdsAccount(courier.deps, account) && !courier.lanes.has(visitor))
          wake(courier, { visitor, account, first: false }, onPermit);
    },
    onError,
  });
  courier.stopPolling = polls.stop;
  polls.start();
}
