import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { smallDisk } from "./faults/process/disk.ts";
import { FULL, limitFiles } from "./faults/process/limit.ts";
import { type Harness, startHarness } from "./harness.ts";
import { type Env, type Run, runInside, runProcess } from "./relays.ts";
import { porchlight } from "./shell.ts";

const CLI = join(import.meta.dirname, "..", "relay", "src", "cli.ts");
let harness: Harness;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(run: Run, env: Env = {}): Promise<void> {
  harness = await startHarness({ run, env });
  ends.push(harness.stop);
}
const ready = async (): Promise<number> => (await fetch(`${harness.url}/readyz`)).status;

/** How a test fills a disk, and frees it again. */
type Disk = { fill: () => void; free: () => void };

/** Signs in as the operator. @returns the session's cookie */
async function signIn(dataDir: string): Promise<string> {
  const { admin } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as { admin: string };
  const body = new URLSearchParams({ token: admin });
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const answer = await fetch(`${harness.url}/admin/login`, { method: "POST", redirect: "manual", body, headers });
  expect(answer.status).toBe(303);
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}
const NO_WRITES = "The database accepts no writes.";

/** Fills the disk, checks what the relay still does, frees the disk, and checks that everything works again. */
async function expectRecovery({ fill, free }: Disk, dataDir = harness.dataDir): Promise<void> {
  const visitor = harness.visitor();
  await visitor.greet("before");
  expect(await ready()).toBe(200);
  fill();
  visitor.write({ t: "send", id: "while-it-is-full", text: "x".repeat(4_000) });
  await visitor.next((frame) => frame.t === "error");
  expect(await ready()).toBe(503);
  expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
  const headers = { Cookie: await signIn(dataDir), "Sec-Fetch-Site": "same-origin" };
  const page = async (path: string): Promise<string> => (await fetch(`${harness.url}${path}`, { headers })).text();
  const overview = await page("/admin");
  expect(overview).toContain(NO_WRITES);
  const token = /name="token" value="([^"]+)"/.exec(overview)?.[1] ?? "";
  const leave = { method: "POST", headers, body: new URLSearchParams({ token }) };
  const refused = await fetch(`${harness.url}/admin/logout-everywhere`, leave);
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("Nothing was changed")]);
  headers.Cookie = await signIn(dataDir);
  free();
  await expect.poll(ready).toBe(200);
  expect(await page("/admin")).not.toContain(NO_WRITES);
  expect(await page("/admin/audit")).toContain("sign in");
  await visitor.send("after");
  await visitor.receives("echo: after");
}

it("the relay is not ready while the database refuses writes, and recovers automatically", async () => {
  await open(runProcess, { LOG_LEVEL: "info" });
  const { pid } = JSON.parse(readFileSync(join(harness.dataDir, "relay.json"), "utf8")) as { pid: number };
  await expectRecovery({ fill: () => limitFiles(pid, FULL), free: () => limitFiles(pid, "unlimited") });
});

it("the relay is not ready on a full disk, reports it in doctor, stops cleanly, and refuses to start with one sentence", async () => {
  const disk = smallDisk();
  // Only a user with the right to mount can create a full disk; the test above does not need one.
  if (disk === undefined) return;
  ends.push(disk.stop);
  const dataDir = join(disk.folder, "data");
  const fresh = join(disk.folder, "fresh");
  for (const folder of [dataDir, fresh]) mkdirSync(folder);
  await open(runInside, { DATA_DIR: dataDir });
  await expectRecovery(disk, dataDir);
  disk.fill();
  const { code, out } = await porchlight(harness, ["doctor", "--json"], { DATA_DIR: dataDir });
  const failing = (JSON.parse(out) as { check: string; ok: boolean }[])
    .filter(({ ok }) => !ok)
    .map(({ check }) => check);
  expect([code, failing]).toEqual([3, expect.arrayContaining(["database", "disk", "file store"])]);
  // The relay stops cleanly anyway; the database's log remains.
  await harness.halt();
  for (const folder of [dataDir, fresh]) {
    const env = { DATA_DIR: folder, PORT: "0", SERVICE_URL: harness.serviceUrl };
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "serve"], { env, encoding: "utf8" });
    expect([status, stderr.trim().split("\n").length], stdout + stderr).toEqual([1, 1]);
    expect(stderr).toMatch(/^DATA_DIR: .* has no room left \([\w ]+\)\. Make room on that disk\.\n$/);
    expect(readdirSync(folder).filter((name) => name.startsWith("relay.json"))).toEqual([]);
  }
  disk.free();
  await harness.start();
});
