/** The kinds of faults, and the checks of a fault that comes from outside. */

import { isFields } from "@porchlight/shared/json-fields";

/** Names of the endpoints in faults, in `forceStatus` and in the journal. */
export const ROUTES = ["createContact", "findContact", "addToList", "send", "incoming", "credits"] as const;
export type RouteName = (typeof ROUTES)[number];
/** One endpoint, or any request under the base path. */
export type FaultRoute = RouteName | "*";

/**
 * - `status`: that status, with a body of the endpoint's shape or `body`
 * - `hangRequest`, also called `hang`: no answer (with `ms`: a reset after that time)
 * - `resetConnection`: TCP reset without an answer; `resetAfterWrite` is the same after the effect
 * - `cutBody`: headers and half the body, then a reset
 * - `htmlError`: an edge proxy's HTML page (502 unless `status`)
 * - `truncateJson`: a complete HTTP answer whose JSON stops halfway
 * - `slowBody`: the body is sent slowly, over `ms`
 * - `delay`: the whole answer comes `ms` later; the effect happens at once, so a reply can overtake the answer
 * - `emptyBody`: the status without a body
 */
export const FAULTS = [
  "status",
  "hangRequest",
  "hang",
  "resetConnection",
  "resetAfterWrite",
  "cutBody",
  "htmlError",
  "truncateJson",
  "slowBody",
  "delay",
  "emptyBody",
] as const;
export type FaultKind = (typeof FAULTS)[number];

export type Fault = {
  kind: FaultKind;
  /** Status of the faulty answer. */
  status?: number;
  /**
   * Whether the fault acts before the effect (nothing happens) or after it ("500 but processed"). Default: `before`, but
   * `after` for the kinds that damage the real answer (`resetAfterWrite cutBody truncateJson slowBody delay`).
   */
  when?: "before" | "after";
  ms?: number;
  /** A body that replaces the usual one: a string is sent as text, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** A fault for a share of the requests (`rate`, 0 to 1). */
export type FaultRule = Fault & { route: FaultRoute; rate: number };

const AFTER_EFFECT: readonly FaultKind[] = ["resetAfterWrite", "cutBody", "truncateJson", "slowBody", "delay"];

/** Whether a value from outside is the name of an endpoint, or `*`. */
export const isFaultRoute = (value: unknown): value is FaultRoute =>
  value === "*" || (ROUTES as readonly unknown[]).includes(value);

/** Whether a value from outside is a fault of a known kind, with fields of the right types. */
export const isFault = (value: unknown): value is Fault =>
  isFields(value) &&
  (FAULTS as readonly unknown[]).includes(value.kind) &&
  (value.status === undefined || (Number.isInteger(value.status) && Number(value.status) >= 200)) &&
  (value.when === undefined || value.when === "before" || value.when === "after") &&
  (value.ms === undefined || (typeof value.ms === "number" && value.ms >= 0)) &&
  (value.headers === undefined || isFields(value.headers));

/** Whether a value from outside is a fault with its route and its share of the requests. */
export const isFaultRule = (value: unknown): value is FaultRule =>
  isFields(value) && isFaultRoute(value.route) && typeof value.rate === "number" && isFault(value);

/** Expands a status or a kind to a fault. */
export const toFault = (fault: Fault | FaultKind | number): Fault =>
  typeof fault === "number"
    ? { kind: "status", status: fault }
    : typeof fault === "string"
      ? { kind: fault }
      : { ...fault };

/** Whether the request has no effect: the fault replaces the real answer instead of damaging it. */
export const actsBefore = (fault: Fault): boolean =>
  (fault.when ?? (AFTER_EFFECT.includes(fault.kind) ? "after" : "before")) === "before";
