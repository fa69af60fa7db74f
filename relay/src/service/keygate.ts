import type { Delivery } from "@porchlight/shared/protocol";
import type { Breaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Outcome } from "./outcome.ts";
import { openPace, type Pace, paceOf, settle, take, takeBeside, takeRepeat } from "./pacer.ts";

/**
 * What a call is for, in the order in which calls go: a new visitor's first message before the other messages,
 * repeats of messages after them, then messages from the owner's side, credit grants, contacts and lists, and look-ups.
 */
const RANKS = ["first", "message", "repeat", "send", "grant", "contact", "lookup"] as const;
export type Rank = (typeof RANKS)[number];
const MESSAGES: readonly Rank[] = ["first", "message", "repeat"];

/** What a call's maker tells the gate: only the first time counts. `unready`: the call was not made. */
export type Settled = Pick<Outcome, "kind" | "status" | "waitMs" | "limit"> & { message?: string };
/** The right to make one call. */
export type Turn = { settle: (outcome: Settled) => void };

export type Waiting = { account: string; rank: Rank; since: number; go: (turn: Turn) => void };

/** A call on the way: the pace's epoch and the time when it left. */
type Call = { epoch: number; since: number };

/** Calls of one key on the way at once. */
const PARALLEL = 64;
/** Messages that wait longer are told to the visitor. */
const NOTICE_MS = 3_000;
/** How often a held gate lets one call try whether the key is good again. */
const HELD_MS = 30_000;
const NEVER = Number.POSITIVE_INFINITY;

type Parts = {
  clock: Clock;
  log: Log;
  breaker: Breaker;
  /** Calls a minute to begin with. */
  rate: number;
  random: () => number;
  /** The key was refused for the first time: look for a new one. */
  onHeld: () => void;
  /** The service takes the key again. */
  onOpen: () => void;
  /** What visitors should be told has changed. */
  onDelivery: () => void;
};

/** One key's gate. `held`: the key or the address is refused; one call tries again at `until`. */
export type KeyGate = {
  parts: Parts;
  pace: Pace;
  queues: Record<Rank, Set<Waiting>>;
  /** Calls on the way. */
  open: number;
  held: { until: number; why: string } | undefined;
  /** The key is new and was not accepted yet: one call goes alone. */
  doubted: boolean;
  told: Delivery;
  cancelLook: () => void;
  stopped: boolean;
};

/**
 * A gate through which every call with one account key goes, whatever it is for: one pace, one order, one pause while the key
 * is refused or the service is away.
 */
export function createKeyGate(parts: Parts): KeyGate {
  const queues = Object.fromEntries(RANKS.map((rank) => [rank, new Set()])) as unknown as KeyGate["queues"];
  const pace = openPace(parts.rate, parts.clock.uptime());
  const rest = { open: 0, held: undefined, doubted: false, told: "ok", cancelLook: () => {}, stopped: false } as const;
  return { parts, pace, queues, ...rest };
}

/** Lets a call wait for its turn. @returns what takes it out again, as long as it waits */
export function enter(gate: KeyGate, waiting: Waiting): void {
  gate.queues[waiting.rank].add(waiting);
  pump(gate);
}

export function leave(gate: KeyGate, waiting: Waiting): void {
  gate.queues[waiting.rank].delete(waiting);
}

/** Counts a call that is made within another one's turn. */
export const beside = ({ pace, parts }: KeyGate): void => takeBeside(pace, parts.clock.uptime());

/** Takes all waiting calls out, in order. */
export function drain(gate: KeyGate): Waiting[] {
  const all = RANKS.flatMap((rank) => [...gate.queues[rank]]);
  for (const rank of RANKS) gate.queues[rank].clear();
  return all;
}

/** There is a new key: everything may go, at first one call alone. */
export function release(gate: KeyGate): void {
  if (gate.held !== undefined) gate.doubted = true;
  gate.held = undefined;
  pump(gate);
}

/** Somebody asks for another try now, with the key that there is. */
export function retry(gate: KeyGate): void {
  if (gate.held !== undefined) gate.held.until = gate.parts.clock.uptime();
  pump(gate);
}

/** Lets nothing go any more. */
export function stop(gate: KeyGate): void {
  gate.stopped = true;
  gate.cancelLook();
}

/** Lets go what may go now, and comes back when the next call may. */
function pump(gate: KeyGate): void {
  gate.cancelLook();
  if (gate.stopped) return;
  let wait = next(gate);
  while (wait === 0) wait = next(gate);
  gate.cancelLook = Number.isFinite(wait) ? gate.parts.clock.after(wait, () => pump(gate)) : () => {};
  tell(gate, wait);
}

// ── when ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lets the first of the waiting calls go. @returns 0 when one went, else ms until one may; never when nothing waits */
function next(gate: KeyGate): number {
  const shut = closedFor(gate);
  if (shut > 0 || gate.open >= PARALLEL) return shut > 0 ? shut : NEVER;
  let wait = NEVER;
  for (const rank of RANKS) {
    const waiting = firstOf(gate.queues[rank]);
    if (waiting === undefined) continue;
    const now = gate.parts.clock.uptime();
    const pause = rank === "repeat" ? takeRepeat(gate.pace, now) : take(gate.pace, now);
    if (pause === 0) {
      go(gate, waiting);
      return 0;
    }
    wait = Math.min(wait, pause);
    // Repeats have a budget of their own; whatever holds another call back holds those after it back, too.
    if (rank !== "repeat") return wait;
  }
  return wait;
}

/** Ms until anything may go: refused keys first, then a service that is away. */
function closedFor({ held, doubted, open, parts: { breaker, clock } }: KeyGate): number {
  const wait = held === undefined ? breaker.allow() : held.until - clock.uptime();
  if (wait > 0) return wait;
  const trying = held !== undefined || doubted || breaker.state === "open";
  return trying && open > 0 ? NEVER : 0;
}

function go(gate: KeyGate, waiting: Waiting): void {
  leave(gate, waiting);
  gate.open++;
  const { epoch } = gate.pace;
  const since = gate.parts.clock.uptime();
  let settled = false;
  waiting.go({
    settle(outcome) {
      if (settled) return;
      settled = true;
      gate.open--;
      land(gate, waiting, { epoch, since }, outcome);
      pump(gate);
    },
  });
}

const firstOf = (queue: Set<Waiting>): Waiting | undefined => queue.values().next().value;
/** Since when the first of the waiting messages waits. */
const oldest = ({ queues }: KeyGate): number =>
  Math.min(...MESSAGES.map((rank) => firstOf(queues[rank])?.since ?? NEVER));

/** Visitors are told the truth when it changes. */
function tell(gate: KeyGate, wait: number): void {
  const { breaker, clock } = gate.parts;
  const since = oldest(gate);
  const late = since !== NEVER && (clock.uptime() - since > NOTICE_MS || (wait > NOTICE_MS && wait !== NEVER));
  const now = gate.held !== undefined || breaker.state !== "closed" || late ? "delayed" : "ok";
  if (now === gate.told) return;
  gate.told = now;
  gate.parts.onDelivery();
}

// ── what came of a call ───────────────────────────────────────────────────────────────────────────────────────────

function land(gate: KeyGate, { account, rank }: Waiting, call: Call, outcome: Settled): void {
  const { parts, pace } = gate;
  const { kind, status } = outcome;
  const contended = gate.queues.first.size + gate.queues.message.size > 0;
  // What never reached the service says nothing about it.
  const made = kind !== "permanent" || status !== 0;
  const now = parts.clock.uptime();
  const took = made && status > 0 ? { tookMs: now - call.since } : {};
  const settling = { contended, random: parts.random, ...took };
  settle(pace, call.epoch, made ? outcome : { kind: "unready" }, now, settling);
  if (kind === "throttle") {
    parts.log("account.throttled", { account, rate: paceOf(pace, now).rate });
  } else if (refusesKey(rank, outcome)) hold(gate, account, rank, outcome);
  else if (isAway(outcome)) {
    if (parts.breaker.failure()) parts.log("account.unreachable", { account, status });
  } else if (made && (kind === "ok" || kind === "duplicate" || kind === "permanent")) answered(gate, account);
}

/** The service does not answer, or answers that it cannot. */
const isAway = ({ kind, status }: Settled): boolean =>
  kind === "transient" || (kind === "unknown" && (status === 0 || status >= 500));

/**
 * Every call would be refused: for a bad key or address, or by something before the service. A 403 or 404 of another call
 * than a message may be about that call alone.
 */
function refusesKey(rank: Rank, { kind, status }: Settled): boolean {
  if (kind !== "config" && kind !== "edge") return false;
  if (MESSAGES.includes(rank)) return true;
  return kind === "config" && (status === 401 || (status > 0 && status < 400));
}

/** Nothing is lost, somebody is called. */
function hold(gate: KeyGate, account: string, rank: Rank, { kind, status, message }: Settled): void {
  const { clock, log, onHeld } = gate.parts;
  const fresh = gate.held === undefined;
  // A grant may be refused with 401 because the account is no agency: the next call shows whether it is the key.
  const until = clock.uptime() + (rank === "grant" ? 0 : HELD_MS);
  const why = status === 0 ? (message ?? kind) : `${status}: ${message ?? kind}`;
  if (fresh || rank !== "grant") gate.held = { until, why };
  gate.doubted = false;
  if (!fresh) return;
  log(kind === "edge" ? "account.blocked" : "account.paused", { account, status, reason: message });
  onHeld();
}

function answered(gate: KeyGate, account: string): void {
  gate.parts.breaker.success();
  gate.doubted = false;
  if (gate.held === undefined) return;
  gate.held = undefined;
  gate.parts.log("account.resumed", { account });
  gate.parts.onOpen();
}
