/**
 * `npm run soak`: storms one after the other, each with another seed, for SOAK_MINUTES (5), and what they add up to; beside
 * them one visitor who is silent for 130 seconds behind nginx. Ends with 1 as soon as something is lost, doubled or out of
 * order, and says with which seed; or when the silent one lost the line.
 */

import { type Figures, storm } from "../faults/storm.ts";
import { idle } from "./idle.ts";

const IDLE_SECONDS = 130;

const minutes = Number(process.env.SOAK_MINUTES ?? 5);
const end = performance.now() + minutes * 60_000;
const wrong = ({ lost, doubled, misordered, repliesLost, repliesDoubled, repliesMisordered }: Figures): number =>
  lost + doubled + misordered + repliesLost + repliesDoubled + repliesMisordered;

const idling = idle(IDLE_SECONDS).then(
  () => "kept its line",
  (error: Error) => error,
);

let [storms, acknowledged, replies, kills] = [0, 0, 0, 0];
let seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);

do {
  const figures = await storm({ visitors: 20, messages: 20, kills: 6, seed });
  storms += 1;
  acknowledged += figures.acknowledged;
  replies += figures.replies;
  kills += figures.kills;
  console.log(`seed ${seed}: ${JSON.stringify(figures)}`);
  if (wrong(figures) > 0) {
    console.log(`Something went wrong. Again with: SOAK_SEED=${seed} npm run soak`);
    process.exit(1);
  }
  seed += 1;
} while (performance.now() < end);

console.log(
  `${storms} storms, ${kills} kills, ${acknowledged} messages, ${replies} replies: nothing lost, doubled or moved.`,
);

const silent = await idling;
console.log(`A visitor who was silent for ${IDLE_SECONDS} s behind nginx: ${silent}`);
if (silent instanceof Error) process.exit(1);
