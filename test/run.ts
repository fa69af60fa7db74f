/**
 * Runs the steps of `npm run check`, `npm test` or `npm run test:full` in order, prints the result and the time of
 * each, and then the total time and one line with the totals. A failed step does not stop the next ones.
 */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { type CliOptions, startVitest } from "vitest/node";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { ensurePrograms, missingForImage } from "./setup/programs.ts";
import { useOwnTemporaryFolder } from "./setup/temporary-folder.ts";

type Count = { passed: number; failed: number };
type Step = { name: string; run: () => Promise<Count> };

const root = join(import.meta.dirname, "..");
useOwnTemporaryFolder();
const env = {
  ...process.env,
  ...COMPILE_CACHE,
  PATH: join(root, "node_modules", ".bin") + delimiter + (process.env.PATH ?? ""),
};

const programs: Step = step("programs", async () => ensurePrograms());
const build: Step = step("build", async () => {
  await command("vite", "build", "widget", "--logLevel", "warn");
  // Fills the compile cache before the first test starts a relay, so that no relay writes to it while it stops.
  const relay = ["--import", "./relay/src/relay.ts", "--import", "./relay/src/cli/serve.ts"];
  await command("node", ...relay, "relay/src/cli.ts", "help");
});
const lint: Step = step("format and lint", () => command("biome", "check", "--error-on-warnings", "--colors=off", "."));
const types: Step = step("types", async () => {
  const incremental = (part: string): string[] => ["--incremental", "--tsBuildInfoFile", `.cache/${part}.tsbuildinfo`];
  const parts = ["shared", "relay", "widget", "test"];
  await Promise.all(parts.map((part) => command("tsc", "-p", part, ...incremental(part))));
});

/** Test files that run in parallel, also on two cores, because most tests wait more than they compute. */
const WORKERS = 6;
/** The projects of `npm run test:full`, by how their names begin. */
const FULL = "full*";
const quick: Step = { name: "tests", run: () => tests({ project: ["unit"] }) };
const most: Step = { name: "tests", run: () => tests({ maxWorkers: WORKERS, project: [`!${FULL}`] }) };
const full: Step = {
  name: "full tests",
  run() {
    const missing = missingForImage();
    if (missing.length > 0) console.log(`The container image was not built here. Missing: ${missing.join(", ")}.`);
    return tests({ maxWorkers: WORKERS, coverage: { enabled: true } });
  },
};

const steps: Record<string, Step[]> = {
  check: [lint, types, quick],
  all: [programs, build, lint, types, most],
  full: [programs, build, lint, types, full],
};

/** A step that counts as one test. It fails when `act` rejects. */
function step(name: string, act: () => Promise<void>): Step {
  return {
    name,
    run: () =>
      act().then(
        () => ({ passed: 1, failed: 0 }),
        (error: Error) => {
          console.error(error.message);
          return { passed: 0, failed: 1 };
        },
      ),
  };
}

/** Runs a program without output; rejects with all of its output when it fails. */
function command(name: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(Buffer.concat(output).toString().trimEnd())),
    );
  });
}

/** Vitest, counted test by test. A file that does not load, a hook that fails and an error outside of any test count too. */
async function tests(options: CliOptions): Promise<Count> {
  const vitest = await startVitest([], { run: true, root, ...options });
  const modules = vitest.state.getTestModules();
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const broken = suites.filter((suite) => suite.errors().length > 0).length;
  const stray = vitest.state.getUnhandledErrors().length;
  await vitest.close();
  const count = (wanted: string): number => states.filter((state) => state === wanted).length;
  return { passed: count("passed"), failed: count("failed") + broken + stray };
}

const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`;
const startedAt = performance.now();
let total: Count = { passed: 0, failed: 0 };
for (const { name, run } of steps[process.argv[2] ?? "all"] ?? []) {
  const start = performance.now();
  const count = await run();
  total = { passed: total.passed + count.passed, failed: total.failed + count.failed };
  console.log(`${count.failed === 0 ? "✓" : "✗"} ${name}  ${seconds(start)}`);
}
console.log(`\ntime: ${seconds(startedAt)}`);
console.log(`tests: ${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
