/** S13, on both databases: an upgrade under load, during which the new version is killed many times; then the downgrade. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mutantsFolder } from "./faults/mutants/changed-sources.ts";
import { FLAWLESS } from "./flaws.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { NEWER, newerVersion, STATEMENT } from "./newer-version.ts";
import { traffic } from "./nodes/traffic.ts";
import { type Env, runFrom, runProcess } from "./relays.ts";
import { startRetryingProxy } from "./retrying-proxy.ts";
import { type Postgres, startPostgres } from "./setup/postgres.ts";
import { postgresPath } from "./setup/programs.ts";
import { porchlight } from "./shell.ts";

/** Each start of the newer version is killed `ms` after this statement of its migration began, or after the start. */
const KILLS = [
  ...[1, 2, 3, 4, 5].map((statement) => ({ statement, ms: 0 })),
  ...[100, 300, 900].map((ms) => ({ statement: 3, ms })),
];
/** Most milliseconds for the killed starts and the traffic around them, on a slow machine. */
const UPGRADE_MS = 300_000;

/** The visitors write and connect more often than people: they have one address, and try again at once. */
const FREQUENT = { MESSAGES_PER_MINUTE: "0", SOCKETS_PER_ADDRESS: "0" };

let newer: string;
beforeAll(() => {
  newer = newerVersion();
});
afterAll(() => rmSync(mutantsFolder("relay"), { recursive: true, force: true }));

/** Makes the backup before the upgrade, and restores it. `restore` returns the settings with which the relay uses it. */
type Backups = { make: (harness: Harness) => Promise<void>; restore: (harness: Harness) => Promise<Env> };

/** `porchlight backup`, which copies SQLite and the data folder. */
function folderBackup(folder: string): Backups {
  const backup = join(folder, "backup");
  return {
    make: async (harness) => expect((await porchlight(harness, ["backup", backup])).code).toBe(0),
    restore: async ({ dataDir }) => {
      rmSync(dataDir, { recursive: true });
      cpSync(backup, dataDir, { recursive: true });
      return {};
    },
  };
}

/** The commands of relay/docs/guides/operation.md. */
function dumpBackup(folder: string, { url }: Postgres): Backups {
  const dump = join(folder, "porchlight.dump");
  const [from, to] = [url("postgres"), url("restored")];
  const run = (program: string, ...args: string[]) => execFileSync(postgresPath(program), args);
  return {
    make: async () => void run("pg_dump", "--format=custom", `--file=${dump}`, from),
    restore: async () => {
      run("createdb", `--maintenance-db=${from}`, "restored");
      run("pg_restore", "--exit-on-error", `--dbname=${to}`, dump);
      run("psql", to, "--command", "DELETE FROM meta WHERE name = 'epoch'");
      return { DATABASE_URL: to };
    },
  };
}

/** How long the service waits for the answer to a callback: longer than all killed starts together, on a slow machine. */
const CALLBACK_TIMEOUT_MS = 100_000;

describe.each(["SQLite", "PostgreSQL"])("on %s", (database) => {
  let postgres: Postgres | undefined;
  let harness: Harness;
  let proxy: Awaited<ReturnType<typeof startRetryingProxy>>;
  let backups: Backups;
  let isNewer = false;
  /** The settings of the last start. */
  let settings: Env = {};
  const folder = mkdtempSync(join(tmpdir(), "porchlight-before-"));

  beforeAll(async () => {
    if (database === "PostgreSQL") postgres = await startPostgres();
    backups = postgres === undefined ? folderBackup(folder) : dumpBackup(folder, postgres);
    harness = await startHarness({
      sandbox: { ...NO_RANDOM_FAULTS, callbackTimeoutMs: CALLBACK_TIMEOUT_MS },
      env: { ...FREQUENT, ...(postgres && { DATABASE_URL: postgres.url("postgres") }) },
      run: (env) => {
        settings = env;
        return isNewer ? runFrom(newer)(env) : runProcess(env);
      },
    });
    const { callbackUrl } = harness;
    proxy = await startRetryingProxy(() => callbackUrl);
    harness.sandbox.configure({ callbackUrl: proxy.url });
  });
  afterAll(async () => {
    await proxy.stop();
    await harness.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Starts the newer version, and kills it: in its migration, or once it runs if an earlier start has already migrated. */
  async function startAndKill({ statement, ms }: (typeof KILLS)[number]): Promise<void> {
    const child = spawn(process.execPath, [join(newer, "cli.ts"), "serve"], { env: settings });
    const ended = once(child, "exit");
    let [out, err] = ["", ""];
    const reached = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk) => {
        out += chunk;
        if (out.includes("relay.started")) resolve();
      });
      child.stderr.on("data", (chunk) => {
        err += chunk;
        if (err.split(STATEMENT).length > statement) resolve();
      });
    });
    await Promise.race([reached, ended]);
    const timer = setTimeout(() => child.kill("SIGKILL"), ms);
    await ended;
    clearTimeout(timer);
  }

  const target = { visitor: () => harness.visitor() };
  const trafficOf = (visitors: number, messages: number, halfway?: () => Promise<void>) =>
    traffic(
      { ...target, sandbox: harness.sandbox },
      { visitors, messages, nodeOf: () => 0, ...(halfway && { halfway }) },
    );

  it(
    "loses, duplicates and reorders no message while a newer version takes over and is killed during its first starts",
    async () => {
      const halfway = async (): Promise<void> => {
        await backups.make(harness);
        await harness.halt();
        isNewer = true;
        for (const kill of KILLS) await startAndKill(kill);
        await harness.start();
      };
      expect(await trafficOf(6, 50, halfway)).toEqual({ acknowledged: 300, ...FLAWLESS });
    },
    UPGRADE_MS,
  );

  it("refuses the older version on the upgraded data, which stay as they are", async () => {
    await harness.halt();
    isNewer = false;
    await expect(harness.start()).rejects.toThrow(`a newer Porchlight wrote this database (schema ${NEWER},`);
    isNewer = true;
    await harness.start();
    expect(await trafficOf(2, 5)).toEqual({ acknowledged: 10, ...FLAWLESS });
  });

  it("goes back to the older version with the backup from before the upgrade, and loses nothing from then on", async () => {
    await harness.halt();
    isNewer = false;
    await harness.start(await backups.restore(harness));
    expect(await trafficOf(6, 20)).toEqual({ acknowledged: 120, ...FLAWLESS });
  });
});
