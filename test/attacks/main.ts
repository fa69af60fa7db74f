/**
 * `npm run attacks [number …] [-- --payloads DIR] [--texts N] [--check]`: tries every attack of the list of threats, and writes
 * `results.json` and the table of SECURITY.md. Exits with 1 when an attack succeeds. `--texts N` uses N payloads, spread over
 * the whole list. `--check` runs the attacks without the test files, writes nothing and ignores times.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { launch } from "../browser/browser.ts";
import { ensurePrograms } from "../setup/programs.ts";
import { useOwnTemporaryFolder } from "../setup/temporary-folder.ts";
import type { Attack, Payloads, Result } from "./attack.ts";
import { type Results, type Row, record, renewDocument } from "./report.ts";
import { ATTACKS } from "./table.ts";
import { startTarget } from "./target.ts";
import { startTestbed, type Testbed } from "./testbed.ts";
import { payloadsOf } from "./text.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { payloads: { type: "string" }, texts: { type: "string" }, check: { type: "boolean", default: false } },
});
/** Whether a test file needs no browser. Those that need one run only in `npm test`: the attacks drive the browser themselves. */
const needsNoBrowser = (file: string): boolean => !file.startsWith("test/browser/");

/** Runs test files and counts their tests. */
async function runTests(files: readonly string[]): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-attacks-"));
  const report = join(folder, "report.json");
  const args = [
    "run",
    "--reporter=json",
    `--outputFile=${report}`,
    "--project",
    "unit",
    "--project",
    "product",
    "--project",
    "full",
    ...files,
  ];
  await new Promise((resolve) => execFile(join(ROOT, "node_modules/.bin/vitest"), args, { cwd: ROOT }, resolve));
  type Report = { numTotalTests: number; numPassedTests: number };
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8")) as Report;
  rmSync(folder, { recursive: true });
  const control = "each test has its own control";
  return { tried: numTotalTests, succeeded: numTotalTests - numPassedTests, control };
}

/**
 * Time limit for the acknowledgement of an honest visitor's message, in milliseconds. A longer time counts as a success of the
 * attack.
 */
const HONEST_MAX = 1_000;

/** Runs one attack on a separate relay with 512 MB of memory. */
async function onTarget(run: NonNullable<Attack["run"]>, direct: boolean): Promise<Result> {
  // Without a proxy, all honest visitors share one address, and together they exceed its limits.
  const env = direct ? { VISITORS_PER_ADDRESS: "0", MESSAGES_PER_ADDRESS: "0" } : { TRUST_PROXY: "1" };
  const target = await startTarget(env);
  const result = await run(target).finally(() => target.stop());
  // While other tests run, times say nothing about the relay.
  const late = !values.check && (result.figures?.honestMs ?? 0) > HONEST_MAX;
  return { ...result, succeeded: result.succeeded + (late ? 1 : 0) };
}

/** Runs all parts of a row of the table. */
async function partsOf(
  attack: Attack,
  testbed: Testbed,
  browser: () => Promise<Browser>,
  payloads: Payloads,
): Promise<Row> {
  const files = attack.tests.filter(needsNoBrowser);
  return {
    ...(attack.inside && { relay: await attack.inside(testbed) }),
    ...(attack.run && { process: await onTarget(attack.run, attack.direct === true) }),
    ...(attack.browser && { Chromium: await attack.browser(testbed, await browser(), payloads) }),
    ...(files.length > 0 && !values.check && { tests: await runTests(files) }),
  };
}

const wanted = positionals.map((name) => Number(name.replace(/^A/i, "")));
const known = payloadsOf(values.payloads);
const total = known.all.length;
const step = total / Math.min(total, Number(values.texts ?? total));
const payloads = { ...known, all: known.all.filter((_, n) => Math.floor(n / step) > Math.floor((n - 1) / step)) };
useOwnTemporaryFolder();
ensurePrograms();
const testbed = await startTestbed(1);
let started: Promise<Browser> | undefined;
const browser = (): Promise<Browser> => {
  started ??= launch();
  return started;
};
const results: Results = {};
for (const attack of ATTACKS.filter(({ number }) => wanted.length === 0 || wanted.includes(number))) {
  const parts = await partsOf(attack, testbed, browser, payloads);
  results[`A${attack.number}`] = { day: new Date().toISOString().slice(0, 10), parts };
  for (const [part, { tried, succeeded, control, figures }] of Object.entries(parts))
    console.log(
      `A${attack.number} ${part}: ${tried} tried, ${succeeded} succeeded. ${control}${figures ? ` ${JSON.stringify(figures)}` : ""}`,
    );
}
await (await started)?.close();
await testbed.stop();
// The document only covers the default payloads.
if (values.payloads === undefined && !values.check) {
  record(results);
  renewDocument();
}
const succeeded = Object.values(results)
  .flatMap(({ parts }) => Object.values(parts))
  .reduce((sum, part) => sum + part.succeeded, 0);
console.log(`\nSuccessful attempts: ${succeeded}.`);
process.exit(succeeded === 0 ? 0 : 1);
