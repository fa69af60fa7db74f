import type { Delivery } from "@porchlight/shared/protocol";
import type { Breaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Outcome } from "./outcome.ts";
import { openPace, type Pace } from "./pace.ts";
import { paceOf, settle, take, takeRepeat, takeSecondCall } from "./pacer.ts";
import { resumePace, savePace } from "./saved-pace.ts";

/**
 * Kinds of calls, in the order in which waiting calls are made (R-801): a new visitor's first message, other messages, repeats
 * of messages, messages from the owner, credit grants, contacts and lists, look-ups.
 */
const RANKS = ["first", "message", "repeat", "send", "grant", "contact", "lookup"] as const;
/** The kind of a call. */
export type CallRank = (typeof RANKS)[number];
/** Kinds of calls that carry visitors' messages. */
const MESSAGES: readonly CallRank[] = ["first", "message", "repeat"];

/** The outcome of a call, as its caller reports it to the gate. `unready`: the call was not made. */
export type SettledCall = Pick<Outcome, "kind" | "status" | "waitMs" | "limit"> & { message?: string };
/** The permission to make one call. `settle` must be called; only its first call counts. */
export type Permit = { settle: (outcome: SettledCall) => void };

/** A call that waits for its permit. `since`: uptime in ms when it began to wait. `go`: makes the call. */
export type WaitingCall = { account: string; rank: CallRank; since: number; go: (permit: Permit) => void };

/** A call under way: the period of the pace, the version of the key, and the uptime in ms when it was made. */
type Call = { period: number; keyVersion: number; since: number };

/** Most calls of one key under way at once. */
const CALLS_AT_ONCE_MAX = 64;
/** Visitors are told `delayed` when a message waits longer than this, in ms. */
const NOTICE_MS = 3_000;
/** A held gate lets one call go at this interval (ms), to learn whether the key is accepted again. */
const HELD_MS = 30_000;
const NEVER = Number.POSITIVE_INFINITY;

/** What a gate works with. */
type KeyGateDeps = {
  clock: Clock;
  log: Log;
  breaker: Breaker;
  /** Calls a minute at first. */
  rate: number;
  random: () => number;
  /** Called when the key is refused for the first time, to look for a new one. */
  onHeld: () => void;
  /** Called when the service accepts the key again. */
  onOpen: () => void;
  /** Called when `delivery` changed. */
  onDelivery: () => void;
};

/** The gate of one key. */
export type KeyGate = {
  deps: KeyGateDeps;
  pace: Pace;
  queues: Record<CallRank, Set<WaitingCall>>;
  /** Calls under way. */
  underWay: number;
  /** The pace changed after it was last saved for other nodes. */
  unsaved: boolean;
  /** Set while the service refuses the key or the address; one call tries again at `until`, in ms of uptime. */
  held: { until: number; why: string } | undefined;
  /** Increases with each new key. A call with a lower number was made with a former key. */
  keyVersion: number;
  /** The key is new and was not accepted yet: calls go one by one. */
  unproven: boolean;
  /** What visitors are told about delivery. */
  delivery: Delivery;
  /** `pump` is running. A call that is settled before its `go` returns does not start it a second time. */
  pumping: boolean;
  cancelTimer: () => void;
  stopped: boolean;
};

/**
 * Creates the gate of one key. All calls with the key pass it, so they share one pace, one order, and one pause while the key
 * is refused (R-464, R-801) or the service does not answer.
 */
export function createKeyGate(deps: KeyGateDeps): KeyGate {
  const queues = Object.fromEntries(RANKS.map((rank) => [rank, new Set()])) as unknown as KeyGate["queues"];
  const pace = openPace(deps.rate, deps.clock.uptime());
  const rest = {
    underWay: 0,
    unsaved: false,
    held: undefined,
    keyVersion: 0,
    unproven: false,
    delivery: "ok",
    stopped: false,
  } as const;
  return { deps, pace, queues, ...rest, pumping: false, cancelTimer: () => {} };
}

/** Adds a waiting call. */
export function enter(gate: KeyGate, waiting: WaitingCall): void {
  gate.queues[waiting.rank].add(waiting);
  pump(gate);
}

/** Removes a waiting call. */
export function leave(gate: KeyGate, waiting: WaitingCall): void {
  gate.queues[waiting.rank].delete(waiting);
}

/** Counts a second call that is made under one permit. */
export function countSecondCall(gate: KeyGate): void {
  takeSecondCall(gate.pace, gate.deps.clock.uptime());
  gate.unsaved = true;
}

/** The pace as text for another node. @returns undefined when it did not change after the last call of this function */
export function unsavedPace(gate: KeyGate): string | undefined {
  if (!gate.unsaved) return undefined;
  gate.unsaved = false;
  return savePace(gate.pace, gate.deps.clock.uptime());
}

/** Continues with the pace that another node saved `age` ms ago. */
export function continuePace(gate: KeyGate, saved: string, age: number): void {
  resumePace(gate.pace, saved, age, gate.deps.clock.uptime());
  pump(gate);
}

/** Removes and returns all waiting calls, in order. */
export function drain(gate: KeyGate): WaitingCall[] {
  const all = RANKS.flatMap((rank) => [...gate.queues[rank]]);
  for (const rank of RANKS) gate.queues[rank].clear();
  return all;
}

/** Opens the gate for a new key: at first, one call goes alone. */
export function release(gate: KeyGate): void {
  gate.keyVersion++;
  if (gate.held !== undefined) gate.unproven = true;
  gate.held = undefined;
  pump(gate);
}

/** Lets one call try the present key now. */
export function retry(gate: KeyGate): void {
  if (gate.held !== undefined) gate.held.until = gate.deps.clock.uptime();
  pump(gate);
}

/** Makes no calls from now on. */
export function stop(gate: KeyGate): void {
  gate.stopped = true;
  gate.cancelTimer();
}

/** Makes all calls that may go now, and sets a timer for the next one. */
function pump(gate: KeyGate): void {
  if (gate.stopped) return gate.cancelTimer();
  if (gate.pumping) return;
  gate.cancelTimer();
  const wait = makeCalls(gate);
  gate.cancelTimer = Number.isFinite(wait) ? gate.deps.clock.after(wait, () => pump(gate)) : () => {};
  updateNotice(gate, wait);
}

/** Makes calls until the next one must wait. @returns as `makeNextCall` does */
function makeCalls(gate: KeyGate): number {
  gate.pumping = true;
  try {
    let wait = makeNextCall(gate);
    while (wait === 0) wait = makeNextCall(gate);
    return wait;
  } finally {
    gate.pumping = false;
  }
}

// ── making calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lets the first waiting call go. @returns 0 when one went; else ms until one may, NEVER when none waits */
function makeNextCall(gate: KeyGate): number {
  const shut = closedMs(gate);
  if (shut > 0 || gate.underWay >= CALLS_AT_ONCE_MAX) return shut > 0 ? shut : NEVER;
  let wait = NEVER;
  for (const rank of RANKS) {
    const waiting = firstOf(gate.queues[rank]);
    if (waiting === undefined) continue;
    const now = gate.deps.clock.uptime();
    const pause = rank === "repeat" ? takeRepeat(gate.pace, now) : take(gate.pace, now);
    if (pause === 0) {
      go(gate, waiting);
      return 0;
    }
    wait = Math.min(wait, pause);
    // Repeats have a budget of their own. Any other call that must wait makes the calls after it wait, too.
    if (rank !== "repeat") return wait;
  }
  return wait;
}

/** Ms for which no call may go, 0 when one may; because the key is refused or the service does not answer. */
function closedMs({ held, unproven, underWay, deps: { breaker, clock } }: KeyGate): number {
  const wait = held === undefined ? breaker.allow() : held.until - clock.uptime();
  if (wait > 0) return wait;
  const trying = held !== undefined || unproven || breaker.state === "open";
  return trying && underWay > 0 ? NEVER : 0;
}

/** Makes a waiting call. */
function go(gate: KeyGate, waiting: WaitingCall): void {
  leave(gate, waiting);
  gate.underWay++;
  gate.unsaved = true;
  const call = { period: gate.pace.period, keyVersion: gate.keyVersion, since: gate.deps.clock.uptime() };
  let settled = false;
  waiting.go({
    settle(outcome) {
      if (settled) return;
      settled = true;
      gate.underWay--;
      gate.unsaved = true;
      conclude(gate, waiting, call, outcome);
      pump(gate);
    },
  });
}

const firstOf = (queue: Set<WaitingCall>): WaitingCall | undefined => queue.values().next().value;
/** When the oldest waiting message began to wait. */
const oldest = ({ queues }: KeyGate): number =>
  Math.min(...MESSAGES.map((rank) => firstOf(queues[rank])?.since ?? NEVER));

/** Updates whether visitors are told `delayed`. */
function updateNotice(gate: KeyGate, wait: number): void {
  const { breaker, clock } = gate.deps;
  const since = oldest(gate);
  const late = since !== NEVER && (clock.uptime() - since > NOTICE_MS || (wait > NOTICE_MS && wait !== NEVER));
  const now = gate.held !== undefined || breaker.state !== "closed" || late ? "delayed" : "ok";
  if (now === gate.delivery) return;
  gate.delivery = now;
  gate.deps.onDelivery();
}

// ── outcomes ───────────────────────────────────────────────────────────────────────────────────────────

/** Applies the outcome of a call to the pace and to the gate. */
function conclude(gate: KeyGate, { account, rank }: WaitingCall, call: Call, outcome: SettledCall): void {
  const { deps, pace } = gate;
  const { kind, status } = outcome;
  const contended = gate.queues.first.size + gate.queues.message.size > 0;
  // A call that never reached the service says nothing about it.
  const made = kind !== "permanent" || status !== 0;
  const now = deps.clock.uptime();
  const took = made && status > 0 ? { tookMs: now - call.since } : {};
  const settling = { contended, random: deps.random, ...took };
  settle(pace, call.period, made ? outcome : { kind: "unready" }, now, settling);
  if (kind === "throttle") {
    deps.log("account.throttled", { account, rate: paceOf(pace, now).rate });
  } else if (refusesKey(rank, outcome)) {
    // The refusal of a former key says nothing about the present one.
    if (call.keyVersion === gate.keyVersion) hold(gate, account, rank, outcome);
  } else if (isUnavailable(outcome)) {
    if (deps.breaker.failure()) deps.log("account.unreachable", { account, status });
  } else if (made && (kind === "ok" || kind === "duplicate" || kind === "permanent")) {
    deps.breaker.success();
    if (call.keyVersion === gate.keyVersion) acceptKey(gate, account);
  }
}

/** Whether the service did not answer, or answered that it cannot process calls now. */
const isUnavailable = ({ kind, status }: SettledCall): boolean =>
  kind === "transient" || (kind === "unknown" && (status === 0 || status >= 500));

/**
 * Whether every call with the key would be refused: a bad key or address, or a refusal by a proxy in front of the service. A 403 or
 * 404 counts for messages only: for another call it may concern that call alone (R-012, R-483).
 */
function refusesKey(rank: CallRank, { kind, status }: SettledCall): boolean {
  if (kind !== "config" && kind !== "edge") return false;
  if (MESSAGES.includes(rank)) return true;
  return kind === "config" && (status === 401 || (status > 0 && status < 400));
}

/** Holds the gate after a refusal of the key, and tells the operator. Waiting calls stay in their queues. */
function hold(gate: KeyGate, account: string, rank: CallRank, { kind, status, message }: SettledCall): void {
  const { clock, log, onHeld } = gate.deps;
  const fresh = gate.held === undefined;
  // A 401 to a grant may mean that the account is not an agency (R-483): the next call shows whether the key is bad.
  const until = clock.uptime() + (rank === "grant" ? 0 : HELD_MS);
  const why = status === 0 ? (message ?? kind) : `${status}${message ? `: ${message}` : ""}`;
  if (fresh || rank !== "grant") gate.held = { until, why };
  gate.unproven = false;
  if (!fresh) return;
  log(kind === "edge" ? "account.blocked" : "account.paused", { account, status, reason: message });
  onHeld();
}

/** The service has accepted the key: opens the gate for all calls if it was held, or if the key is new. */
function acceptKey(gate: KeyGate, account: string): void {
  if (gate.held === undefined && !gate.unproven) return;
  gate.held = undefined;
  gate.unproven = false;
  gate.deps.log("account.resumed", { account });
  gate.deps.onOpen();
}
