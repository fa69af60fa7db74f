import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { type Harness, KEY, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { runProcess } from "./relays.ts";

const CLI = join(import.meta.dirname, "..", "relay", "src", "cli.ts");
const EMAIL = "client@agency.example";
let harness: Harness;
let elsewhere: string;

beforeAll(async () => {
  harness = await startHarness({ run: runProcess, sandbox: NO_RANDOM_FAULTS });
  await untilItAcceptsCommands();
  harness.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
  elsewhere = mkdtempSync(join(tmpdir(), "porchlight-elsewhere-"));
});
afterAll(async () => {
  await harness.stop();
  rmSync(elsewhere, { recursive: true });
});

/** The socket opens after the relay listens. A hook has no `expect.poll`. */
const untilItAcceptsCommands = () =>
  vi.waitFor(() => expect(existsSync(join(harness.dataDir, "run", "relay.sock"))).toBe(true), { timeout: 60_000 });

type Ran = { code: number; out: string; err: string };
/** Runs a command like another shell: in another folder, with only the given environment. */
const shell = (args: string[], env: Record<string, string> = {}, cwd: string = elsewhere): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { cwd, env: { ...COMPILE_CACHE, ...env } }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });

it("shows the running relay's callback address to a shell without its settings", async () => {
  const { code, out } = await shell(["site"], { DATA_DIR: harness.dataDir });
  expect([code, out]).toEqual([0, expect.stringContaining(new URL(harness.callbackUrl).pathname)]);
  // A shell with other settings: the running relay's settings apply.
  const own = { SERVICE_URL: "https://other.example/v1", CALLBACK_SECRET: "another-secret-of-the-shell", PORT: "1" };
  const other = await shell(["site"], { ...own, DATA_DIR: harness.dataDir });
  expect(other.out).toBe(out);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it("lets doctor check the running relay, not the shell's settings", async () => {
  const { out } = await shell(["doctor"], { DATA_DIR: harness.dataDir, SERVICE_API_KEY: "wrong", PORT: "no" });
  expect(out).toMatch(/ok {4}relay: process \d+ runs/);
  expect(out).toMatch(/ok {4}key of account default/);
  expect(out).not.toContain(KEY);
});

it("runs commands inside the relay, at once and within its pace", async () => {
  const grant = ["credits", "grant", EMAIL, "5", "--key", "from-afar", "--json"];
  const { code, out } = await shell(grant, { DATA_DIR: harness.dataDir });
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ key: "from-afar", state: "granted" })]);
  const wrong = await shell(["credits", "show", "none"], { DATA_DIR: harness.dataDir });
  expect([wrong.code, wrong.err]).toEqual([1, "No entry none.\n"]);
});

it("writes files in the folder of the command, with the relay's settings", async () => {
  const { code } = await shell(["backup", "copy"], { DATA_DIR: harness.dataDir });
  expect([code, existsSync(join(elsewhere, "copy", "porchlight.db"))]).toEqual([0, true]);
  expect((await shell(["export", "site.ndjson"], { DATA_DIR: harness.dataDir })).code).toBe(0);
  expect(readFileSync(join(elsewhere, "site.ndjson"), "utf8")).toContain("from-afar");
  rmSync(join(elsewhere, "copy"), { recursive: true });
  rmSync(join(elsewhere, "site.ndjson"));
});

it("finds the relay of the current folder without any environment", async () => {
  const home = mkdtempSync(join(tmpdir(), "porchlight-home-"));
  mkdirSync(join(home, "data"));
  // The relay's description of itself is in its data folder, wherever that is mounted.
  cpSync(join(harness.dataDir, "relay.json"), join(home, "data", "relay.json"));
  const { code, out } = await shell(["site"], {}, home);
  expect([code, out]).toEqual([0, expect.stringContaining(new URL(harness.callbackUrl).pathname)]);
  rmSync(home, { recursive: true });
});

it("explains in one sentence how to name a relay, creates nothing, and fails", async () => {
  for (const command of [["site"], ["doctor"], ["credits", "list"], ["backup", "copy"]]) {
    const { code, out, err } = await shell(command, { DATA_DIR: elsewhere });
    expect([code, out], command.join(" ")).toEqual([1, ""]);
    expect(err).toMatch(/^No relay answers on \S+: set DATA_DIR to .*, or start a relay\.\n$/);
  }
  const settings = { SERVICE_URL: harness.serviceUrl, SERVICE_API_KEY: KEY, DATA_DIR: join(elsewhere, "data") };
  const { code, err } = await shell(["site"], settings);
  expect([code, err]).toEqual([1, expect.stringMatching(/^DATA_DIR: .* holds no data of a relay\. Set DATA_DIR/)]);
  expect((await shell(["doctor"], settings)).code).toBe(3);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it("says that it uses the shell's own settings while no relay runs", async () => {
  await harness.halt();
  const own = { DATA_DIR: harness.dataDir, SERVICE_URL: "https://other.example/v1", CALLBACK_SECRET: "s".repeat(16) };
  const { code, out, err } = await shell(["site"], own);
  expect([code, err]).toEqual([0, `No relay runs on ${harness.dataDir}, so the settings are those of this shell.\n`]);
  expect(out).toContain("/callbacks/reply/ssss");
  await harness.start();
  await untilItAcceptsCommands();
});

it("does not touch the data of a running relay that cannot be reached", async () => {
  const settings = { SERVICE_URL: harness.serviceUrl, SERVICE_API_KEY: KEY, DATA_DIR: harness.dataDir };
  const socket = join(harness.dataDir, "run", "relay.sock");
  expect((await shell(["site"], settings)).code).toBe(0);
  renameSync(socket, `${socket}.away`);
  for (const command of ["doctor", "site"])
    expect(await shell([command], settings)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^The relay of \S+ \(process \d+\) runs, but accepts no commands from here: run this as/,
      ),
    });
  renameSync(`${socket}.away`, socket);
  expect((await shell(["site"], settings)).code).toBe(0);
});

it("allows only the relay's user on the socket, and works after a relay was killed", async () => {
  const folder = join(harness.dataDir, "run");
  const modes = [folder, join(folder, "relay.sock"), join(harness.dataDir, "relay.json")];
  expect(modes.map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0]);
  await harness.kill();
  expect((await shell(["site"], { DATA_DIR: harness.dataDir })).code).toBe(1);
  await harness.start();
  // The killed relay left its socket, so only an answer shows that the new one is open.
  await expect.poll(async () => (await shell(["site"], { DATA_DIR: harness.dataDir })).code).toBe(0);
});
