/** A real PgBouncer in transaction mode in front of a PostgreSQL, on a free port. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../ports.ts";
import { endedWithParent } from "./child-processes.ts";
import { otherUser } from "./postgres.ts";
import { pgbouncerPath } from "./programs.ts";

/** Connections to the server for all clients together: fewer than two relays would open without it. */
const POOL = 6;

const configuration = (folder: string, port: number, server: number): string => `[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = transaction
default_pool_size = ${POOL}
unix_socket_dir =
`;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (open: boolean) => (): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", end(true)).once("error", end(false));
  });

/** @param server port of the PostgreSQL */
export async function startPgbouncer(server: number): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, configuration(folder, port, server));
  writeFileSync(join(folder, "users"), '"porchlight" ""\n');
  const [program, args] = endedWithParent("KILL", [pgbouncerPath(), file]);
  const child: ChildProcess = spawn(program, args, { ...otherUser(), stdio: "ignore" });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `postgres://porchlight@127.0.0.1:${port}/postgres`,
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
