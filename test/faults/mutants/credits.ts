import { credits } from "../suites/credits.ts";
import type { Common, Report } from "../suites/suite.ts";
import type { Mutant } from "./mutant.ts";

const money = (options: Common): Promise<Report> => credits({ ...options, keys: 60, kills: 5 });

/** A mistake with money, and the tests beside a file that notice it at once, where there are such. */
type Mistake = Pick<Mutant, "name" | "edits"> & { unit?: string };

/** Each one grants twice, or more than it may, or forgets. */
const MISTAKES: readonly Mistake[] = [
  {
    name: "grants without claiming first",
    edits: [{ in: "ledger-worker.take", find: "return claim(tx, { ...$entry, $$ });", replace: "return $entry;" }],
  },
  {
    name: "takes over the call of a process that died",
    edits: [{ in: "abandon", text: "SET state = 'unknown',", replace: "SET state = 'intent'," }],
  },
  {
    name: "grants again after an answer that nobody can read",
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
    name: "does not look at the day's cap",
    edits: [
      {
        find: "return (await spend($$share)) ? undefined : $full;",
        replace: "await spend($$share); return undefined;",
      },
    ],
    unit: "credits.test.ts",
  },
  {
    name: "takes every copy of an event for another one",
    edits: [
      {
        in: "recharge",
        find: "enter($tx, { $$before, key: $event.key, $$rest })",
        replace: "enter($tx, { $$before, key: $event.key + Math.random(), $$rest })",
      },
    ],
    unit: "credits.test.ts",
  },
];

/** Noticed by the tests beside the file. */
export const CREDITS: readonly Mutant[] = MISTAKES.flatMap(({ name, edits, unit }) =>
  unit === undefined ? [] : [{ name, edits, killedBy: { unit } }],
);
/** All of them, noticed by what stands at the service and in the ledger after kills. */
export const CREDITS_UNDER_KILLS: readonly Mutant[] = MISTAKES.map(({ name, edits }) => ({
  name: `${name}, under kills`,
  edits,
  killedBy: { suite: money },
}));
