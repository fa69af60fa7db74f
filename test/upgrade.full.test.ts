/** S13: an upgrade under load that is killed many times, and the way back by the backup from before it, on both databases. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shelfOf } from "./faults/mutants/plant.ts";
import { FLAWLESS } from "./flaws.ts";
import { type House, SCRIPTED, startHouse } from "./harness.ts";
import { NEWER, newerVersion } from "./newer-version.ts";
import { traffic } from "./nodes/traffic.ts";
import { type Env, runFrom, runProcess } from "./relays.ts";
import { type Postgres, startPostgres } from "./setup/postgres.ts";
import { postgresPath } from "./setup/programs.ts";
import { porchlight } from "./shell.ts";

/** Starts of the newer version that are killed, each a step (ms) later than the one before: before, in and after its migration. */
const KILLS = { count: 20, stepMs: 100 };

/** The visitors write and connect more often than people: they have one address, and try again at once. */
const FREQUENT = { MESSAGES_PER_MINUTE: "0", SOCKETS_PER_ADDRESS: "0" };

let newer: string;
beforeAll(() => {
  newer = newerVersion();
});
afterAll(() => rmSync(shelfOf("relay"), { recursive: true, force: true }));

/** Makes the backup before the upgrade, and puts it in place of the data. */
type Backups = { make: (house: House) => Promise<void>; restore: (house: House) => Promise<void> };

/** `porchlight backup`, which copies SQLite and the data folder. */
function folderBackup(folder: string): Backups {
  const backup = join(folder, "backup");
  return {
    make: async (house) => expect((await porchlight(house, ["backup", backup])).code).toBe(0),
    restore: async ({ dataDir }) => {
      rmSync(dataDir, { recursive: true });
      cpSync(backup, dataDir, { recursive: true });
    },
  };
}

/** PostgreSQL's own tools, as in relay/docs/guides/operation.md. */
function dumpBackup(folder: string, postgres: Postgres): Backups {
  const dump = join(folder, "porchlight.dump");
  const server = postgres.url("postgres");
  const run = (program: string, ...args: string[]) => execFileSync(postgresPath(program), args, { stdio: "pipe" });
  return {
    make: async () => void run("pg_dump", "--format=custom", `--file=${dump}`, postgres.url("chat")),
    restore: async () => {
      run("dropdb", "--force", `--maintenance-db=${server}`, "chat");
      run("createdb", `--maintenance-db=${server}`, "chat");
      run("pg_restore", "--exit-on-error", `--dbname=${postgres.url("chat")}`, dump);
      run("psql", postgres.url("chat"), "--command", "DELETE FROM meta WHERE name = 'epoch'");
    },
  };
}

describe.each(["SQLite", "PostgreSQL"])("on %s", (database) => {
  let postgres: Postgres | undefined;
  let house: House;
  let backups: Backups;
  let isNewer = false;
  /** The settings of the last start. */
  let settings: Env = {};
  const folder = mkdtempSync(join(tmpdir(), "porchlight-before-"));

  beforeAll(async () => {
    if (database === "PostgreSQL") {
      postgres = await startPostgres();
      execFileSync(postgresPath("createdb"), [`--maintenance-db=${postgres.url("postgres")}`, "chat"]);
    }
    backups = postgres === undefined ? folderBackup(folder) : dumpBackup(folder, postgres);
    house = await startHouse({
      sandbox: SCRIPTED,
      env: { ...FREQUENT, ...(postgres && { DATABASE_URL: postgres.url("chat") }) },
      run: (env) => {
        settings = env;
        return isNewer ? runFrom(newer)(env) : runProcess(env);
      },
    });
  });
  afterAll(async () => {
    await house.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Starts the newer version and kills it after a time. */
  async function startAndKill(ms: number): Promise<void> {
    const child = spawn(process.execPath, [join(newer, "cli.ts"), "serve"], { env: settings, stdio: "ignore" });
    const ended = once(child, "exit");
    const timer = setTimeout(() => child.kill("SIGKILL"), ms);
    await ended;
    clearTimeout(timer);
  }

  const stage = { visitor: () => house.visitor() };
  const trafficOf = (visitors: number, messages: number, halfway?: () => Promise<void>) =>
    traffic({ ...stage, sandbox: house.sandbox }, { visitors, messages, nodeOf: () => 0, ...(halfway && { halfway }) });

  it("loses, duplicates and reorders no message while a newer version takes over and is killed during its first starts", async () => {
    const halfway = async (): Promise<void> => {
      await backups.make(house);
      await house.halt();
      isNewer = true;
      for (let n = 1; n <= KILLS.count; n++) await startAndKill(n * KILLS.stepMs);
      await house.start();
    };
    expect(await trafficOf(6, 50, halfway)).toEqual({ acknowledged: 300, ...FLAWLESS });
  });

  it("refuses the older version on the upgraded data, which stay as they are", async () => {
    await house.halt();
    isNewer = false;
    await expect(house.start()).rejects.toThrow(`a newer Porchlight wrote this database (schema ${NEWER},`);
    isNewer = true;
    await house.start();
    expect(await trafficOf(2, 5)).toEqual({ acknowledged: 10, ...FLAWLESS });
  });

  it("goes back to the older version with the backup from before the upgrade, and loses nothing from then on", async () => {
    await house.halt();
    isNewer = false;
    await backups.restore(house);
    await house.start();
    expect(await trafficOf(6, 20)).toEqual({ acknowledged: 120, ...FLAWLESS });
  });
});
