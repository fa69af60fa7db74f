import { defineConfig } from "vitest/config";

/**
 * What a test waits for comes when it can, on a busy machine too: only the whole test has its time, ten times what the
 * longest takes on a quiet one.
 */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

/**
 * The product once more, against services that read the interface in another way than the strict one (BEHAVIOUR 4.11). A new
 * file belongs here as well, unless no manner of the service can change it, because it never speaks to it or starts one of
 * its own (assets, bundle, readme); or unless it mostly waits, for a process at every step or for a clock of its own, and
 * reaches the service through what the others test (backup, cli, deploy, doctor, webhook: together they take as long as all
 * of these). `PROFILES=whole` takes all but the first three; `test/service` sets the manner itself, test by test.
 */
const PARTS = [
  ...["api", "bucket", "callbacks", "callbacks.table", "client", "conversation", "credits", "erase", "forward"],
  ...["identity", "leads", "lines", "mail", "media", "outreach", "ratings", "reactions", "restarts", "routing"],
  ...["secrets", "tenants", "try", "widget"],
];
const whole = process.env.PROFILES === "whole";
const profiles = ["lenient", "observed", "chaos"].map((profile) => ({
  test: {
    name: `product, ${profile} service`,
    env: { SANDBOX_PROFILE: profile },
    include: whole ? ["test/*.test.ts"] : PARTS.map((name) => `test/${name}.test.ts`),
    exclude: ["test/{assets,bundle,readme}.test.ts"],
    ...patience,
  },
}));

/** Projects: what runs in seconds without a build (`unit`), and what proves the product whole (`product`, `browser`). */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "shared/**/*.test.ts",
            "relay/**/*.test.ts",
            "widget/src/**/*.test.{ts,tsx}",
            "test/house/**/*.test.ts",
          ],
          // A run of mutants puts patched copies of the sources there.
          exclude: ["**/node_modules/**", "relay/.mutants/**"],
          environment: "node",
          // Seconds on a quiet machine; here the whole product may be at work beside them.
          ...patience,
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
          ...patience,
        },
      },
      ...profiles,
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          ...patience,
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
