import { existsSync } from "node:fs";

/** Of util-linux, which every Debian has. */
const SETPRIV = "/usr/bin/setpriv";

/**
 * The command line of a server that ends when the process that started it ends, however that ends: Linux sends it `signal`
 * (prctl(2), PR_SET_PDEATHSIG). A killed test run leaves no server behind. On other systems the command line as it is.
 */
export const tied = (signal: "KILL" | "QUIT", command: readonly [string, ...string[]]): [string, string[]] => {
  const [program, ...args] = command;
  return existsSync(SETPRIV) ? [SETPRIV, ["--pdeathsig", signal, ...command]] : [program, args];
};
