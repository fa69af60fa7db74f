import type { Delivery } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";

/** Whether an account's messages are being delivered. Reported by the node that makes the account's calls. */
export type DeliveryReport = readonly [account: string, delivery: Delivery];

/** What a node knows of its own accounts. */
export type DeliverySource = {
  accounts: readonly string[];
  /** Whether this node makes the calls of an account now. */
  holds: (account: string) => boolean;
  /** Whether this node delivers the messages of an account whose calls it makes. */
  own: (account: string) => Delivery;
  /** Called when what visitors are told about an account has changed. */
  onChange: (account: string) => void;
};

/** What visitors of every node are told about the delivery of their messages. */
export type Deliveries = {
  /** What visitors of this node are told now. */
  of: (account: string) => Delivery;
  /** Call it when `own` of an account has changed. */
  changed: (account: string) => void;
  /** Reports again which accounts are delayed, and drops reports that no node repeats. Call it every `REPEAT_MS`. */
  repeat: () => void;
  /** Takes the reports of another node. */
  receive: (reports: readonly DeliveryReport[]) => void;
};

/**
 * Interval (ms) at which a node repeats that an account is delayed, and checks the threads of its connected visitors: hints may
 * be lost, and a node may have started later.
 */
export const REPEAT_MS = 2_000;
/** A report of another node is valid for this long (ms). If none follows, that node is gone, or its hints are lost. */
const VALID_MS = 3 * REPEAT_MS;
/** Most accounts in one hint. */
const REPORTS_MAX = 30;

/** Shares the state of deliveries between nodes. @param broadcast sends reports to the other nodes */
export function createDeliveries(
  { accounts, holds, own, onChange }: DeliverySource,
  { clock, broadcast }: { clock: Clock; broadcast: (reports: DeliveryReport[]) => void },
): Deliveries {
  /** Accounts of other nodes that are delayed, with the uptime until which that counts. */
  const delayedElsewhere = new Map<string, number>();
  /** Accounts that are delayed, as the visitors of this node were told. */
  let toldVisitors = new Set<string>();
  /** Accounts that are delayed, as this node reported to the others. */
  let toldNodes = new Set<string>();
  const of = (account: string): Delivery => {
    if (holds(account)) return own(account);
    return (delayedElsewhere.get(account) ?? 0) > clock.uptime() ? "delayed" : "ok";
  };

  function tellVisitors(): void {
    const before = toldVisitors;
    toldVisitors = new Set(accounts.filter((account) => of(account) === "delayed"));
    for (const account of accounts) if (before.has(account) !== toldVisitors.has(account)) onChange(account);
  }

  function tellNodes(): void {
    const delayed = accounts.filter((account) => holds(account) && own(account) === "delayed");
    const over = [...toldNodes].filter((account) => holds(account) && own(account) === "ok");
    toldNodes = new Set(delayed);
    const reports: DeliveryReport[] = [
      ...delayed.map((account) => [account, "delayed"] as const),
      ...over.map((account) => [account, "ok"] as const),
    ];
    for (let from = 0; from < reports.length; from += REPORTS_MAX) broadcast(reports.slice(from, from + REPORTS_MAX));
  }

  const repeat = (): void => {
    tellNodes();
    tellVisitors();
  };
  return {
    of,
    changed: repeat,
    repeat,
    receive(reports) {
      for (const [account, delivery] of reports)
        if (delivery === "ok") delayedElsewhere.delete(account);
        else delayedElsewhere.set(account, clock.uptime() + VALID_MS);
      tellVisitors();
    },
  };
}
