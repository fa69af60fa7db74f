import { existsSync } from "node:fs";

/** Part of util-linux, which is installed on every Debian. */
const SETPRIV = "/usr/bin/setpriv";

/**
 * The command line of a server that ends with the process that started it: Linux then sends it `signal` (prctl(2),
 * PR_SET_PDEATHSIG). So a killed test run leaves no server behind. On other systems, the unchanged command line.
 */
export const tied = (signal: "KILL" | "QUIT", command: readonly [string, ...string[]]): [string, string[]] => {
  const [program, ...args] = command;
  return existsSync(SETPRIV) ? [SETPRIV, ["--pdeathsig", signal, ...command]] : [program, args];
};
