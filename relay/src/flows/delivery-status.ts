import type { Delivery } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { Transaction } from "../db/database.ts";
import type { LaneHead } from "../records/outbox.ts";
import { findVisitor } from "../records/visitors.ts";
import type { Gates } from "../service/gates.ts";
import type { StoreEvent } from "./webhooks.ts";

type DeliveryStatusDeps = {
  clock: Clock;
  log: Log;
  gates: Pick<Gates, "delivery">;
  /** Whether the site's messages wait for another day's budget. */
  isHeld: (site: string) => boolean;
  /** Sends the current status to every visitor of an account. */
  announce: (account: string) => void;
};

/** What visitors are told about the delivery of their messages. */
export type DeliveryStatus = {
  /** The current status for the visitors of a site. */
  statusOf: (account: string, site: string) => Delivery;
  /** Called when a message has to wait for another day's budget. @param until milliseconds since 1970 */
  onHeld: (site: Site, until: number) => void;
  /** Called when no message of the site waits for another day's budget any more. */
  onReleased: (site: Site) => void;
};

/** Tells visitors whether their messages are being delivered, and when that changes. */
export const createDeliveryStatus = (deps: DeliveryStatusDeps): DeliveryStatus => ({
  statusOf: (account, site) => (deps.isHeld(site) ? "delayed" : deps.gates.delivery(account)),
  onHeld({ account, public: { id } }, until) {
    const { clock, log, announce } = deps;
    log("budget.reached", { site: id });
    clock.after(0, () => announce(account));
    clock.after(until - clock.now(), () => announce(account));
  },
  onReleased: ({ account }) => deps.announce(account),
});

/** Creates the function that stores, in the given transaction, the event `delivery.failed` for the owner's backend. */
export const createFailureNotice =
  (storeEvent: StoreEvent) =>
  async (
    tx: Transaction,
    { visitor, id, pos }: Pick<LaneHead, "visitor" | "id" | "pos">,
    reason: string,
  ): Promise<void> => {
    const row = await findVisitor(tx, visitor);
    if (row !== undefined) await storeEvent(tx, row.site, "delivery.failed", { visitor, id, position: pos, reason });
  };
