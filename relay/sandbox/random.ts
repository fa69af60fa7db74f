/** Repeatable randomness: one seed, several independent streams. */

import type { Span } from "./option.ts";

/** Uniform in [0, 1). */
export type Random = () => number;

/** Mulberry32 (Tommy Ettinger's 32-bit mixer): small, fast, good enough for faults and ids of a sandbox. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Milliseconds drawn from a span. */
export function draw(span: Span, random: Random): number {
  if (typeof span === "number") return span;
  if (span.p99 !== undefined && random() < 0.01) return span.p99;
  return Math.round(span.min + random() * (span.max - span.min));
}

const LETTERS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz";

/** An id of 20 characters, or of 15 digits that fit a JSON number when `numeric`. */
export function createId(random: Random, numeric: boolean): string {
  if (numeric) return String(Math.floor(1e14 + random() * 8e14));
  let id = "";
  for (let i = 0; i < 20; i++) id += LETTERS.charAt(Math.floor(random() * LETTERS.length));
  return id;
}
