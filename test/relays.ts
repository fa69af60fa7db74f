/** Two ways to run the relay under test: inside this process, or as the process an operator runs. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Clock } from "../relay/src/base/clock.ts";
import { readSettings, type Settings } from "../relay/src/base/config.ts";
import { createLog } from "../relay/src/base/log.ts";
import { startRelay } from "../relay/src/cli/serve.ts";
import { compiledIn } from "./compiled.ts";
import { tracerPath } from "./setup/programs.ts";

export type Env = Record<string, string>;

export type Running = {
  /** What the relay said, one JSON line each, errors among them. */
  lines: string[];
  port: number;
  /** Ends it as SIGTERM does. */
  stop: () => Promise<void>;
  /** Ends it as a power cut does; only a process can be killed. */
  kill: () => Promise<void>;
};

export type Run = (env: Env) => Promise<Running>;

/** Collects whole lines. */
function recorder(): { lines: string[]; target: Writable } {
  const lines: string[] = [];
  const target = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).trimEnd().split("\n"));
      done();
    },
  });
  return { lines, target };
}

function settingsFrom(env: Env): Settings {
  const read = readSettings(env);
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return read.settings;
}

/** The relay inside this process: fast, and seen by the coverage. */
export const runInside: Run = (env) => runAt(env);

/** The same by another clock, or with another build of the widget, by its folder. */
export async function runAt(env: Env, clock?: Clock, widget?: string): Promise<Running> {
  const { lines, target } = recorder();
  const hidden = [env.SERVICE_API_KEY, env.CALLBACK_SECRET].filter((secret) => secret !== undefined);
  const log = createLog({ level: env.LOG_LEVEL ?? "debug", secrets: () => [hidden], target });
  const relay = await startRelay(settingsFrom(env), { log, ...(clock && { clock }), ...(widget && { widget }) });
  const kill = () => Promise.reject(new Error("Only a process can be killed"));
  return { lines, port: relay.port, stop: relay.stop, kill };
}

const CLI = join(import.meta.dirname, "..", "relay", "src", "cli.ts");

/** The relay as a process of its own, with nothing in its environment but these settings. Its log tells its port: level info. */
export const runProcess: Run = (env) => spawnRelay(env, [process.execPath]);

/**
 * The same under `strace`, which writes to `file` what the relay flushed to disk and wrote to its sockets, in order.
 * `-D` keeps the relay itself our child, so that signals reach it.
 */
export const runTraced =
  (file: string): Run =>
  (env) =>
    spawnRelay(env, [tracerPath(), "-D", "-f", "-y", "-s", "512", "-o", file, "-e", TRACED, process.execPath]);

const TRACED = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";

/** The relay as a process, from another folder of sources: a copy with a mistake in it. */
export const runFrom =
  (root: string): Run =>
  (env) =>
    spawnRelay(env, [process.execPath], join(root, "cli.ts"));

async function spawnRelay(env: Env, [command = "", ...args]: string[], cli = CLI): Promise<Running> {
  const child = spawn(command, [...args, cli, "serve"], { env: { LOG_LEVEL: "debug", ...compiledIn(cli), ...env } });
  const lines: string[] = [];
  const ended = once(child, "exit");
  createInterface(child.stderr).on("line", (line) => lines.push(line));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      lines.push(line);
      const { event, port } = JSON.parse(line) as { event?: string; port?: number };
      if (event === "relay.started" && port !== undefined) resolve(port);
    });
    child.once("exit", (code) => reject(new Error(`The relay ended with ${code}: ${lines.join("\n")}`)));
  });
  const end = (signal: "SIGTERM" | "SIGKILL") => async (): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { lines, port, stop: end("SIGTERM"), kill: end("SIGKILL") };
}
