/**
 * The chat under dropped, duplicated and reordered frames, lost answers, restarts, several tabs and reloads.
 * `test/widget-fuzz.full.test.ts` runs more sequences.
 */

import { it } from "vitest";
import { randomSequences, run } from "./fuzz.fixture.ts";

/** Seeds that once failed. */
const KEPT = [53, 105, 932, 18_021];

randomSequences(250);

it("the chat passes the sequences that once failed", () => {
  for (const seed of KEPT) for (const hostile of [false, true]) run(seed, hostile);
});
