import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A program of its own: the relay knows nothing of the sandbox. */
const SANDBOX = fileURLToPath(new URL("../../sandbox/main.ts", import.meta.url));

/**
 * Runs the sandbox of the service until it ends; resolves to its exit code.
 * @param args its settings as options, like `--profile chaos`; the others come from SANDBOX_… in the environment
 */
export async function sandbox(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [SANDBOX, ...args], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
