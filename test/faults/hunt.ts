import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./core/scenario.ts";
import { LONG_MUTANTS } from "./mutants/long.ts";
import type { Mutant } from "./mutants/mutant.ts";
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
  for (const { file, find, replace } of edits) {
    const path = join(root, file);
    const text = readFileSync(path, "utf8");
    const times = text.split(find).length - 1;
    if (times !== 1) throw new Error(`${name}: its place stands ${times} times in ${file}: ${find.trim()}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
  return root;
}

/** What says that the mutant, or the suite, could not even run: that is no kill. */
const BROKEN = /^ended:|did not start|The relay ended with|ERR_MODULE_NOT_FOUND|SyntaxError|is not a function/;

/** What noticed the mutant, in a line; nothing when nothing did. @throws Error when the mutant could not even run */
export async function hunt(mutant: Mutant): Promise<string | undefined> {
  const root = plant(mutant);
  try {
    const found = await noticed(root, mutant.killedBy);
    if (found !== undefined && BROKEN.test(found)) throw new Error(`${mutant.name}: it does not run: ${found}`);
    return found;
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
}

const noticed = (root: string, killer: Mutant["killedBy"]): Promise<string | undefined> => {
  if ("suite" in killer) return suffered(killer.suite({ root }));
  return "unit" in killer ? tested(root, killer.unit) : lived(root, killer);
};

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

type Results = { testResults: { assertionResults: { status: string; fullName: string }[] }[] };

/** The first test of the file that fails. @throws Error when none of it passes: then it is not the mistake that was found */
async function tested(root: string, file: string): Promise<string | undefined> {
  const output = join(root, "results.json");
  const args = ["run", "--root", root, "--reporter", "json", "--outputFile", output, file];
  await new Promise((resolve) => execFile(join(ROOT, "node_modules", ".bin", "vitest"), args, { cwd: root }, resolve));
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as Results;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (!tests.some(({ status }) => status === "passed")) throw new Error(`No test of ${file} passes`);
  return tests.find(({ status }) => status === "failed")?.fullName;
}

export type Hunted = { name: string; by: string | undefined; seconds: number };

/** Hunts them, two at a time. */
export async function huntAll(
  mutants: readonly Mutant[],
  told: (hunted: Hunted) => void = () => {},
): Promise<Hunted[]> {
  const waiting = [...mutants];
  const hunted: Hunted[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const begun = performance.now();
      const by = await hunt(mutant);
      hunted.push({ name: mutant.name, by, seconds: Math.round((performance.now() - begun) / 100) / 10 });
      told(hunted.at(-1) as Hunted);
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
