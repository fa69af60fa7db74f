import type { Delivery } from "@porchlight/shared/protocol";
import { createBreaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import {
  type CallRank,
  continuePace,
  countSecondCall,
  createKeyGate,
  drain,
  enter,
  type KeyGate,
  leave,
  type Permit,
  release,
  retry,
  stop,
  unsavedPace,
} from "./keygate.ts";
import { paceOf } from "./pacer.ts";

/** `url`: the service's address. `rate`: calls a minute at first. */
type Account = { id: string; url: string; rate: number };

type GatesDeps = {
  accounts: readonly Account[];
  clock: Clock;
  log: Log;
  /** An account's current key; empty while there is none. */
  keyOf: (account: string) => string;
  /** Reads the keys again, for `keyOf`. @throws Error when one cannot be read; others may have changed */
  reloadKeys: () => void;
  /** Called when `delivery` of an account changed. */
  onDelivery: (account: string) => void;
  /** Called when refused calls may go again: the account has a new key, or the service accepts the old one again. */
  onOpen: (account: string, why: "newKey" | "accepted") => void;
  random?: () => number;
};

type GatesState = {
  deps: GatesDeps;
  /** Gates by the id of the first account that uses them. */
  gates: Map<string, KeyGate>;
  stopped: boolean;
  cancelCheck: () => void;
};

/** Interval (ms) at which a held account's key file is read again, with or without traffic. */
const KEY_CHECK_MS = 5_000;

/** The calls of all accounts to the service. Each waits for its permit at the gate of its account's key. */
export type Gates = {
  /** Whether there is an account of this id. */
  has: (account: string) => boolean;
  /**
   * Lets a call wait for its permit. `go` is called once, perhaps before `enter` returns, and must settle the permit in any case.
   * @returns a function that cancels the call while it waits
   */
  enter: (account: string, rank: CallRank, go: (permit: Permit) => void) => () => void;
  /** Counts a second call that an account makes under one permit. */
  countSecondCall: (account: string) => void;
  /** What visitors are told about the delivery of an account's messages. */
  delivery: (account: string) => Delivery;
  /** The refusal of an account's key, while its gate is held. */
  heldFor: (account: string) => string | undefined;
  /** Calls a minute that an account's gate permits, as the pacer learned them. */
  paceOf: (account: string) => number;
  /** The paces that changed after the last call of this function, as texts for other nodes, by the account that leads each gate. */
  unsavedPaces: () => Map<string, string>;
  /** Continues with the pace that another node saved `age` ms ago for the gate that `account` leads. */
  continuePace: (account: string, saved: string, age: number) => void;
  /** Includes the pace of the gate that `account` leads in the next `unsavedPaces`, if the gate was used. */
  savePaceAgain: (account: string) => void;
  /** Reads the keys again, and lets held gates try at once. @returns whether a key changed */
  reload: () => boolean;
  /** Makes no calls from now on. */
  stop: () => void;
};

/**
 * Creates the gates of all accounts: one for each key and address, so that two accounts with one key share one pace.
 * A new key opens its gate for everything that waits. It may let accounts share a gate, or separate them.
 */
export function createGates(deps: GatesDeps): Gates {
  const state: GatesState = { deps, gates: new Map(), stopped: false, cancelCheck: () => {} };
  const { accounts, clock } = deps;
  return {
    has: (account) => accounts.some(({ id }) => id === account),
    enter(account, rank, go) {
      const waiting = { account, rank, since: clock.uptime(), go };
      enter(gateOf(state, account), waiting);
      return () => state.gates.forEach((gate) => void leave(gate, waiting));
    },
    countSecondCall: (account) => countSecondCall(gateOf(state, account)),
    delivery: (account) => state.gates.get(leaderOf(deps, account))?.delivery ?? "ok",
    heldFor: (account) => state.gates.get(leaderOf(deps, account))?.held?.why,
    paceOf: (account) => paceOf(gateOf(state, account).pace, clock.uptime()).rate,
    unsavedPaces: () => unsavedPaces(state),
    continuePace(account, saved, age) {
      if (leaderOf(deps, account) === account) continuePace(gateOf(state, account), saved, age);
    },
    savePaceAgain(account) {
      const gate = state.gates.get(account);
      if (gate !== undefined) gate.unsaved = true;
    },
    reload() {
      const changed = reload(state);
      for (const gate of state.gates.values()) retry(gate);
      return changed;
    },
    stop() {
      state.stopped = true;
      state.cancelCheck();
      for (const gate of state.gates.values()) stop(gate);
    },
  };
}

/** The first account with the same key at the same address: its id names the shared gate. */
function leaderOf({ accounts, keyOf }: GatesDeps, id: string): string {
  const account = accounts.find((each) => each.id === id);
  const key = keyOf(id);
  if (account === undefined || key === "") return id;
  return accounts.find((each) => each.url === account.url && keyOf(each.id) === key)?.id ?? id;
}

/** The accounts that share the gate of `leader`. */
const membersOf = (deps: GatesDeps, leader: string): Account[] =>
  deps.accounts.filter(({ id }) => leaderOf(deps, id) === leader);

/** The gate of an account's key. The first use creates it. */
function gateOf(state: GatesState, account: string): KeyGate {
  const { deps, gates } = state;
  const { clock, log, random = Math.random } = deps;
  const leader = leaderOf(deps, account);
  const found = gates.get(leader);
  if (found !== undefined) return found;
  const gate = createKeyGate({
    clock,
    log,
    random,
    breaker: createBreaker({ now: clock.uptime, random }),
    rate: Math.min(...membersOf(deps, leader).map(({ rate }) => rate)),
    onHeld: () => void (reload(state) || checkLater(state)),
    onOpen: () => membersOf(deps, leader).forEach(({ id }) => void deps.onOpen(id, "accepted")),
    onDelivery: () => membersOf(deps, leader).forEach(({ id }) => void deps.onDelivery(id)),
  });
  gates.set(leader, gate);
  return gate;
}

function unsavedPaces({ gates }: GatesState): Map<string, string> {
  const changed = new Map<string, string>();
  for (const [leader, gate] of gates) {
    const pace = unsavedPace(gate);
    if (pace !== undefined) changed.set(leader, pace);
  }
  return changed;
}

/** Reads the keys again. After a change, every waiting call moves to its account's gate, and held gates open. */
function reload(state: GatesState): boolean {
  const { deps, gates } = state;
  const { accounts, keyOf, onOpen } = deps;
  const before = new Map(accounts.map(({ id }) => [id, keyOf(id)]));
  readKeys(deps);
  const changed = accounts.filter(({ id }) => keyOf(id) !== before.get(id)).map(({ id }) => id);
  if (changed.length === 0) return false;
  const waiting = [...gates.values()].flatMap(drain);
  for (const id of changed) release(gateOf(state, id));
  for (const each of waiting) enter(gateOf(state, each.account), each);
  for (const id of changed) onOpen(id, "newKey");
  return true;
}

/** Reads the keys again. A key that cannot be read stays in use, and other keys may have changed. */
function readKeys({ reloadKeys, log }: GatesDeps): void {
  try {
    reloadKeys();
  } catch (error) {
    log("settings.warning", { cause: String(error) });
  }
}

/** Reads the keys again every `KEY_CHECK_MS` while a gate is held. */
function checkLater(state: GatesState): void {
  state.cancelCheck();
  if (state.stopped) return;
  state.cancelCheck = state.deps.clock.after(KEY_CHECK_MS, () => {
    reload(state);
    if ([...state.gates.values()].some(({ held }) => held !== undefined)) checkLater(state);
  });
}
