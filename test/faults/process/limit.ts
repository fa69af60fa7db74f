import { execFileSync } from "node:child_process";

/** Limits the size of every file of the process, as if the disk were full. Unlimited: the disk is free again. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);
}

/** Too small for any commit to the database's log, and large enough for a few replies in the spool. */
export const FULL = 4_096;
