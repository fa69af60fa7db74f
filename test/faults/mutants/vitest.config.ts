import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { ROOT } from "./changed-sources.ts";
import { type Variant, variantModules } from "./variants.ts";

/**
 * A test or a poll counts as failed when it does not end within this time. Long enough that a busy machine does not fail it.
 */
const TIMEOUT_MS = 30_000;

/** The variants to test, and their test files. */
export type Tested = { variants: Variant[]; include: string[] };
/** `MUTANTS`: path of a JSON file that `try-mutants.ts` wrote. */
const { variants, include } = JSON.parse(readFileSync(process.env.MUTANTS ?? "", "utf8")) as Tested;

/** Runs the unit tests of mutants. Each file has a thread of its own, so that it finds nothing that another mutant left. */
export default defineConfig({
  root: ROOT,
  plugins: [variantModules(variants)],
  test: {
    include,
    pool: "threads",
    isolate: true,
    // The cache knows a module by its path and the file's content, so it would give one mutant the code of another.
    fsModuleCache: false,
    // More than a small machine has cores, because tests of mutants mostly wait for the ends of polls.
    maxWorkers: 3,
    testTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: TIMEOUT_MS / 2 } },
  },
});
