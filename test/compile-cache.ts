import { join } from "node:path";

/**
 * The compile cache of Node for every process that a test starts. Half of each start is spent on stripping and parsing the same
 * sources, and the tests make hundreds of starts. A changed file is compiled again.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(import.meta.dirname, "..", ".cache", "compiled") };

/** For a process that runs a changed copy of the sources: its cache would never be used again. */
const NO_COMPILE_CACHE = { NODE_DISABLE_COMPILE_CACHE: "1" };

/** The environment for a process that runs the sources of this folder. */
export const compileCacheFor = (root: string): Record<string, string> =>
  /[\\/]\.mutants[\\/]/.test(root) ? NO_COMPILE_CACHE : COMPILE_CACHE;
