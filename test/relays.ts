/** Runs the relay under test: inside this process, or as a separate process. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Clock } from "../relay/src/base/clock.ts";
import { readSettings, type Settings } from "../relay/src/base/config.ts";
import { createLog } from "../relay/src/base/log.ts";
import { acceptCommands } from "../relay/src/cli/serve.ts";
import { createRelay } from "../relay/src/relay.ts";
import type { Replacements } from "../relay/src/wiring/core.ts";
import { compileCacheFor } from "./compile-cache.ts";
import { tracerPath } from "./setup/programs.ts";

export type Env = Record<string, string>;

export type Running = {
  /** The relay's log: one JSON line each, and what it wrote to stderr. */
  lines: string[];
  port: number;
  /** Process id of the relay; of this process when the relay runs inside it. */
  pid: number;
  /** Stops it as SIGTERM does. */
  stop: () => Promise<void>;
  /** Kills it with SIGKILL. Rejects for a relay inside this process. */
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

/** Longer than any test waits: a busy machine's database is slow, but does not fail. */
const LONG_TIMEOUT = { intakeTimeout: 600_000 };

/** Runs the relay inside this process: fast, and measured by the coverage. */
export const runInside: Run = (env) => runAt(env);

/** The same with another clock, or with the folder of another build of the widget. */
export const runAt = (env: Env, clock?: Clock, widget?: string): Promise<Running> =>
  runWith(env, { ...(clock && { clock }), ...(widget && { widget }) });

/** The same with any parts of the relay replaced. */
export async function runWith(env: Env, parts: Replacements): Promise<Running> {
  const { lines, target } = recorder();
  const hidden = [env.SERVICE_API_KEY, env.CALLBACK_SECRET].filter((secret) => secret !== undefined);
  const log = createLog({ level: env.LOG_LEVEL ?? "debug", secrets: () => [hidden], target });
  const relay = await acceptCommands(await createRelay(settingsFrom(env), { log, ...LONG_TIMEOUT, ...parts }));
  const kill = () => Promise.reject(new Error("Only a process can be killed"));
  return { lines, port: relay.port, pid: process.pid, stop: relay.stop, kill };
}

const CLI = join(import.meta.dirname, "..", "relay", "src", "cli.ts");

/**
 * Runs the relay as a separate process with only these settings in its environment. Needs LOG_LEVEL info or lower, because the
 * port is read from the log.
 */
export const runProcess: Run = (env) => spawnRelay(env, [process.execPath]);

/**
 * The same under `strace`, which records to `file`, in order, each flush to disk and each write to a socket. `-D` keeps the
 * relay our child process, so that signals reach it.
 */
export const runTraced =
  (file: string): Run =>
  (env) =>
    spawnRelay(env, [tracerPath(), "-D", "-f", "-y", "-s", "512", "-o", file, "-e", TRACED, process.execPath]);

const TRACED = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";

/** Runs the relay as a process from another folder of sources, such as a copy with a mutant. */
export const runFrom =
  (root: string): Run =>
  (env) =>
    spawnRelay(env, [process.execPath], join(root, "cli.ts"));

function spawnRelay(env: Env, [command = "", ...args]: string[], cli = CLI): Promise<Running> {
  const child = spawn(command, [...args, cli, "serve"], {
    env: { LOG_LEVEL: "debug", ...compileCacheFor(cli), ...env },
  });
  return childRelay(child);
}

/**
 * Waits until a child process runs the relay.
 * @param pidOf returns the relay's own process id, when the child is another program that runs it
 */
export async function childRelay(
  child: ChildProcessWithoutNullStreams,
  pidOf = (): number => child.pid ?? 0,
): Promise<Running> {
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
  const pid = pidOf();
  const end = (signal: "SIGTERM" | "SIGKILL") => async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
    await ended;
  };
  return { lines, port, pid, stop: end("SIGTERM"), kill: end("SIGKILL") };
}
