import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

/** Part of util-linux, which is installed on every Debian. */
const SETPRIV = "/usr/bin/setpriv";

/**
 * The command line of a server that ends with the process that started it: Linux then sends it `signal` (prctl(2),
 * PR_SET_PDEATHSIG). So a killed test run leaves no server behind. On other systems, the unchanged command line.
 */
export const endedWithParent = (
  signal: "KILL" | "QUIT",
  command: readonly [string, ...string[]],
): [string, string[]] => {
  const [program, ...args] = command;
  return existsSync(SETPRIV) ? [SETPRIV, ["--pdeathsig", signal, ...command]] : [program, args];
};

/** Ends a process that runs, and resolves when it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}
