import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The sandbox is a separate program: the relay does not import it. */
const SANDBOX = fileURLToPath(new URL("../../sandbox/main.ts", import.meta.url));

/**
 * Runs the sandbox of the messaging service until it ends.
 * @param args options such as `--profile chaos`; others come from SANDBOX_… in the environment
 * @returns its exit code
 */
export async function sandbox(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [SANDBOX, ...args], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
