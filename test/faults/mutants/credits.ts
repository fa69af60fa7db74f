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
    edits: [
      {
        file: "flows/ledger-worker.ts",
        find: "const taken = await db.transaction((tx) => claim(tx, { ...entry, node, now: clock.now(), ordered }));",
        replace: "const taken: typeof entry | undefined = entry;",
      },
    ],
  },
  {
    name: "takes over the call of a process that died",
    edits: [
      {
        file: "records/ledger.ts",
        find: `UPDATE ledger SET state = 'unknown', reason = $3, changed = $4
     WHERE kind = $1 AND state = 'calling'`,
        replace: `UPDATE ledger SET state = 'intent', reason = $3, changed = $4
     WHERE kind = $1 AND state = 'calling'`,
      },
    ],
  },
  {
    name: "grants again after an answer that nobody can read",
    edits: [
      {
        file: "records/grants.ts",
        find: `return { kind: "unknown", reason: \`\${status}: \${message}\` };`,
        replace: "return { ...again, waitMs: 1 };",
      },
    ],
    unit: "records/grants.test.ts",
  },
  {
    name: "grants again after no answer",
    edits: [
      {
        file: "records/grants.ts",
        find: `return kind === "unknown" ? { kind: "unknown", reason: \`no answer: \${message}\` } : again;`,
        replace: "return again;",
      },
    ],
    unit: "records/grants.test.ts",
  },
  {
    name: "does not look at the day's cap",
    edits: [
      {
        file: "flows/credits.ts",
        find: 'return (await spend(tx, share)) ? undefined : "dayFull";',
        replace: "await spend(tx, share);\n    return undefined;",
      },
    ],
    unit: "flows/credits.test.ts",
  },
  {
    name: "takes every copy of an event for another one",
    edits: [
      {
        file: "flows/credits.ts",
        find: '        key: event.key,\n        lane: email ?? "",',
        replace: '        key: event.key + Math.random(),\n        lane: email ?? "",',
      },
    ],
    unit: "flows/credits.test.ts",
  },
];

/** Noticed by the tests beside the file. */
export const CREDITS: readonly Mutant[] = MISTAKES.flatMap(({ name, edits, unit }) =>
  unit === undefined ? [] : [{ name, edits, killedBy: { unit } }],
);
/** All of them, noticed by what stands at the service and in the ledger after kills. */
export const CREDITS_UNDER_KILLS: readonly Mutant[] = MISTAKES.map(({ name, edits }) => ({
  ...{ name: `${name}, under kills`, edits },
  killedBy: { suite: money },
}));
