/** S13 on SQLite: an upgrade under load that is killed many times, and the way back by the backup from before it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shelfOf } from "./faults/mutants/plant.ts";
import { FLAWLESS } from "./flaws.ts";
import { type House, SCRIPTED, startHouse } from "./harness.ts";
import { NEWER, newerVersion } from "./newer-version.ts";
import { traffic } from "./nodes/traffic.ts";
import { type Env, runFrom, runProcess } from "./relays.ts";
import { porchlight } from "./shell.ts";

/** Starts of the newer version that are killed, each a step (ms) later than the one before: before, in and after its migration. */
const KILLS = { count: 20, stepMs: 100 };

let house: House;
let newer: string;
let isNewer = false;
/** The settings of the last start. */
let settings: Env = {};
const folder = mkdtempSync(join(tmpdir(), "porchlight-before-"));

beforeAll(async () => {
  newer = newerVersion();
  house = await startHouse({
    sandbox: SCRIPTED,
    run: (env) => {
      settings = env;
      return isNewer ? runFrom(newer)(env) : runProcess(env);
    },
  });
});
afterAll(async () => {
  await house.stop();
  rmSync(folder, { recursive: true });
  rmSync(shelfOf("relay"), { recursive: true, force: true });
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

it("loses, duplicates and reorders no message while a newer version takes over and is killed during its first starts", async () => {
  const halfway = async (): Promise<void> => {
    expect((await porchlight(house, ["backup", join(folder, "backup")])).code).toBe(0);
    await house.halt();
    isNewer = true;
    for (let n = 1; n <= KILLS.count; n++) await startAndKill(n * KILLS.stepMs);
    await house.start();
  };
  const plan = { visitors: 6, messages: 50, nodeOf: () => 0, halfway };
  expect(await traffic({ ...stage, sandbox: house.sandbox }, plan)).toEqual({ acknowledged: 300, ...FLAWLESS });
});

it("refuses the older version on the upgraded data, which stay as they are", async () => {
  await house.halt();
  isNewer = false;
  await expect(house.start()).rejects.toThrow(`a newer Porchlight wrote this database (schema ${NEWER},`);
  isNewer = true;
  await house.start();
  const plan = { visitors: 2, messages: 5, nodeOf: () => 0 };
  expect(await traffic({ ...stage, sandbox: house.sandbox }, plan)).toEqual({ acknowledged: 10, ...FLAWLESS });
});

it("goes back to the older version with the backup from before the upgrade, and loses nothing from then on", async () => {
  await house.halt();
  isNewer = false;
  rmSync(house.dataDir, { recursive: true });
  cpSync(join(folder, "backup"), house.dataDir, { recursive: true });
  await house.start();
  const plan = { visitors: 6, messages: 20, nodeOf: () => 0 };
  expect(await traffic({ ...stage, sandbox: house.sandbox }, plan)).toEqual({ acknowledged: 120, ...FLAWLESS });
});
