/** A real Redis or Valkey on a free port that stores nothing on disk. */

import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { freePort } from "../ports.ts";
import { endedWithParent, endProcess } from "./child-processes.ts";
import { redisPath } from "./programs.ts";

export type Redis = {
  url: string;
  /** Ends the server like a crash. */
  kill: () => Promise<void>;
  /** Starts the server again on the same port. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const open = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return open;
}

/** @throws Error when the server ends before it answers */
export async function startRedis(): Promise<Redis> {
  const port = await freePort();
  let child: ChildProcess;
  async function start(): Promise<void> {
    const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    const [program, args] = endedWithParent("KILL", [redisPath(), ...flags]);
    child = spawn(program, args, { cwd: tmpdir(), stdio: "ignore" });
    while (!(await answers(port))) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Redis ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const end = (signal: NodeJS.Signals): Promise<void> => endProcess(child, signal);
  await start();
  return { url: `redis://127.0.0.1:${port}`, kill: () => end("SIGKILL"), start, stop: () => end("SIGTERM") };
}
