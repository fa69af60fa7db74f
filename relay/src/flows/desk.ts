import type { Breaker } from "../base/breaker.ts";
import type { Clock } from "../base/clock.ts";
import type { Kind, Pacer } from "./pacer.ts";

/**
 * The order of one account's deliveries. Each visitor has a lane with one message on the way at a time, so order holds
 * . A lane is *ready* (its head may go), *flying* (its head is on the way) or *waiting* (its head failed for now and
 * has a time for its next try). A desk is open, or *held*: our key or address is refused, and nothing goes until that is
 * mended.
 */
export type Lane = { visitor: string; kind: Kind; state: "ready" | "flying" | "waiting"; again: boolean };

/** Messages of one account on the way at once. */
const PARALLEL = 64;
/** A pause shorter than this is nothing a visitor should be told of. */
const NOTICE_MS = 3_000;
/** New visitors' first messages go before all others, repeats last. */
const KINDS: readonly Kind[] = ["first", "fresh", "retry"];
/** Nothing to wait for: something else will call. */
const NEVER = Number.POSITIVE_INFINITY;

export function createDesk(parts: { account: string; pacer: Pacer; breaker: Breaker; clock: Clock }) {
  const { account, pacer, breaker, clock } = parts;
  const lanes = new Map<string, Lane>();
  const ready: Record<Kind, string[]> = { first: [], fresh: [], retry: [] };
  let flying = 0;
  /** Set while held: when the next attempt to get through is due, by `uptime`. */
  let heldUntil: number | undefined;

  /** Milliseconds until anything may go at all: refused keys first, then an unreachable service. */
  function gate(): number {
    const wait = heldUntil === undefined ? breaker.allow() : heldUntil - clock.uptime();
    if (wait > 0) return wait;
    // One message goes as a probe; the rest stay until it got through.
    const probing = heldUntil !== undefined || breaker.state === "open";
    return probing && flying > 0 ? NEVER : 0;
  }

  return {
    account,
    pacer,
    breaker,
    lane: (visitor: string): Lane | undefined => lanes.get(visitor),
    flying: (): number => flying,

    /** The lane's head may go. */
    line(lane: Lane): void {
      lane.state = "ready";
      lanes.set(lane.visitor, lane);
      ready[lane.kind].push(lane.visitor);
    },

    /** The lane's head has a time of its own. */
    park(lane: Lane): void {
      lane.state = "waiting";
      lanes.set(lane.visitor, lane);
    },

    /** The lane is empty. */
    leave: (lane: Lane): void => void lanes.delete(lane.visitor),

    /** The lane whose head goes now, as the gate and the pace allow; else how long to wait, for ever if for nothing. */
    next(): Lane | number {
      const shut = gate();
      if (shut > 0) return shut;
      if (flying >= PARALLEL) return NEVER;
      let wait = NEVER;
      for (const kind of KINDS) {
        const visitor = ready[kind][0];
        if (visitor === undefined) continue;
        const pause = pacer.take(kind);
        if (pause > 0) {
          wait = Math.min(wait, pause);
          continue;
        }
        ready[kind].shift();
        const lane = lanes.get(visitor);
        if (lane !== undefined) return lane;
      }
      return wait;
    },

    takeOff(lane: Lane): void {
      lane.state = "flying";
      lane.again = false;
      flying++;
    },

    land: (): void => void flying--,

    /** Nothing goes but a probe after `ms`. @returns whether that is new */
    hold(ms: number): boolean {
      const first = heldUntil === undefined;
      heldUntil = clock.uptime() + ms;
      return first;
    },

    /** The service answered: the way is open. @returns whether it was held before */
    open(): boolean {
      breaker.success();
      const held = heldUntil !== undefined;
      heldUntil = undefined;
      return held;
    },

    held: (): boolean => heldUntil !== undefined,

    /** Whether visitors should know that deliveries take longer. */
    delayed: (): boolean =>
      heldUntil !== undefined || breaker.state !== "closed" || pacer.snapshot().pausedFor > NOTICE_MS,
  };
}

export type Desk = ReturnType<typeof createDesk>;
