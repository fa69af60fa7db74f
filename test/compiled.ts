import { join } from "node:path";

/**
 * Where Node keeps what it compiled, for the environment of every process of ours that a test starts: half of a start goes
 * into stripping and parsing the same sources again, and the tests make hundreds of starts. A file that changed is compiled anew.
 */
export const COMPILED = { NODE_COMPILE_CACHE: join(import.meta.dirname, "..", ".cache", "compiled") };

/** For a process that runs a changed copy of the sources: nobody would find again what it keeps. */
const UNKEPT = { NODE_DISABLE_COMPILE_CACHE: "1" };

/** The same for a process that runs the sources of this folder. */
export const compiledIn = (root: string): Record<string, string> =>
  /[\\/]\.mutants[\\/]/.test(root) ? UNKEPT : COMPILED;
