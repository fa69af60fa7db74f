import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { manualClock } from "../../base/clock.fixture.ts";
import type { Bucket, Settings } from "../../base/config.ts";
import { silentLog } from "../../base/log.ts";
import { createBackups } from "./schedule.ts";

const UPLOADS: Settings["uploads"] = {
  caps: { image: 0, av: 0, document: 0 },
  quota: { visitor: 0, site: 0 },
  perMinute: 0,
  embed: false,
};
/** The content of the backup folder each time a folder was opened to sync it, oldest first. */
const synced: { path: string; held: string[] }[] = [];
let root: string;
/** The objects of the bucket, by key. */
const objects = new Map<string, string>();
const openBucket = () => ({
  put: async (key: string, path: string) => void objects.set(key, readFileSync(path, "utf8")),
  get: async (key: string) => {
    const text = objects.get(key);
    return text === undefined ? undefined : Readable.from([Buffer.from(text)]);
  },
  remove: async (key: string) => void objects.delete(key),
  close: async () => {},
});

/** Records the folders that are opened through `fs` from now on. */
function watchFolders(): void {
  const note = (path: unknown): void => {
    if (statSync(String(path)).isDirectory()) synced.push({ path: String(path), held: readdirSync(root).sort() });
  };
  const { openSync } = fs;
  const { open } = fs.promises;
  vi.spyOn(fs, "openSync").mockImplementation((path, ...more) => {
    note(path);
    return openSync(path, ...more);
  });
  vi.spyOn(fs.promises, "open").mockImplementation((path, ...more) => {
    if (more[0] === "r") note(path);
    return open(path, ...more);
  });
  syncBuiltinESMExports();
}

beforeEach(() => {
  objects.clear();
  root = mkdtempSync(join(tmpdir(), "porchlight-"));
  mkdirSync(join(root, "data", "media", "ab"), { recursive: true });
  writeFileSync(join(root, "data", "media", "ab", "abc"), "a picture");
  synced.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true, force: true });
});

/** Scheduled backups of a relay on PostgreSQL into this folder, of which the newest is kept. */
const backupsInto = (folder: string, clock = manualClock(1_000_000)) => backupsOf({ folder }, clock);

/** Scheduled backups into a folder, or into the bucket of this test. */
const backupsOf = (place: { folder: string } | { bucket: Bucket }, clock = manualClock(1_000_000)) =>
  createBackups({
    db: { dialect: "postgres" },
    clock,
    log: silentLog,
    works: () => true,
    openBucket,
    settings: {
      dataDir: join(root, "data"),
      databaseUrl: "postgres://localhost/none",
      uploads: UPLOADS,
      backups: { ...place, every: 1_000, keep: 1 },
    },
  });

it("a scheduled backup replaces the old one only when the new one is on the disk, with its folders", async () => {
  const folder = join(root, "backups");
  const clock = manualClock(1_000_000);
  const backups = backupsInto(folder, clock);
  const first = await backups?.run();
  clock.skip(1_000);
  root = folder;
  watchFolders();
  const second = await backups?.run();
  const copy = join(folder, "backup.partial");
  expect(synced.map(({ path }) => path)).toEqual([join(copy, "media"), join(copy, "media", "ab"), copy, folder]);
  expect(synced.at(-1)?.held).toEqual([first?.name, second?.name]);
  expect(readdirSync(folder)).toEqual([second?.name]);
  expect(readdirSync(join(folder, second?.name ?? ""), { recursive: true })).toContain(join("media", "ab", "abc"));
  await backups?.stop();
});

it("a scheduled backup contains the files of visitors and the help articles of the owner", async () => {
  mkdirSync(join(root, "data", "help"));
  writeFileSync(join(root, "data", "help", "default.json"), '[{"title": "Returns", "url": "/returns"}]');
  const folder = join(root, "backups");
  const made = await backupsInto(folder)?.run();
  const held = readdirSync(join(folder, made?.name ?? ""), { recursive: true });
  expect(held.map(String).sort()).toEqual(["help", "help/default.json", "media", "media/ab", "media/ab/abc"]);
});

describe("a bucket whose index somebody else has written", () => {
  const NAME = "porchlight-20261123T090000000Z";
  const bucket = { bucket: "b", prefix: "", region: "", endpoint: "", keyId: "", secret: "" };

  it.each(["../escaped", "media/../../escaped", "..", "%2e%2e/escaped", "..\\escaped"])(
    "cannot make a restore write to %s, nor a clean-up delete there",
    async (path) => {
      objects.set("backups.json", JSON.stringify({ [NAME]: ["secrets.json", path] }));
      objects.set(`${NAME}/secrets.json`, "{}").set(`${NAME}/${path}`, "hostile");
      const backups = backupsOf({ bucket });
      const target = join(root, "restored");
      await expect(backups?.fetch(NAME, target)).rejects.toThrow("outside of its backup");
      expect([existsSync(target), existsSync(join(root, "escaped"))]).toEqual([false, false]);
      await expect(backups?.run()).rejects.toThrow("outside of its backup");
      expect(objects.has(`${NAME}/${path}`)).toBe(true);
      await backups?.stop();
    },
  );

  it("still restores files whose names have dots", async () => {
    objects.set("backups.json", JSON.stringify({ [NAME]: ["help/a..b.json"] })).set(`${NAME}/help/a..b.json`, "[]");
    const backups = backupsOf({ bucket });
    await backups?.fetch(NAME, join(root, "restored"));
    expect(readFileSync(join(root, "restored", "help", "a..b.json"), "utf8")).toBe("[]");
    await backups?.stop();
  });
});
