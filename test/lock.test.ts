import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { addEntry, findEntry, transition } from "../relay/src/records/ledger/ledger.ts";
import { type Env, type Running, runInside, runProcess } from "./relays.ts";

let root: string;
let env: Env;
let running: Running[];
/** Answers no call: a grant that a relay has claimed stays under way. */
let service: Server;
let calls: number;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "porchlight-lock-"));
  running = [];
  calls = 0;
  service = createServer(() => void calls++);
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as AddressInfo;
  env = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: root, SERVICE_URL: `http://127.0.0.1:${port}/v1` };
});
afterEach(async () => {
  service.closeAllConnections();
  service.close();
  for (const relay of running) await relay.stop();
  rmSync(root, { recursive: true });
});

async function start(run: typeof runInside = runInside, more: Env = {}): Promise<Running> {
  const relay = await run({ ...env, ...more });
  running.push(relay);
  return relay;
}
const end = async (how: "stop" | "kill"): Promise<void> => void (await running.pop()?.[how]());

const NAME = { kind: "grant", account: "default", key: "live" } as const;
/** The state of a grant in the database. */
async function stateOf(file: string): Promise<string | undefined> {
  const db = openSqlite(file);
  const entry = await findEntry(db, NAME);
  await db.close();
  return entry?.state;
}
/** Writes a grant to the database. @param state `intent`: the relay calls the service for it */
async function writeGrant(file: string, state: "intent" | "calling"): Promise<void> {
  const db = openSqlite(file);
  const now = Date.now();
  const content = JSON.stringify({ email: "a@b.example", amount: 5, note: "", source: "request" });
  const step = { state, reason: null, due: now, actor: "another process", now } as const;
  await db.transaction(async (tx) => {
    await addEntry(tx, { ...NAME, ...step, lane: "a@b.example", digest: "", content });
    await transition(tx, NAME, ["intent", "calling", "unknown"], step);
  });
  await db.close();
}

/** Starts a relay that waits for the service's answer to a grant. */
async function startGranting(file: string, more: Env = {}): Promise<Running> {
  const settings = { SERVICE_API_KEY: "key-of-the-account", ...more };
  // The first start creates the database.
  await start(runInside, settings);
  await end("stop");
  await writeGrant(file, "intent");
  const relay = await start(runInside, settings);
  await expect.poll(() => stateOf(file)).toBe("calling");
  // The relay records the call before it makes it. A call that begins after the service closed its connections lasts a minute.
  await expect.poll(() => calls).toBe(1);
  return relay;
}

it("refuses a second relay on a data folder, names the first one, and does not touch its grants", async () => {
  const file = join(root, "porchlight.db");
  const { port } = await startGranting(file);
  const secrets = readFileSync(join(root, "secrets.json"), "utf8");
  const words = new RegExp(
    `^DATA_DIR: ${root} is in use by another relay: process ${process.pid} on \\S+, since 20\\S+Z, at http://127.0.0.1:${port};`,
  );
  await expect(start()).rejects.toThrow(words);
  expect(readdirSync(root).filter((name) => name.includes("lock"))).toEqual(["porchlight.db.relay.lock", "relay.lock"]);
  expect(await stateOf(file)).toBe("calling");
  expect(readFileSync(join(root, "secrets.json"), "utf8")).toBe(secrets);
  service.closeAllConnections();
  await end("stop");
  await writeGrant(file, "calling");
  await start();
  expect(await stateOf(file)).toBe("unknown");
});

it("refuses a second relay with another data folder on the same database file", async () => {
  const [file, other] = [join(root, "shared.db"), join(root, "other")];
  mkdirSync(other);
  await startGranting(file, { DATABASE_URL: `sqlite:${file}` });
  await expect(start(runInside, { DATABASE_URL: `sqlite:${file}`, DATA_DIR: other })).rejects.toThrow(
    new RegExp(`^DATABASE_URL: ${file} is in use by another relay: process ${process.pid} `),
  );
  // One file has one lock, under any of its names.
  symlinkSync(file, join(root, "link.db"));
  await expect(start(runInside, { DATABASE_URL: `sqlite:${root}/link.db`, DATA_DIR: other })).rejects.toThrow(
    new RegExp(`^DATABASE_URL: ${file} is in use by another relay`),
  );
  // Two names of one file would lead to two write-ahead logs.
  linkSync(file, join(root, "hard.db"));
  await expect(start(runInside, { DATABASE_URL: `sqlite:${root}/hard.db`, DATA_DIR: other })).rejects.toThrow(
    /^DATABASE_URL: .*hard\.db has 2 hard links but must have one/,
  );
  rmSync(join(root, "hard.db"));
  expect(await stateOf(file)).toBe("calling");
  expect(existsSync(join(other, "secrets.json"))).toBe(false);
  // Its own folder is free again.
  await start(runInside, { DATA_DIR: other });
});

it("the lock works between processes, and ends with its process, however that ends", async () => {
  await start(runProcess);
  await expect(start(runProcess)).rejects.toThrow(/ended with 1: DATA_DIR: .* is in use by another relay: process \d+/);
  await end("kill");
  await start(runProcess);
});

it("refuses to create a data folder where a volume may be missing, and only there", async () => {
  const unmounted = join(root, "volume", "data");
  await expect(start(runInside, { DATA_DIR: unmounted })).rejects.toThrow(
    `DATA_DIR: ${unmounted} does not exist; mount the volume that it is on, or create the folder for a new relay: mkdir -p ${unmounted}`,
  );
  await expect(start(runInside, { DATABASE_URL: `sqlite:${unmounted}/a.db` })).rejects.toThrow(
    /^DATABASE_URL: the folder .* does not exist; mount/,
  );
  expect(existsSync(join(root, "volume"))).toBe(false);
  // The volume beside it is mounted, and contains the data of another relay.
  mkdirSync(join(root, "one"));
  await start(runInside, { DATA_DIR: join(root, "one") });
  await expect(start(runInside, { DATA_DIR: join(root, "two") })).rejects.toThrow(/two does not exist; mount/);
  expect(existsSync(join(root, "two"))).toBe(false);
  // A link to a volume that is not mounted.
  symlinkSync(unmounted, join(root, "one", "link"));
  await expect(start(runInside, { DATA_DIR: join(root, "one", "link") })).rejects.toThrow(/link does not exist; mount/);
  // Inside a relay's data folder.
  await start(runInside, { DATA_DIR: join(root, "one", "below") });
  expect(existsSync(join(root, "one", "below", "secrets.json"))).toBe(true);
});

it("refuses to start on the database of a newer version, and names both versions", async () => {
  await start();
  await end("stop");
  const file = join(root, "porchlight.db");
  const db = openSqlite(file);
  await db.run("INSERT INTO migrations (number) VALUES (9999)");
  await db.close();
  await expect(start()).rejects.toThrow(
    /^DATABASE_URL: a newer Porchlight .*schema 9999, this version knows up to \d+\)/,
  );
});

it("explains in one sentence why it cannot start on a file instead of a folder", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  const cli = join(import.meta.dirname, "..", "relay", "src", "cli.ts");
  const ended = spawnSync(process.execPath, [cli, "serve"], { env: { ...env, DATA_DIR: file }, encoding: "utf8" });
  expect([ended.status, ended.stderr.trim().split("\n").length]).toEqual([1, 1]);
  expect(ended.stderr).toMatch(/is a file, not a folder/);
});
