import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";

export type Measured = {
  port: number;
  /** Resident memory in bytes and CPU time in microseconds, of now. */
  usage: () => Promise<{ rss: number; cpu: number }>;
  stop: () => Promise<void>;
};

/** Starts a server of `servers.ts` in its own process. */
export async function start(kind: "floor" | "relay", service: string): Promise<Measured> {
  const args = ["--expose-gc", join(import.meta.dirname, "servers.ts"), kind, service];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  if (child.stdout === null || child.stdin === null) throw new Error("The server has no pipes");
  const lines: Interface = createInterface(child.stdout);
  const next = async (): Promise<Record<string, number>> => JSON.parse(String((await once(lines, "line"))[0]));
  const { port = 0 } = await next();
  const { stdin } = child;
  return {
    port,
    async usage() {
      stdin.write("usage\n");
      const { rss = 0, cpu = 0 } = await next();
      return { rss, cpu };
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
