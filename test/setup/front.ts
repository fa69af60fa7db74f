/** Runs a web server in front of relays. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { endedWithParent } from "./child-processes.ts";

export type Front = { url: string; stop: () => Promise<void> };

/**
 * Runs the server until its `port` passes `/healthz` on to a relay.
 * @param folder with its files; removed by `stop`
 * @param env settings besides those of this process
 * @throws Error when the server ends before that
 */
export async function runFront(
  command: readonly [string, ...string[]],
  port: number,
  folder: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Front> {
  const [program, args] = endedWithParent("KILL", command);
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  const errors: Buffer[] = [];
  child.stderr.on("data", (data: Buffer) => errors.push(data));
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${command[0]} ended: ${Buffer.concat(errors).toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
