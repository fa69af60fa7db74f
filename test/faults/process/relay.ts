import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileCacheFor } from "../../compile-cache.ts";

export type Env = Record<string, string>;
export type Ended = { code: number | null; signal: NodeJS.Signals | null };
export type RelayProcess = {
  child: ChildProcess;
  port: number;
  /** The lines of its output, JSON log lines and errors. */
  lines: string[];
  ended: Promise<Ended>;
  kill: (signal: NodeJS.Signals) => Promise<Ended>;
};

/** The relay ended before it listened. The message contains its output. */
export class NotStarted extends Error {
  readonly ended: Ended;
  constructor(ended: Ended, lines: readonly string[]) {
    super(`The relay ended with ${ended.code ?? ended.signal}: ${lines.join("\n").slice(-800)}`);
    this.ended = ended;
  }
}

/**
 * Starts a relay as the operator does, and resolves when it listens.
 * @param root folder of its sources: the real ones or a changed copy
 * @param wrapper a program and its arguments that run it, like a tracer
 */
export async function startRelay(root: string, env: Env, wrapper: readonly string[] = []): Promise<RelayProcess> {
  const [command = "", ...args] = [...wrapper, process.execPath, join(root, "cli.ts"), "serve"];
  const child = spawn(command, args, {
    env: { LOG_LEVEL: "info", ...compileCacheFor(root), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const ended = new Promise<Ended>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  createInterface(child.stderr).on("line", (line) => lines.push(line));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      lines.push(line);
      const started = portOf(line);
      if (started !== undefined) resolve(started);
    });
    void ended.then((how) => reject(new NotStarted(how, lines)));
  });
  return {
    child,
    port,
    lines,
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** The port, when the line says that the relay listens. */
export function portOf(line: string): number | undefined {
  if (!line.startsWith("{")) return undefined;
  const { event, port } = JSON.parse(line) as { event?: string; port?: number };
  return event === "relay.started" ? port : undefined;
}
