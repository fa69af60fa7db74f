/** Finds free ports for programs that need a given port, and for relays that must keep theirs after a restart. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Below the ports that systems assign automatically (Linux from 32768, others from 49152), so no program gets one by chance.
 */
const FROM = 20_000;
const COUNT = 12_000;
/** One file per port that a test process has taken. It contains the id of that process. */
const TAKEN = join(tmpdir(), "porchlight-ports");

let swept = false;
const own: string[] = [];
process.once("exit", () => {
  for (const file of own) rmSync(file, { force: true });
});

/** Returns a free port of this machine. No other test process gets it until this process ends. */
export async function freePort(): Promise<number> {
  if (!swept) sweep();
  swept = true;
  for (;;) {
    const port = FROM + Math.floor(Math.random() * COUNT);
    if (take(port) && (await isFree(port))) return port;
  }
}

/** Removes the files of processes that have ended. */
function sweep(): void {
  mkdirSync(TAKEN, { recursive: true });
  for (const name of readdirSync(TAKEN)) if (!isAlive(ownerOf(name))) rmSync(join(TAKEN, name), { force: true });
}

/** @returns 0 when another process has just removed the file, or has not yet written its id */
function ownerOf(name: string): number {
  try {
    return Number(readFileSync(join(TAKEN, name), "utf8"));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only checks that the process exists. Process 0 would be this process's own group, which is alive.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** @returns false when another process has the port, or this one took it before */
function take(port: number): boolean {
  const file = join(TAKEN, String(port));
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  own.push(file);
  return true;
}

/** Whether no other program listens on the port. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (free) await new Promise((resolve) => probe.close(resolve));
  return free;
}
