import type { Scenario } from "./scenario.ts";
import { SPECIAL } from "./scenario.ts";

const FOUND: { seed: number; found: string; given?: Partial<Scenario> }[] = [
  { seed: 36, found: "a message sent again after a restored backup had another messageSid" },
  { seed: 56, found: "the next frame of another tab created a deleted visitor again" },
  { seed: 73, found: "a refusal after a read of an empty lane paused the account forever" },
  { seed: 466, found: "a refused message was tried again and again" },
  {
    seed: 606,
    found: "a relay that starts when its earlier process has used up the limit is slow for an hour",
  },
  { seed: 923, found: "a message typed into a deleted chat" },
  { seed: 3, found: "an expired message that the service refuses", given: SPECIAL["outage of 13 hours"] },
  { seed: 28, found: "an answer that came after its message", given: SPECIAL["outage of 13 hours"] },
  { seed: 32, found: "the last of a thousand replies", given: SPECIAL["a thousand replies while away"] },
  { seed: 18, found: "order after a restored backup", given: SPECIAL["a restored backup"] },
];

/** Seeds that found a defect during development: the defect, and the given part of the scenario. */
export const REGRESSIONS = FOUND.map(({ given, ...rest }) => ({ ...rest, given: { crashesAtStart: false, ...given } }));
