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
 * Submits one recharge key eight times, and kills the process at its first await. Then repeats this with the second await, and so
 * on until the process has no further await.
 * @param all meets every failure of the service at each await; otherwise one failure
 */
export async function killAtEachAwait(
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

/** S11: every await with every failure, on a database of one process and on a database that two processes share. */
export async function killAtEachAwaitAndFailure(): Promise<Report> {
  const begun = performance.now();
  const dialects = [await killAtEachAwait("sqlite", true), await killAtEachAwait("postgres", true)];
  const sum = (of: (run: (typeof dialects)[number]) => number): number =>
    dialects.reduce((total, run) => total + of(run), 0);
  return {
    violations: dialects.flatMap(({ wrong }) => wrong),
    figures: { awaits: sum(({ awaits }) => awaits), runs: sum(({ runs }) => runs), seconds: seconds(begun) },
  };
}
