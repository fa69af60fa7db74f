import { execFileSync } from "node:child_process";

/** No file of the process may grow beyond so many bytes, as if the disk were full. Unlimited: the disk is free again. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);
}

/** Small enough that no commit fits into the log of the database, large enough for a few replies in the spool. */
export const FULL = 4_096;
