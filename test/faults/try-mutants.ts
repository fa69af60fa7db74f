import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./core/scenario.ts";
import { LONG_MUTANTS } from "./mutants/long.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { PARTS } from "./mutants/place.ts";
import { mutantsFolder, plant, ROOT } from "./mutants/plant.ts";
import { MUTANTS } from "./mutants.ts";
import type { Report } from "./suites/suite.ts";
import { runSeeds } from "./workers.ts";

/** Failures that mean that the mutant or the suite did not run at all. They do not count as a kill. */
const BROKEN = /^ended:|did not start|The relay ended with|ERR_MODULE_NOT_FOUND|SyntaxError|is not a function/;

type Planted = { mutant: Mutant; root: string };
export type MutantResult = { name: string; by: string | undefined; seconds: number };

/**
 * Runs the tests against mutants.
 * @returns for each the first failure; `by` is undefined when no test failed.
 * @throws Error when one did not run
 */
async function tryGroup(mutants: readonly Mutant[]): Promise<MutantResult[]> {
  const planted = mutants.map((mutant) => ({
    mutant,
    root: plant({ ...mutant, withTests: "unit" in mutant.killedBy }),
  }));
  try {
    const results = await resultsOf(planted);
    for (const { name, by } of results)
      if (by !== undefined && BROKEN.test(by)) throw new Error(`${name}: it does not run: ${by}`);
    return results;
  } finally {
    for (const { root } of planted) rmSync(join(root, ".."), { recursive: true });
  }
}

async function resultsOf(planted: readonly Planted[]): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  for (const { mutant, root } of planted) {
    const { name, killedBy } = mutant;
    if ("unit" in killedBy) continue;
    const begun = performance.now();
    const by = await ("suite" in killedBy ? firstViolation(killedBy.suite({ root })) : firstBrokenSeed(root, killedBy));
    results.push({ name, by, seconds: seconds(performance.now() - begun) });
  }
  return [...results, ...(await unitResults(planted))];
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

async function firstBrokenSeed(root: string, { given, seeds = 40 }: { given: Partial<Scenario>; seeds?: number }) {
  const { broken } = await runSeeds({ root, from: 1, to: seeds, given, stopAtFirst: true });
  const [first] = broken;
  return first && `${first.violations[0]} (seed ${first.seed})`;
}

const firstViolation = (report: Promise<Report>): Promise<string | undefined> =>
  report.then(
    ({ violations }) => violations[0],
    (error: unknown) => String(error),
  );

/**
 * A test or a poll counts as failed when it does not end within this time. Long enough that a busy machine does not fail it.
 */
const TIMEOUT_MS = 30_000;
const LIMITS = { testTimeout: TIMEOUT_MS, expect: { poll: { timeout: TIMEOUT_MS / 2 } } };

/** Workers of vitest. More than a small machine has cores, because tests of mutants mostly wait for the ends of polls. */
const WORKERS = "3";

type Tested = {
  name: string;
  startTime: number;
  endTime: number;
  assertionResults: { status: string; fullName: string }[];
};

/**
 * Runs the unit test file of each mutant, all in one run of vitest, each as a project.
 * @returns for each the first test that failed
 * @throws Error when every test of a file fails: then something other than the mutant is broken
 */
async function unitResults(planted: readonly Planted[]): Promise<MutantResult[]> {
  const projects = planted.flatMap(({ mutant: { name, killedBy }, root }) =>
    "unit" in killedBy ? [{ test: { name, root, include: [`**/${killedBy.unit}`], ...LIMITS } }] : [],
  );
  const [first] = projects;
  if (first === undefined) return [];
  const cwd = join(first.test.root, "..");
  const [config, output] = [join(cwd, "vitest.config.mjs"), join(cwd, "results.json")] as const;
  writeFileSync(config, `export default ${JSON.stringify({ test: { projects } })};`);
  const args = ["run", "--config", config, "--maxWorkers", WORKERS, "--reporter", "json", "--outputFile", output];
  // The output is not used, but without this option more than 1 MiB of it would end the run.
  const options = { cwd, maxBuffer: Number.POSITIVE_INFINITY };
  await new Promise((resolve) => execFile(join(ROOT, "node_modules", ".bin", "vitest"), args, options, resolve));
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as { testResults: Tested[] };
  return projects.map(({ test: { name, root } }) => {
    const files = testResults.filter((file) => file.name.startsWith(`${root}/`));
    const tests = files.flatMap(({ assertionResults }) => assertionResults);
    if (!tests.some(({ status }) => status === "passed")) throw new Error(`${name}: no test of its file passes`);
    const spent = files.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0);
    return { name, by: tests.find(({ status }) => status === "failed")?.fullName, seconds: seconds(spent) };
  });
}

/** Groups of mutants that are tested in one run: those of one part's unit tests together, every other one alone. */
function groupsOf(mutants: readonly Mutant[]): Mutant[][] {
  const unit = ({ killedBy }: Mutant): boolean => "unit" in killedBy;
  const parts = PARTS.map((part) => mutants.filter((mutant) => unit(mutant) && (mutant.part ?? "relay") === part));
  const others = mutants.filter((mutant) => !unit(mutant)).map((mutant) => [mutant]);
  return [...parts.filter((group) => group.length > 0), ...others];
}

/** Tests all mutants, two groups at a time. */
export async function tryMutants(
  mutants: readonly Mutant[],
  onResult: (result: MutantResult) => void = () => {},
): Promise<MutantResult[]> {
  const waiting = groupsOf(mutants);
  const results: MutantResult[] = [];
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const found = await tryGroup(group);
      results.push(...found);
      found.forEach(onResult);
    }
  };
  try {
    await Promise.all([work(), work()]);
  } finally {
    for (const part of PARTS) rmSync(mutantsFolder(part), { recursive: true, force: true });
  }
  return results;
}

/** `node test/faults/try-mutants.ts [part of a name]` tests the mutants with such a name. */
if (import.meta.main) {
  const chosen = [...MUTANTS, ...LONG_MUTANTS].filter(({ name }) => name.includes(process.argv[2] ?? ""));
  const results = await tryMutants(chosen, ({ name, by, seconds }) =>
    console.log(`${by === undefined ? "ALIVE " : "killed"} ${seconds} s  ${name}: ${by ?? ""}`),
  );
  console.log(`mutants killed: ${results.filter(({ by }) => by !== undefined).length} of ${chosen.length}`);
}
