import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { compileCacheFor } from "../../compile-cache.ts";
import { type Env, portOf } from "./relay.ts";

export type Supervisor = {
  port: number;
  lines: string[];
  /** Exit codes of the processes so far. */
  exits: number[];
  /** Number of processes that have started to listen. */
  started: () => number;
  /** Sends a signal to the current process; the supervisor starts the next one. */
  signal: (signal: NodeJS.Signals) => void;
  stop: () => Promise<void>;
};

/** A supervisor as a shell script: it holds the socket, runs the relay, and restarts it whenever it ends. */
const SCRIPT = `
stop() { stopped=1; kill -TERM $pid 2>/dev/null; }
trap stop TERM
while [ -z "$stopped" ]; do
  "$@" & pid=$!
  echo "pid $pid"
  wait $pid; code=$?
  [ -n "$stopped" ] && { wait $pid; code=$?; }
  echo "exit $code"
done`;

/**
 * Runs the relay as systemd does with a socket unit: a listening socket that outlives every process of the relay is
 * passed to it as file descriptor 3. Connections between two processes wait in the kernel's queue.
 */
export async function supervise(root: string, env: Env): Promise<Supervisor> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 511 }, resolve));
  const { port } = server.address() as AddressInfo;
  // Node has no public access to the descriptor of a listening socket. This internal handle can be passed to child processes.
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
  const relay = [process.execPath, join(root, "cli.ts"), "serve"];
  const shell = spawn("sh", ["-c", SCRIPT, "supervisor", ...relay], {
    env: { LOG_LEVEL: "info", ...compileCacheFor(root), ...env, LISTEN_FDS: "1" },
    stdio: ["ignore", "pipe", "pipe", fd],
  });
  // This process accepts no connections from the socket; the shell and the relay hold it from now on.
  server.close();
  const lines: string[] = [];
  const exits: number[] = [];
  let pid = 0;
  let starts = 0;
  linesOf(shell.stderr, (line) => lines.push(line));
  linesOf(shell.stdout, (line) => {
    const [, word, number] = /^(pid|exit) (\d+)$/.exec(line) ?? [];
    if (word === "pid") pid = Number(number);
    else if (word === "exit") exits.push(Number(number));
    else lines.push(line);
    if (portOf(line) !== undefined) starts++;
  });
  const ended = new Promise<void>((resolve) => shell.once("close", () => resolve()));
  return {
    port,
    lines,
    exits,
    started: () => starts,
    signal: (signal) => void process.kill(pid, signal),
    async stop() {
      shell.kill("SIGTERM");
      await ended;
    },
  };
}

function linesOf(stream: Readable | null, take: (line: string) => void): void {
  if (stream !== null) createInterface(stream).on("line", take);
}
