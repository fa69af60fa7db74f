import type { Delivery } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";

/** What the node that makes an account's calls says about the delivery of the account's messages. */
export type Said = readonly [account: string, delivery: Delivery];

/** What a node knows of its own accounts. */
export type DeliverySource = {
  accounts: readonly string[];
  /** Whether this node makes the calls of an account now. */
  holds: (account: string) => boolean;
  own: (account: string) => Delivery;
  /** Called when what visitors are told about an account has changed. */
  onChange: (account: string) => void;
};

/** What visitors of every node are told about the delivery of their messages. */
export type Deliveries = {
  of: (account: string) => Delivery;
  /** Call it when `own` of an account has changed. */
  changed: (account: string) => void;
  /** Tells the nodes again which accounts are delayed, and forgets what no node repeats. Call it every `REPEAT_MS`. */
  repeat: () => void;
  /** Stores what another node said. */
  receive: (said: readonly Said[]) => void;
};

/**
 * Interval (ms) at which a node repeats that an account is delayed, and checks the threads of its connected visitors: hints may
 * be lost, and a node may have started later.
 */
export const REPEAT_MS = 2_000;
/** A statement of another node counts for this long (ms). If none follows, that node is gone, or its hints are lost. */
const KEEP_MS = 3 * REPEAT_MS;
/** Most accounts in one hint. */
const SAID_MAX = 30;

/** @param broadcast sends to the other nodes */
export function createDeliveries(
  { accounts, holds, own, onChange }: DeliverySource,
  { clock, broadcast }: { clock: Clock; broadcast: (said: Said[]) => void },
): Deliveries {
  /** Accounts of other nodes that are delayed, with the uptime until which that counts. */
  const heard = new Map<string, number>();
  /**
   * The delayed accounts: those of which visitors of this node were told last, and those of which other nodes were told last.
   */
  let told = new Set<string>();
  let announced = new Set<string>();
  const of = (account: string): Delivery => {
    if (holds(account)) return own(account);
    return (heard.get(account) ?? 0) > clock.uptime() ? "delayed" : "ok";
  };

  function tellVisitors(): void {
    const before = told;
    told = new Set(accounts.filter((account) => of(account) === "delayed"));
    for (const account of accounts) if (before.has(account) !== told.has(account)) onChange(account);
  }

  function tellNodes(): void {
    const delayed = accounts.filter((account) => holds(account) && own(account) === "delayed");
    const over = [...announced].filter((account) => holds(account) && own(account) === "ok");
    announced = new Set(delayed);
    const said = [...delayed.map((one): Said => [one, "delayed"]), ...over.map((one): Said => [one, "ok"])];
    for (let from = 0; from < said.length; from += SAID_MAX) broadcast(said.slice(from, from + SAID_MAX));
  }

  const repeat = (): void => {
    tellNodes();
    tellVisitors();
  };
  return {
    of,
    changed: repeat,
    repeat,
    receive(said) {
      for (const [account, delivery] of said)
        if (delivery === "ok") heard.delete(account);
        else heard.set(account, clock.uptime() + KEEP_MS);
      tellVisitors();
    },
  };
}
