import type { FailReason, Message, SentState } from "@porchlight/shared/protocol";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Bus } from "../../bus/bus.ts";
import type { Batch, Database, Transaction } from "../../db/database.ts";
import { accountLease } from "../../db/lease-names.ts";
import type { Leases } from "../../db/leases.ts";
import type { LaneHead } from "../../records/outbox.ts";
import type { Try } from "../../records/tries.ts";
import type { Gates } from "../../service/gates.ts";
import type { Outcome } from "../../service/outcome.ts";

/**
 * One visitor's queue of messages. At most one message of a lane is on its way, so messages keep their order.
 * `ready`: the lane waits at its account's gate. `inFlight`: its first message is on its way. `waiting`: that message failed
 * and has a time for its next attempt.
 */
export type Lane = {
  visitor: string;
  account: string;
  rank: "first" | "message" | "repeat";
  state: "ready" | "inFlight" | "waiting";
  /** A message was added, or the outbox was read again, while the lane was busy. */
  again: boolean;
  /** While the first message waits for its site's budget: when it is due, in ms since 1970. */
  until?: number | undefined;
  /** The `turn` in the outbox of the message that is on its way; undefined while it is read from there. */
  turn?: number | undefined;
  /**
   * How often, in this process, the first message failed or the relay held it back. Refusals that hold the gate do not count.
   */
  failures?: number;
};

/** A message that was added to a lane. `head`: the message with its contents, which saves a read of the outbox. */
export type QueuedMessage = { visitor: string; account: string; first: boolean; head?: LaneHead | undefined };

/** What identifies a message that leaves the outbox; a `LaneHead` when its contents are known too. */
export type EntryToConclude = Pick<
  LaneHead,
  "visitor" | "id" | "account" | "turn" | "pos" | "reaction" | "attempts" | "error"
>;
/**
 * A message's end: delivered or failed. `refused`: the attempt that the service refused for good; it is stored together with
 * this.
 */
export type Conclusion = {
  entry: EntryToConclude | LaneHead;
  state: SentState;
  reason: FailReason | null;
  refused?: Try | undefined;
  /** HTTP status with which the service accepted the message. */
  accepted?: number | undefined;
};
/** What is known of the last attempt. */
export type LastTry = Pick<Conclusion, "refused" | "accepted">;
/**
 * The result of a conclusion. `n`: the thread's new number. `change`: the changed message, when its contents are known. `next`:
 * the lane's next message. `gone`: the outbox no longer had the message, so nothing was changed: another node has concluded it,
 * or it was erased.
 */
export type Concluded = {
  n: number | undefined;
  change: Message | undefined;
  next: LaneHead | undefined;
  gone: boolean;
};

/** What the courier needs. */
export type CourierDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  gates: Pick<Gates, "has" | "enter">;
  /** Sends one message to the service. Rejects only when nothing was sent. */
  deliver: (head: LaneHead) => Promise<Outcome>;
  /** Called in the transaction that marks a message as failed. */
  onFailed: (tx: Transaction, failed: Pick<LaneHead, "visitor" | "id" | "pos">, reason: string) => Promise<void>;
  random: () => number;
  /** Which node sends for which account. */
  leases: Pick<Leases, "holds" | "assertHeld" | "onAcquired">;
  /** The other nodes; absent: there is one process. */
  nodes?: Nodes;
};

/** How nodes tell each other that a message was added to a lane. */
type Nodes = {
  hintLane: (added: QueuedMessage) => void;
  onLaneHint: (listener: (added: QueuedMessage) => void) => void;
};

/** Whether this node sends the messages of an account. */
export const holdsAccount = ({ leases }: CourierDeps, account: string): boolean => leases.holds(accountLease(account));

/**
 * Checks, inside a transaction, that this node sends for the accounts of these messages.
 * @throws LeaseLost when another node does
 */
export const assertHoldsAccounts = (
  { leases }: CourierDeps,
  tx: Transaction,
  entries: readonly Pick<EntryToConclude, "account">[],
) => leases.assertHeld(tx, [...new Set(entries.map(({ account }) => accountLease(account)))]);

/** The courier's state in memory: only which lane may send when. The outbox holds the messages. */
export type CourierState = {
  deps: CourierDeps;
  /** Writes conclusions. The courier always passes the same function: the database groups calls of one function in a transaction. */
  writeConclusion: Batch<Conclusion, Concluded>;
  lanes: Map<string, Lane>;
  /** First messages of lanes that were passed on in memory, and when, by visitor. */
  heads: Map<string, { head: LaneHead; at: number }>;
  /** Called after each concluded message. */
  onConcluded: Set<() => void>;
  /** Messages on their way. */
  inFlight: number;
  stopped: boolean;
  cancelExpiry: () => void;
  stopPolling: () => Promise<void>;
};

/** Creates the state of a courier that has no lanes yet. */
export const createState = (deps: CourierDeps, writeConclusion: CourierState["writeConclusion"]): CourierState => ({
  deps,
  writeConclusion,
  lanes: new Map(),
  heads: new Map(),
  onConcluded: new Set(),
  inFlight: 0,
  stopped: false,
  cancelExpiry: () => {},
  stopPolling: async () => {},
});
