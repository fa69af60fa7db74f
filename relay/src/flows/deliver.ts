import type { Clock } from "../base/clock.ts";
import type { LaneHead } from "../records/outbox.ts";
import type { Sites } from "../records/sites.ts";
import type { Outcome } from "../service/outcome.ts";
import type { AccessPolicy } from "./access-policy.ts";

type DeliverDeps = {
  clock: Pick<Clock, "now">;
  sites: Pick<Sites, "find">;
  access: Pick<AccessPolicy, "isBlocked">;
  /** Sends a message to the service. Rejects only when nothing was sent. */
  send: (head: LaneHead) => Promise<Outcome>;
};

/**
 * A message that is due only after this time (ms) waits for its site's daily budget, because the pauses between attempts are
 * shorter.
 */
const BUDGET_MS = 120_000;

/**
 * Creates the courier's function that sends one message. It first checks again whether the message may be sent: its outcome is
 * `permanent` for a visitor who was blocked in the meantime, and `unready` while the site's daily budget is used up (C24).
 */
export const createDeliver =
  (deps: DeliverDeps) =>
  async (head: LaneHead): Promise<Outcome> =>
    obstacle(deps, head) ?? deps.send(head);

/** Why a message must not be sent now; undefined when it may be sent. */
function obstacle({ clock, sites, access }: DeliverDeps, { site, visitor, due }: LaneHead): Outcome | undefined {
  if (access.isBlocked(site, visitor)) return { kind: "permanent", status: 0, message: "the visitor is blocked" };
  const waitMs = due - clock.now();
  if (waitMs < BUDGET_MS || sites.find(site)?.messagesPerDay === undefined) return undefined;
  return { kind: "unready", status: 0, message: "the site's budget of the day is used", waitMs };
}
