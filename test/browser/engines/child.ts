import { type ChildProcess, spawn } from "node:child_process";

export type Child = {
  /** Resolves with the first match in any of the program's outputs. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks the program to exit. Resolves when it has exited. */
  stop(): Promise<void>;
};

/** Time limit for a browser to print its address, in milliseconds. */
const START_MS = 120_000;

/** Starts a program and reads its standard output, standard error and file descriptor 3. */
export function startChild(command: string, args: string[], env: Record<string, string> = {}): Child {
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let printed = "";
  let onOutput = (): void => {};
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for (const output of child.stdio.slice(1))
    output?.on("data", (data) => {
      printed += data;
      onOutput();
    });
  return {
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => () => reject(new Error(`${command} ${why}: ${printed}`));
        const timer = setTimeout(fail("did not start in time"), START_MS);
        child.once("error", fail("does not run"));
        child.once("exit", fail("ended"));
        onOutput = () => {
          const match = pattern.exec(printed);
          if (!match) return;
          clearTimeout(timer);
          resolve(match);
        };
        onOutput();
      }),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill();
      await ended;
    },
  };
}
