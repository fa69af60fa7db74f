import { defineConfig } from "vitest/config";

const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

/**
 * The product once more, against services that read the interface in another way than the strict one (BEHAVIOUR 4.11):
 * what the manner of the service could change. `PROFILES=whole` takes all but `test/service`, whose tests set it themselves.
 */
const CHOSEN = "{conversation,leads,media,outreach,credits,reactions,routing,callbacks}";
const profiles = ["lenient", "observed", "chaos"].map((profile) => ({
  test: {
    name: `product, ${profile} service`,
    env: { SANDBOX_PROFILE: profile },
    include: [process.env.PROFILES === "whole" ? "test/*.test.ts" : `test/${CHOSEN}.test.ts`],
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
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
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
