import { type Count, countCredits, FAILURES, type Plan } from "./credits.ts";
import { type Report, seconds } from "./suites/suite.ts";

/** What is wrong with the counts, one line each; empty when every key was granted at most once and none was lost. */
function wrongIn({ grants, entries, answered }: Count, { keys, copies }: Plan): string[] {
  const doubled = [...grants].filter(([, times]) => times > 1).map(([key]) => `doubled: ${key}`);
  const claimed = entries
    .filter(({ key, state }) => state === "done" && !grants.has(key))
    .map(({ key }) => `lost: ${key}`);
  const missing = keys - entries.length;
  const unanswered = keys * copies - answered;
  return [
    ...doubled,
    ...claimed,
    ...(missing === 0 ? [] : [`lost: ${missing} keys`]),
    ...(unanswered === 0 ? [] : [`lost: ${unanswered} submissions`]),
  ];
}

/**
 * Processes one key and its eight copies, and kills the process at its first await, then at its second, and so on until there
 * are no more; each time with one of the failures, or with every one of them.
 */
export async function everyAwait(
  dialect: Plan["dialect"],
  all: boolean,
): Promise<{ runs: number; awaits: number; wrong: string[] }> {
  const wrong: string[] = [];
  const plan = { keys: 1, copies: 8, nodes: dialect === "sqlite" ? 1 : 2, kills: 0, dialect };
  let runs = 0;
  for (let dieAt = 1; ; dieAt++) {
    const failures = all ? Array.from({ length: FAILURES }, (_, i) => i) : [dieAt % FAILURES];
    for (const failure of failures) {
      const given = { ...plan, dieAt, failure };
      const count = await countCredits(dieAt, given);
      if (count.killed === 0) return { runs, awaits: dieAt - 1, wrong };
      runs++;
      wrong.push(...wrongIn(count, given).map((line) => `${line} (await ${dieAt}, failure ${failure}, ${dialect})`));
      await count.end();
    }
  }
}

/** Every await with every failure, on a database of one process and on one that two share. */
export async function allAwaits(): Promise<Report> {
  const begun = performance.now();
  const dialects = [await everyAwait("sqlite", true), await everyAwait("postgres", true)];
  const sum = (of: (run: (typeof dialects)[number]) => number): number =>
    dialects.reduce((total, run) => total + of(run), 0);
  return {
    violations: dialects.flatMap(({ wrong }) => wrong),
    figures: { awaits: sum(({ awaits }) => awaits), runs: sum(({ runs }) => runs), seconds: seconds(begun) },
  };
}
