/** What the sandbox draws at random: delays and ids. */

import type { Span } from "./option.ts";

/** Uniform in [0, 1). */
export type Random = () => number;

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
