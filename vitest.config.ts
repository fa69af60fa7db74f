import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { missingForImage } from "./test/setup/programs.ts";

/**
 * The timeouts end only tests that hang: no test fails because a machine is busy. On two busy cores, some tests take 100 s.
 * Files share their worker's modules (`isolate`): loading them again for each file costs a third of the CPU time.
 */
const common = {
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/**
 * The files that take longest. Each project begins with them: one that began last would run alone at the end. Vitest knows
 * no durations in a fresh clone, and begins with the largest files.
 */
const LONG = [
  ...["relay/src/service/pacer", "widget/src/locales/locales"],
  ...["nodes", "suites", "outages", "mutants", "core", "credits", "leads"].map((name) => `test/faults/${name}`),
  ...["widget", "restarts", "control-socket", "attacks", "deploy", "outreach", "service/delivery"].map(
    (name) => `test/${name}`,
  ),
  ...["networks", "design", "dom-clobbering", "engines/firefox", "engines/webkit"].map(
    (name) => `test/browser/${name}`,
  ),
  ...["states", "small-windows", "message-order", "page-libraries", "privacy", "unsent-messages"].map(
    (name) => `test/browser/checks/${name}`,
  ),
  "test/browser/checks/failing-connections",
].map((name) => `/${name}.test.ts`);

/** Vitest's order, project by project, with the long files first. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((name) => moduleId.endsWith(name));
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.values()].flatMap((all) => [...all.filter(isLong), ...all.filter((file) => !isLong(file))]);
  }
}

/** Tests that only `npm run test:full` runs. */
const FULL = "test/**/*.full.test.ts";

/**
 * The product tests whose result may depend on how the service reads the interface (BEHAVIOUR 4.11). `npm run test:full` runs
 * them again in three service profiles. Add a new file here, unless it never talks to the service or mostly waits for
 * processes (backup, cli, deploy, doctor, webhook). `PROFILES=whole` takes all but assets, bundle and readme.
 */
const SERVICE_DEPENDENT = [
  ...["api", "bucket", "callbacks", "callbacks.table", "client", "conversation", "credits", "erase", "forward"],
  ...["identity", "leads", "http-fallback", "mail", "media", "outreach", "ratings", "reactions", "restarts", "routing"],
  ...["secrets", "tenants", "try", "widget"],
];
/**
 * Visitors' tests that also run against two nodes on one PostgreSQL (test/harness.ts): visitors connect to each node in turn, and
 * callbacks arrive at the second. `npm run test:full` also runs `MORE_VISITORS`.
 */
const VISITORS = ["conversation", "reactions", "callbacks", "http-fallback", "ratings"];
const MORE_VISITORS = ["identity", "routing", "leads", "outreach"];
const twoNodes = (name: string, files: readonly string[]) => ({
  test: {
    name,
    env: { NODES: "2" },
    include: files.map((file) => `test/${file}.test.ts`),
    globalSetup: "test/setup/two-nodes.ts",
    ...common,
  },
});
/** Files with tables of which `npm test` runs a sample (test/all-cases.ts). */
const SAMPLED = [
  ...[
    "browser/admin",
    "browser/dom-clobbering",
    "browser/host-page",
    "browser/switches",
    "browser/checks/page-libraries",
    "faults/leads",
  ],
].map((name) => `test/${name}.test.ts`);
const whole = process.env.PROFILES === "whole";
const profiles = ["lenient", "observed", "chaos"].map((profile) => ({
  test: {
    name: `full: ${profile} service`,
    env: { SANDBOX_PROFILE: profile },
    include: whole ? ["test/*.test.ts"] : SERVICE_DEPENDENT.map((name) => `test/${name}.test.ts`),
    exclude: ["test/{assets,bundle,readme}.test.ts", FULL],
    ...common,
  },
}));

/**
 * Projects. `npm run check` runs `unit` (no build needed); `npm test` runs `unit`, `postgres`, `product`, `two nodes` and
 * `browser`; `npm run test:full` runs those and every project whose name begins with `full`.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "shared/**/*.test.ts",
            "relay/**/*.test.ts",
            "widget/{src,build}/**/*.test.{ts,tsx}",
            "test/conventions/**/*.test.ts",
          ],
          // A run of mutants puts patched copies of the sources there.
          exclude: ["**/node_modules/**", "{relay,shared,widget}/.mutants/**"],
          environment: "node",
          ...common,
        },
      },
      // The same tests of these folders as in `unit`, on PostgreSQL: they open their database by `openTestDatabase`.
      {
        test: {
          name: "postgres",
          include: [
            "relay/src/db/contract.test.ts",
            "relay/src/{records,flows,admin,wiring}/**/*.test.ts",
            "test/database/**/*.test.ts",
          ],
          globalSetup: "test/setup/database.ts",
          environment: "node",
          ...common,
        },
      },
      {
        test: {
          name: "product",
          include: [
            "test/*.test.ts",
            "test/faults/**/*.test.ts",
            "test/nodes/**/*.test.ts",
            "test/contract/**/*.test.ts",
            "test/service/**/*.test.ts",
          ],
          exclude: [FULL],
          ...common,
        },
      },
      twoNodes("two nodes", VISITORS),
      twoNodes("full: two nodes", MORE_VISITORS),
      ...profiles,
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          exclude: [FULL],
          globalSetup: "test/browser/setup.ts",
          ...common,
        },
      },
      {
        test: {
          name: "full: all cases",
          env: { CASES: "all" },
          include: SAMPLED,
          globalSetup: "test/browser/setup.ts",
          ...common,
        },
      },
      {
        test: {
          name: "full",
          include: [FULL],
          // Such a machine cannot build the image: `npm run test:full` says so (test/run.ts).
          exclude: missingForImage().length > 0 ? ["test/image.full.test.ts"] : [],
          globalSetup: "test/browser/setup.ts",
          ...common,
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["shared/*.ts", "relay/src/**/*.ts", "relay/sandbox/**/*.ts", "widget/src/**/*.{ts,tsx}"],
      exclude: ["**/*.test.*", "**/*.fixture.*"],
      reportOnFailure: true,
      reporter: ["text-summary", "json-summary"],
    },
  },
});
