/**
 * Runs the steps of `npm run check`, `npm test` or `npm run test:full` in order, prints the result of each, and ends with one
 * line of totals. A failed step does not stop the next ones.
 */
import { fork, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { type CliOptions, startVitest } from "vitest/node";
import { COMPILED } from "./compiled.ts";
import { ensurePrograms } from "./setup/programs.ts";

type Count = { passed: number; failed: number };
type Step = { name: string; run: () => Promise<Count> };

const root = join(import.meta.dirname, "..");
const env = {
  ...process.env,
  ...COMPILED,
  PATH: join(root, "node_modules", ".bin") + delimiter + (process.env.PATH ?? ""),
};

const programs: Step = step("programs", async () => ensurePrograms());
const build: Step = step("build", async () => {
  await command("vite", "build", "widget", "--logLevel", "warn");
  // All of the relay is compiled and kept before the first test starts one: none of theirs writes while it stops.
  await command("node", "--import", "./relay/src/cli/serve.ts", "relay/src/cli.ts", "help");
});
const lint: Step = step("format and lint", () => command("biome", "check", "--error-on-warnings", "--colors=off", "."));
const types: Step = step("types", async () => {
  const remembered = (part: string): string[] => ["--incremental", "--tsBuildInfoFile", `.cache/${part}.tsbuildinfo`];
  const parts = ["shared", "relay", "widget", "test"];
  await Promise.all(parts.map((part) => command("tsc", "-p", part, ...remembered(part))));
});

const quick: Step = { name: "tests", run: () => tests({ project: ["unit"] }) };
/** Test files at a time. Tests wait more than they compute, but more workers than this did not end sooner on two cores. */
const WORKERS = { browsers: 1, others: 2 };
/** The projects of `npm run test:full`, by how their names begin. */
const FULL = "full*";
const others = { maxWorkers: WORKERS.others };
const browser: Step = {
  name: "tests in browsers",
  run: () => tests({ project: ["browser"], maxWorkers: WORKERS.browsers }),
};
const most: Step = {
  name: "tests",
  run: async () => {
    // Browser tests wait even more than the others: they run beside them, in a process of their own.
    const here = tests({ ...others, project: ["!browser", `!${FULL}`], coverage: { enabled: true } });
    return sum(...(await Promise.all([elsewhere("browser"), here])));
  },
};
const full: Step = { name: "full tests", run: () => tests({ ...others, project: [FULL] }) };

const steps: Record<string, Step[]> = {
  check: [lint, types, quick],
  all: [programs, build, lint, types, most],
  full: [programs, build, lint, types, most, full],
  browser: [browser],
};

/** A step that counts as one: what it throws is its failure, in words. */
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

/** Runs a program silently; rejects with everything it said when it fails. */
function command(name: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    const said: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(Buffer.concat(said).toString().trimEnd()))));
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

/** Steps of this file in a process of their own, beside this one: what they said is shown when they have ended. */
function elsewhere(name: keyof typeof steps): Promise<Count> {
  return new Promise((resolve) => {
    const child = fork(import.meta.filename, [name], { cwd: root, silent: true });
    const said: Buffer[] = [];
    let counted: Count = { passed: 0, failed: 1 };
    child.stdout?.on("data", (chunk: Buffer) => said.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => said.push(chunk));
    child.on("message", (count: Count) => {
      counted = count;
    });
    child.on("close", () => {
      process.stdout.write(Buffer.concat(said));
      resolve(counted);
    });
  });
}

function sum(...counts: Count[]): Count {
  const total = (of: (count: Count) => number): number => counts.reduce((all, count) => all + of(count), 0);
  return { passed: total(({ passed }) => passed), failed: total(({ failed }) => failed) };
}

let total: Count = { passed: 0, failed: 0 };
for (const { name, run } of steps[process.argv[2] ?? "all"] ?? []) {
  const start = performance.now();
  const count = await run();
  total = sum(total, count);
  console.log(`${count.failed === 0 ? "✓" : "✗"} ${name}  ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
const code = total.failed === 0 && total.passed > 0 ? 0 : 1;
if (process.send === undefined) {
  console.log(`\ntests: ${total.passed} passed, ${total.failed} failed`);
  process.exit(code);
}
process.send(total, () => process.exit(code));
