import type { Delivery } from "@porchlight/shared/protocol";
import { createBreaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import {
  beside,
  createKeyGate,
  drain,
  enter,
  type KeyGate,
  leave,
  type Rank,
  release,
  retry,
  stop,
  type Turn,
} from "./keygate.ts";
import { paceOf } from "./pacer.ts";

type Account = { id: string; url: string; rate: number };

type Parts = {
  accounts: readonly Account[];
  clock: Clock;
  log: Log;
  /** An account's key of the moment; empty while there is none. */
  keyOf: (account: string) => string;
  /** Reads the keys again; true when one changed. */
  reloadKeys: () => boolean;
  /** What an account's visitors should be told has changed. */
  onDelivery: (account: string) => void;
  /** Calls that were refused may go again: the account has a new key, or the service takes the old one again. */
  onOpen: (account: string, why: "newKey" | "accepted") => void;
  random?: () => number;
};

/** How often a held account's key file is read again, with or without traffic. */
const KEY_LOOK_MS = 5_000;

/** How an account makes calls to the service, whatever they are for. */
export type Gates = {
  has: (account: string) => boolean;
  /**
   * Lets a call wait for its turn. `go` is called once, perhaps at once, and must settle its turn whatever happens.
   * @returns what takes the call back, as long as it waits
   */
  enter: (account: string, rank: Rank, go: (turn: Turn) => void) => () => void;
  /** Counts a second call of an account that goes within the turn of the first one. */
  beside: (account: string) => void;
  /** Whether an account's messages go out. */
  delivery: (account: string) => Delivery;
  /** Why an account makes no calls: the refusal of its key, while it is held. */
  heldFor: (account: string) => string | undefined;
  /** Calls a minute that go to an account's service, as learned. */
  paceOf: (account: string) => number;
  /** Reads the keys again, and lets held accounts try at once. @returns whether a key changed */
  reload: () => boolean;
  stop: () => void;
};

/**
 * The gates of all accounts: one per key and address, so that two accounts with one key share one pace. A new key
 * opens its gate for everything that waits, and may bring accounts together or apart.
 */
export function createGates(parts: Parts): Gates {
  const { accounts, clock, log, keyOf, reloadKeys, onOpen, random = Math.random } = parts;
  const gates = new Map<string, KeyGate>();
  let stopped = false;
  let cancelLook = (): void => {};

  /** The first account with the same key at the same address: its id names their gate. */
  function leaderOf(id: string): string {
    const account = accounts.find((each) => each.id === id);
    const key = keyOf(id);
    if (account === undefined || key === "") return id;
    return accounts.find((each) => each.url === account.url && keyOf(each.id) === key)?.id ?? id;
  }
  const membersOf = (leader: string): string[] => accounts.map(({ id }) => id).filter((id) => leaderOf(id) === leader);

  function gateOf(account: string): KeyGate {
    const leader = leaderOf(account);
    const found = gates.get(leader);
    if (found !== undefined) return found;
    const rates = accounts.filter(({ id }) => leaderOf(id) === leader).map(({ rate }) => rate);
    const gate = createKeyGate({
      clock,
      log,
      random,
      breaker: createBreaker({ now: clock.uptime, random }),
      rate: Math.min(...rates),
      onHeld: () => void (reload() || lookLater()),
      onOpen: () => membersOf(leader).forEach((id) => void onOpen(id, "accepted")),
      onDelivery: () => membersOf(leader).forEach(parts.onDelivery),
    });
    gates.set(leader, gate);
    return gate;
  }

  /** Reads the keys again. With a new one, everybody finds their place anew, and what was held goes. */
  function reload(): boolean {
    const before = new Map(accounts.map(({ id }) => [id, keyOf(id)]));
    if (!refreshed()) return false;
    const changed = accounts.filter(({ id }) => keyOf(id) !== before.get(id)).map(({ id }) => id);
    const waiting = [...gates.values()].flatMap(drain);
    for (const id of changed) release(gateOf(id));
    for (const each of waiting) enter(gateOf(each.account), each);
    for (const id of changed) onOpen(id, "newKey");
    return true;
  }

  function refreshed(): boolean {
    try {
      return reloadKeys();
    } catch (error) {
      log("settings.warning", { cause: String(error) });
      return false;
    }
  }

  /** As long as an account is held, its key file is read again and again. */
  function lookLater(): void {
    cancelLook();
    if (stopped) return;
    cancelLook = clock.after(KEY_LOOK_MS, () => {
      reload();
      if ([...gates.values()].some(({ held }) => held !== undefined)) lookLater();
    });
  }

  return {
    has: (account) => accounts.some(({ id }) => id === account),
    enter(account, rank, go) {
      const waiting = { account, rank, since: clock.uptime(), go };
      enter(gateOf(account), waiting);
      return () => {
        for (const gate of gates.values()) leave(gate, waiting);
      };
    },
    beside: (account) => beside(gateOf(account)),
    delivery: (account) => gates.get(leaderOf(account))?.told ?? "ok",
    heldFor: (account) => gates.get(leaderOf(account))?.held?.why,
    paceOf: (account) => paceOf(gateOf(account).pace, clock.uptime()).rate,
    reload() {
      const changed = reload();
      for (const gate of gates.values()) retry(gate);
      return changed;
    },
    stop() {
      stopped = true;
      cancelLook();
      for (const gate of gates.values()) stop(gate);
    },
  };
}
