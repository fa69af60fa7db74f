/**
 * `npm run attacks [number …]`: attacks a relay that runs as a process with the settings of an owner who sets none, and prints
 * the table of attacks: defence, tries, what got through, and the control. Ends with 1 when something got through.
 */
import type { Attack } from "./attack.ts";
import { ATTACKS } from "./table.ts";
import { startTarget } from "./target.ts";

async function row({ number, defence, tests, run }: Attack): Promise<{ cells: string[]; through: number }> {
  const name = `A${number}`;
  if (run === undefined) {
    const said = tests.length === 0 ? "not filled yet" : `in npm test: ${tests.join(", ")}`;
    return { cells: [name, defence.join(", "), "", "", said], through: 0 };
  }
  const target = await startTarget({ TRUST_PROXY: "1" });
  try {
    const { tried, through, control } = await run(target);
    return { cells: [name, defence.join(", "), String(tried), String(through), control], through };
  } finally {
    await target.stop();
  }
}

const wanted = process.argv.slice(2).map((name) => Number(name.replace(/^A/i, "")));
let through = 0;
console.log("| Number | Defence | Tried | Got through | Control |\n|---|---|---|---|---|");
for (const attack of ATTACKS) {
  if (wanted.length > 0 && !wanted.includes(attack.number)) continue;
  const done = await row(attack);
  through += done.through;
  console.log(`| ${done.cells.join(" | ")} |`);
}
console.log(
  `\nGot through: ${through}. Rows filled: ${ATTACKS.filter(({ defence }) => defence.length > 0).length} of ${ATTACKS.length}.`,
);
process.exitCode = through === 0 ? 0 : 1;
