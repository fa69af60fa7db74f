import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./core/scenario.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import type { Report } from "./suites/suite.ts";
import { live, RELAY } from "./workers.ts";

const SHELF = join(RELAY, "..", ".mutants");

/** A copy of the relay's sources with the mistake in it. @throws Error when the place of the mistake is not there any more */
function plant({ name, edits }: Mutant): string {
  const folder = join(SHELF, name.replace(/[^a-z]+/gi, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The copy finds the built widget where the relay does: two folders above its own.
  if (!existsSync(join(SHELF, "widget"))) symlinkSync(join("..", "..", "widget"), join(SHELF, "widget"));
  const root = join(folder, "src");
  cpSync(RELAY, root, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
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

/** What noticed the mutant, in a line; nothing when nothing did. @throws Error when the mutant could not even run */
export async function hunt(mutant: Mutant): Promise<string | undefined> {
  const root = plant(mutant);
  const { killedBy } = mutant;
  const found = "suite" in killedBy ? await noticed(killedBy.suite({ root })) : await lived(root, killedBy);
  if (found !== undefined && /^ended:|did not start|The relay ended with/.test(found))
    throw new Error(`${mutant.name}: it does not run: ${found}`);
  rmSync(join(root, ".."), { recursive: true });
  return found;
}

async function lived(root: string, { given, seeds = 40 }: { given: Partial<Scenario>; seeds?: number }) {
  const { broken } = await live({ root, from: 1, to: seeds, given, stopAtFirst: true });
  const [first] = broken;
  return first && `${first.violations[0]} (seed ${first.seed})`;
}

const noticed = (report: Promise<Report>): Promise<string | undefined> =>
  report.then(
    ({ violations }) => violations[0],
    (error: unknown) => String(error),
  );

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
  await Promise.all([work(), work()]);
  return hunted;
}

/** `node test/faults/hunt.ts [part of a name]`: hunts by hand. */
if (import.meta.main) {
  const chosen = MUTANTS.filter(({ name }) => name.includes(process.argv[2] ?? ""));
  const hunted = await huntAll(chosen, ({ name, by, seconds }) =>
    console.log(`${by === undefined ? "ALIVE " : "killed"} ${seconds} s  ${name}: ${by ?? ""}`),
  );
  console.log(`mutants killed: ${hunted.filter(({ by }) => by !== undefined).length} of ${chosen.length}`);
}
