import { credits } from "../suites/credits.ts";
import type { Common, Report } from "../suites/suite.ts";
import type { Mutant } from "./mutant.ts";

const creditsSuite = (options: Common): Promise<Report> => credits({ ...options, keys: 150, kills: 4 });

/** A mistake with credits. `unit`: the unit test that finds it, if there is one. */
type Mistake = Pick<Mutant, "name" | "edits"> & { unit?: string };

/** With each of them the relay grants twice, grants too much, or forgets a grant. */
const MISTAKES: readonly Mistake[] = [
  {
    name: "grants without claiming first",
    edits: [{ in: "ledger-worker.take", find: "return claim(tx, { ...$entry, $$ });", replace: "return $entry;" }],
  },
  {
    name: "repeats the call of a process that died",
    edits: [{ in: "abandon", text: "SET state = 'unknown',", replace: "SET state = 'intent'," }],
  },
  {
    name: "grants again after an unreadable answer",
    edits: [
      {
        find: `return { kind: "unknown", reason: \`\${$status}: \${$message}\` };`,
        replace: "return { ...again, waitMs: 1 };",
      },
    ],
    unit: "grants.test.ts",
  },
  {
    name: "grants again after no answer",
    edits: [
      {
        find: `return $kind === "unknown" ? { kind: "unknown", reason: \`no answer: \${$message}\` } : again;`,
        replace: "return again;",
      },
    ],
    unit: "grants.test.ts",
  },
  {
    name: "ignores the day's cap",
    edits: [
      {
        find: "return (await spend($$share)) ? undefined : $full;",
        replace: "await spend($$share); return undefined;",
      },
    ],
    unit: "credits.test.ts",
  },
  {
    name: "treats every copy of an event as a new event",
    edits: [
      {
        in: "recharge",
        find: "addEntry($tx, { $$before, key: $event.key, $$rest })",
        replace: "addEntry($tx, { $$before, key: $event.key + Math.random(), $$rest })",
      },
    ],
    unit: "credits.test.ts",
  },
];

/** Found by unit tests. */
export const CREDITS: readonly Mutant[] = MISTAKES.flatMap(({ name, edits, unit }) =>
  unit === undefined ? [] : [{ name, edits, killedBy: { unit } }],
);
/** All of them, found by comparing the service with the ledger after kills. */
export const CREDITS_UNDER_KILLS: readonly Mutant[] = MISTAKES.map(({ name, edits }) => ({
  name: `${name}, under kills`,
  edits,
  killedBy: { suite: creditsSuite },
}));
