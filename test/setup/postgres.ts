/** A real PostgreSQL on a free port, in a temporary folder. */

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../ports.ts";
import { endedWithParent, endProcess } from "./child-processes.ts";
import { postgresPath } from "./programs.ts";

/** PostgreSQL refuses to run as root. Under root it runs as the user of its Debian package, or as `nobody`. */
export function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // This system has no such user.
    }
  }
  return undefined;
}

/** Commits are not synced: the tests kill PostgreSQL, never the machine. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  listen_addresses: "127.0.0.1",
  max_connections: "200",
  shared_buffers: "32MB",
  autovacuum: "off",
};

/** Attempts to start a server that exits at once. */
const STARTS = 25;

export type Postgres = {
  port: number;
  /** Address of a database on it. */
  url: (database: string) => string;
  /** Ends the server like a crash. */
  kill: () => Promise<void>;
  /** Starts the server again after `kill`, on the same port and data. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Whether the server accepts queries: its port is open earlier than that. */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const args = ["-q", "-h", "127.0.0.1", "-p", String(port)];
    execFile(postgresPath("pg_isready"), args, (error) => resolve(error === null));
  });

/** Waits for the condition. Resolves to false if the process ends first. */
async function until(condition: () => Promise<boolean>, child: ChildProcess): Promise<boolean> {
  while (!(await condition())) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** @param more settings of this server besides those of all tests */
export async function startPostgres(more: Record<string, string> = {}): Promise<Postgres> {
  const user = otherUser();
  const folder = mkdtempSync(join(tmpdir(), "porchlight-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, stdio: "ignore" } as const;
  const made = ["-D", data, "-U", "porchlight", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"];
  execFileSync(postgresPath("initdb"), made, options);
  const port = await freePort();
  const settings = { ...SETTINGS, port: String(port), unix_socket_directories: folder, ...more };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let child: ChildProcess;

  async function start(): Promise<void> {
    // SIGQUIT also ends the processes of its connections.
    const [program, args] = endedWithParent("QUIT", [postgresPath("postgres"), "-D", data, ...flags]);
    for (let tries = 1; ; tries++) {
      child = spawn(program, args, options);
      if (await until(() => answers(port), child)) return;
      if (tries === STARTS) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
      // After SIGKILL its other processes may still hold its memory for a moment.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const end = (signal: NodeJS.Signals): Promise<void> => endProcess(child, signal);

  await start();
  return {
    port,
    url: (database) => `postgres://porchlight@127.0.0.1:${port}/${database}`,
    kill: () => end("SIGKILL"),
    start,
    async stop() {
      // The fast shutdown (postgresql.org/docs/current/server-shutdown.html).
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
