import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Spool } from "../../db/spool.ts";
import type { Recharge } from "../../service/recharge.ts";
import { createIntake, type IntakeOutcome } from "./durable-intake.ts";

/** An auto-recharge event as the spool keeps it. */
export type SpooledRecharge = { account: string; event: Recharge };

/** The ledger's answer. `conflict`: the event's key is known with other content. */
type Stored = "stored" | "duplicate" | "conflict";

type RechargesDeps = {
  clock: Clock;
  log: Log;
  spool: Spool<SpooledRecharge>;
  /** Writes an event into the ledger, once per key. */
  take: (account: string, event: Recharge) => Promise<Stored>;
  /** See `IntakeDeps`. */
  timeout?: number | undefined;
};

/** Takes auto-recharge events from the service. */
export type Recharges = {
  /** Stores an event. Resolves once its key is durable, or once it is certain that it cannot be stored. */
  receive: (account: string, event: Recharge) => Promise<IntakeOutcome<Stored>>;
  /** Stores the events that an earlier process left in the spool. */
  start: () => Promise<void>;
  /** Stores the events in the spool of a node that does not come back. @returns their number */
  replaySpool: (spool: Spool<SpooledRecharge>) => Promise<number>;
  stop: () => Promise<void>;
};

/**
 * Creates the intake of auto-recharge events: each one is durable before it is acknowledged. Their order does not matter, and the
 * ledger stores a key once, so an event from the spool may come late and twice.
 */
export function createRecharges({ clock, log, spool, take, timeout }: RechargesDeps): Recharges {
  const intake = createIntake<SpooledRecharge, Stored>({
    clock,
    log,
    timeout,
    spool,
    write: ({ account, event }) => take(account, event),
    ordered: false,
    laneOf: ({ account }) => account,
    idOf: ({ event }) => event.key,
    events: { spooled: "credits.spooled", lost: "credits.lost", replayed: "credits.replayed" },
    describe: ({ account, event }) => ({ account, key: event.key }),
  });
  return { ...intake, receive: (account, event) => intake.take({ account, event }) };
}
