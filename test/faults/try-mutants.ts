import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./core/scenario.ts";
import { changedFiles, mutantsFolder, ROOT, writeChangedSources } from "./mutants/changed-sources.ts";
import { LONG_MUTANTS } from "./mutants/long.ts";
import type { Killer, Mutant } from "./mutants/mutant.ts";
import { PARTS } from "./mutants/place.ts";
import { entryOf, type Variant, variantOf } from "./mutants/variants.ts";
import type { Tested } from "./mutants/vitest.config.ts";
import { MUTANTS } from "./mutants.ts";
import type { Report } from "./suites/suite.ts";
import { runSeeds } from "./workers.ts";

/** Failures that mean that the mutant or the suite did not run at all. They do not count as a kill. */
const BROKEN =
  /^ended:|No \w+ found|did not start|The relay ended with|ERR_MODULE_NOT_FOUND|SyntaxError|is not a function/;

export type MutantResult = { name: string; by: string | undefined; seconds: number };

/**
 * Runs a simulation or a suite against a mutant.
 * @returns the first failure; `by` is undefined when nothing failed.
 * @throws Error when the mutant did not run
 */
async function tryMutant(mutant: Mutant, killedBy: Exclude<Killer, { unit: string }>): Promise<MutantResult> {
  const { name } = mutant;
  const root = writeChangedSources(mutant);
  const begun = performance.now();
  try {
    const by = await ("suite" in killedBy ? firstViolation(killedBy.suite({ root })) : firstBrokenSeed(root, killedBy));
    if (by !== undefined && BROKEN.test(by)) throw new Error(`${name}: it does not run: ${by}`);
    return { name, by, seconds: seconds(performance.now() - begun) };
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
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

type FileResult = {
  name: string;
  startTime: number;
  endTime: number;
  /** Why the file could not run. */
  message?: string;
  assertionResults: { status: string; fullName: string }[];
};

/** The mutants whose unit tests must notice them, each with its test file. */
const unitTested = (mutants: readonly Mutant[]) =>
  mutants.flatMap((mutant) => ("unit" in mutant.killedBy ? [{ ...mutant, unit: mutant.killedBy.unit }] : []));

/**
 * Runs the unit test file of each mutant, all in one run of vitest (`mutants/vitest.config.ts`).
 * @returns for each the first test that failed
 * @throws Error when every test of a file fails, because something other than the mutant must be broken
 */
async function unitResults(mutants: readonly Mutant[]): Promise<MutantResult[]> {
  const tested = unitTested(mutants).map(({ name, part = "relay", unit, edits }, number) => {
    const variant = variantOf(part, String(number), unit, changedFiles(part, name, edits));
    return { name, variant, entry: join(mutantsFolder(part), `${number}.test.ts`) };
  });
  if (tested.length === 0) return [];
  for (const part of PARTS) mkdirSync(mutantsFolder(part), { recursive: true });
  for (const { variant, entry } of tested) writeFileSync(entry, entryOf(variant));
  const files = await runVitest(tested);
  return tested.map(({ name, entry }) => {
    const file = files.find((each) => each.name === entry);
    const tests = file?.assertionResults ?? [];
    if (file === undefined || !tests.some(({ status }) => status === "passed"))
      throw new Error(`${name}: no test of its file passes: ${file?.message}`);
    const by = tests.find(({ status }) => status === "failed")?.fullName;
    return { name, by, seconds: seconds(file.endTime - file.startTime) };
  });
}

async function runVitest(tested: readonly { variant: Variant; entry: string }[]): Promise<FileResult[]> {
  const folder = mutantsFolder("relay");
  const [given, output] = [join(folder, "variants.json"), join(folder, "results.json")];
  const variants = tested.map(({ variant }) => variant);
  const include = tested.map(({ entry }) => entry);
  writeFileSync(given, JSON.stringify({ variants, include } satisfies Tested));
  const config = join(import.meta.dirname, "mutants", "vitest.config.ts");
  const args = ["run", "--config", config, "--reporter", "json", "--outputFile", output];
  // The output is not used, but without this option more than 1 MiB of it would end the run.
  const options = { cwd: ROOT, env: { ...process.env, MUTANTS: given }, maxBuffer: Number.POSITIVE_INFINITY };
  await new Promise((resolve) => execFile(join(ROOT, "node_modules", ".bin", "vitest"), args, options, resolve));
  return (JSON.parse(readFileSync(output, "utf8")) as { testResults: FileResult[] }).testResults;
}

/** Tests all mutants: those of unit tests in one run, and beside them the others, two at a time. */
export async function tryMutants(
  mutants: readonly Mutant[],
  onResult: (result: MutantResult) => void = () => {},
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const add = (result: MutantResult): void => {
    results.push(result);
    onResult(result);
  };
  const waiting = mutants.flatMap((mutant) => ("unit" in mutant.killedBy ? [] : [{ mutant, killer: mutant.killedBy }]));
  const others = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      add(await tryMutant(next.mutant, next.killer));
  };
  try {
    await Promise.all([unitResults(mutants).then((found) => found.forEach(add)), others(), others()]);
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
