import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./core/scenario.ts";
import { LONG_MUTANTS } from "./mutants/long.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { applyEdits, type Edit, readSources, type Sources } from "./mutants/place.ts";
import { MUTANTS } from "./mutants.ts";
import type { Report } from "./suites/suite.ts";
import { live, RELAY } from "./workers.ts";

const ROOT = join(RELAY, "..", "..");
/** Within the repository, where the copies find the packages; one for each process, so that two runs do not meet. */
const shelfOf = (part: string): string => join(ROOT, part, ".mutants", String(process.pid));

/** A copy of a part's sources with the mistake in it. @throws Error when the place of the mistake is not there any more */
function plant({ name, part = "relay", edits, killedBy }: Mutant): string {
  const shelf = shelfOf(part);
  const folder = join(shelf, name.replace(/[^a-z]+/gi, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The copy finds the built widget, and what tests share, where the original does: two folders above its own.
  for (const beside of ["widget", "test"])
    if (!existsSync(join(shelf, beside))) symlinkSync(join(ROOT, beside), join(shelf, beside));
  const root = join(folder, "src");
  cpSync(join(ROOT, part, "src"), root, {
    recursive: true,
    filter: (path) => "unit" in killedBy || !path.endsWith(".test.ts"),
  });
  for (const [path, text] of editsOf(part, name, edits)) writeFileSync(join(root, path), text);
  return root;
}

const sources = { relay: readSources("relay"), widget: readSources("widget") };

/** The files that a mutant changes, by path. @throws Error that names the mutant when the place of an edit is not found */
function editsOf(part: "relay" | "widget", name: string, edits: readonly Edit[]): Sources {
  try {
    return applyEdits(sources[part], edits);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What says that the mutant, or the suite, could not even run: that is no kill. */
const BROKEN = /^ended:|did not start|The relay ended with|ERR_MODULE_NOT_FOUND|SyntaxError|is not a function/;

type Planted = { mutant: Mutant; root: string };
export type Hunted = { name: string; by: string | undefined; seconds: number };

/** What noticed each of the mutants, in a line; nothing when nothing did. @throws Error when one could not even run */
async function hunt(mutants: readonly Mutant[]): Promise<Hunted[]> {
  const planted = mutants.map((mutant) => ({ mutant, root: plant(mutant) }));
  try {
    const hunted = await noticed(planted);
    for (const { name, by } of hunted)
      if (by !== undefined && BROKEN.test(by)) throw new Error(`${name}: it does not run: ${by}`);
    return hunted;
  } finally {
    for (const { root } of planted) rmSync(join(root, ".."), { recursive: true });
  }
}

async function noticed(planted: readonly Planted[]): Promise<Hunted[]> {
  const hunted: Hunted[] = [];
  for (const { mutant, root } of planted) {
    const { name, killedBy } = mutant;
    if ("unit" in killedBy) continue;
    const begun = performance.now();
    const by = await ("suite" in killedBy ? suffered(killedBy.suite({ root })) : lived(root, killedBy));
    hunted.push({ name, by, seconds: seconds(performance.now() - begun) });
  }
  return [...hunted, ...(await tested(planted))];
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

async function lived(root: string, { given, seeds = 40 }: { given: Partial<Scenario>; seeds?: number }) {
  const { broken } = await live({ root, from: 1, to: seeds, given, stopAtFirst: true });
  const [first] = broken;
  return first && `${first.violations[0]} (seed ${first.seed})`;
}

const suffered = (report: Promise<Report>): Promise<string | undefined> =>
  report.then(
    ({ violations }) => violations[0],
    (error: unknown) => String(error),
  );

/** A test that is slow on a busy machine has not noticed anything: only one that stands still for so long has. */
const PATIENCE_MS = 30_000;

type Tested = {
  name: string;
  startTime: number;
  endTime: number;
  assertionResults: { status: string; fullName: string }[];
};

/**
 * The first test of its file that fails, for each mutant that such a file shall notice: all of them in one run, each a project
 * of its own. @throws Error when none of a file's tests passes: then it is not the mistake that was found
 */
async function tested(planted: readonly Planted[]): Promise<Hunted[]> {
  const projects = planted.flatMap(({ mutant: { name, killedBy }, root }) =>
    "unit" in killedBy ? [{ test: { name, root, include: [`**/${killedBy.unit}`], testTimeout: PATIENCE_MS } }] : [],
  );
  const [first] = projects;
  if (first === undefined) return [];
  const cwd = join(first.test.root, "..");
  const [config, output] = [join(cwd, "vitest.config.mjs"), join(cwd, "results.json")] as const;
  writeFileSync(config, `export default ${JSON.stringify({ test: { projects } })};`);
  const args = ["run", "--config", config, "--maxWorkers", "1", "--reporter", "json", "--outputFile", output];
  await new Promise((resolve) => execFile(join(ROOT, "node_modules", ".bin", "vitest"), args, { cwd }, resolve));
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as { testResults: Tested[] };
  return projects.map(({ test: { name, root } }) => {
    const mine = testResults.filter((file) => file.name.startsWith(`${root}/`));
    const tests = mine.flatMap(({ assertionResults }) => assertionResults);
    if (!tests.some(({ status }) => status === "passed")) throw new Error(`${name}: no test of its file passes`);
    const spent = mine.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0);
    return { name, by: tests.find(({ status }) => status === "failed")?.fullName, seconds: seconds(spent) };
  });
}

/** Those that are hunted in one go: what the tests beside the files of one part shall notice, and every other by itself. */
function parties(mutants: readonly Mutant[]): Mutant[][] {
  const unit = ({ killedBy }: Mutant): boolean => "unit" in killedBy;
  const parts = ["relay", "widget"].map((part) =>
    mutants.filter((mutant) => unit(mutant) && (mutant.part ?? "relay") === part),
  );
  const others = mutants.filter((mutant) => !unit(mutant)).map((mutant) => [mutant]);
  return [...parts.filter((party) => party.length > 0), ...others];
}

/** Hunts them, two parties at a time. */
export async function huntAll(
  mutants: readonly Mutant[],
  told: (hunted: Hunted) => void = () => {},
): Promise<Hunted[]> {
  const waiting = parties(mutants);
  const hunted: Hunted[] = [];
  const work = async (): Promise<void> => {
    for (let party = waiting.shift(); party !== undefined; party = waiting.shift()) {
      const found = await hunt(party);
      hunted.push(...found);
      found.forEach(told);
    }
  };
  try {
    await Promise.all([work(), work()]);
  } finally {
    for (const part of ["relay", "widget"]) rmSync(shelfOf(part), { recursive: true, force: true });
  }
  return hunted;
}

/** `node test/faults/hunt.ts [part of a name]`: hunts by hand. */
if (import.meta.main) {
  const chosen = [...MUTANTS, ...LONG_MUTANTS].filter(({ name }) => name.includes(process.argv[2] ?? ""));
  const hunted = await huntAll(chosen, ({ name, by, seconds }) =>
    console.log(`${by === undefined ? "ALIVE " : "killed"} ${seconds} s  ${name}: ${by ?? ""}`),
  );
  console.log(`mutants killed: ${hunted.filter(({ by }) => by !== undefined).length} of ${chosen.length}`);
}
