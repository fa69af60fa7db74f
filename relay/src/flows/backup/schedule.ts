import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../../base/clock.ts";
import type { Bucket, Settings } from "../../base/config.ts";
import type { Log } from "../../base/log.ts";
import { createPoll } from "../../base/poll.ts";
import type { BackupRules } from "../../base/settings/shape.ts";
import { syncFolder } from "../../base/sync.ts";
import type { Database } from "../../db/database.ts";
import { createS3Files } from "../../files/s3.ts";
import type { Files } from "../../files/store.ts";
import { type Copied, copyData, filesIn } from "./copy-data.ts";

/** A backup that is complete. `at`: milliseconds since 1970. */
export type Backup = { name: string; at: number };

/** Where backups are stored: a folder or a bucket. */
type BackupStore = {
  /** Complete backups, oldest first. */
  list: () => Promise<Backup[]>;
  /** Stores a complete copy. `list` returns it only when all of it is stored. When this resolves, it survives a power cut. */
  add: (name: string, folder: string) => Promise<void>;
  remove: (name: string) => Promise<void>;
  /** Writes a backup into an empty folder. */
  fetch: (name: string, folder: string) => Promise<void>;
  close: () => Promise<void>;
};

const NAME = /^porchlight-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/;
const nameOf = (at: number): string => `porchlight-${new Date(at).toISOString().replaceAll(/[-:.]/g, "")}`;
function atOf(name: string): number {
  const [, y, mo, d, h, mi, s, ms] = NAME.exec(name) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`);
}
const listed = (names: readonly string[]): Backup[] =>
  names
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => ({ name, at: atOf(name) }));

/** Keeps each backup as a subfolder of `root`. */
function folderStore(root: string): BackupStore {
  return {
    list: async () => listed(await readdir(root).catch(() => [])),
    async add(name, folder) {
      await rename(folder, join(root, name));
      syncFolder(root);
    },
    remove: (name) => rm(join(root, name), { recursive: true, force: true }),
    fetch: async () => {
      throw new Error(`The backup is a folder in ${root}: use it as it is`);
    },
    close: async () => {},
  };
}

/** The object that lists the backups of a bucket, each with the paths of its files. */
const INDEX = "backups.json";
type Index = Record<string, readonly string[]>;

/** A path that leads out of its folder, also where an address spells the dots `%2e`. */
const LEADS_OUT = /(?:^|[/\\])(?:\.|%2e){2}(?:[/\\]|$)/i;

/**
 * Reads the index. Somebody who can write to the bucket must not decide which other files a restore writes or a clean-up
 * deletes.
 * @throws Error when it is not an index, or names a path outside of its backup
 */
function indexIn(text: string): Index {
  const index = JSON.parse(text) as Index;
  for (const path of Object.values(index).flat())
    if (typeof path !== "string" || LEADS_OUT.test(path))
      throw new Error(`${INDEX} names a file outside of its backup: ${path}`);
  return index;
}

async function textOf(files: Files, key: string): Promise<string | undefined> {
  const stream = await files.get(key);
  if (stream === undefined) return undefined;
  const parts: Buffer[] = [];
  for await (const part of stream as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Backups as objects of a bucket. A backup is in the index only when all of its objects are stored. */
function bucketStore(files: Files, scratch: string): BackupStore {
  const index = async (): Promise<Index> => indexIn((await textOf(files, INDEX)) ?? "{}");
  async function write(next: Index): Promise<void> {
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const path = join(scratch, INDEX);
    await writeFile(path, JSON.stringify(next), { mode: 0o600 });
    await files.put(INDEX, path, "application/json");
  }
  return {
    list: async () => listed(Object.keys(await index())),
    async add(name, folder) {
      const paths = await filesIn(folder);
      for (const path of paths) await files.put(`${name}/${path}`, join(folder, path), "application/octet-stream");
      await write({ ...(await index()), [name]: paths });
      await rm(folder, { recursive: true, force: true });
    },
    async remove(name) {
      const { [name]: paths = [], ...rest } = await index();
      await write(rest);
      for (const path of paths) await files.remove(`${name}/${path}`);
    },
    async fetch(name, folder) {
      const { [name]: paths } = await index();
      if (paths === undefined) throw new Error(`There is no backup ${name}`);
      for (const path of paths) {
        const stream = await files.get(`${name}/${path}`);
        if (stream === undefined) throw new Error(`The file ${path} of ${name} is missing`);
        const target = join(folder, path);
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await pipeline(stream, createWriteStream(target, { mode: 0o600 }));
      }
    },
    close: files.close,
  };
}

type BackupsDeps = {
  db: Pick<Database, "dialect">;
  clock: Clock;
  log: Log;
  settings: Pick<Settings, "dataDir" | "databaseUrl" | "uploads" | "backups">;
  /** Whether this node makes the scheduled backups. */
  works: () => boolean;
  /** Opens the bucket of the settings. */
  openBucket?: (bucket: Bucket) => Files;
};

/** Interval at which the time of the newest backup is compared with the schedule, in ms. */
const CHECK_MS = 10 * 60_000;

/** The backups of a relay. */
export type Backups = {
  /** The complete backups, oldest first. */
  list: () => Promise<Backup[]>;
  /** Makes a backup now, and deletes the oldest ones beyond the number to keep. */
  run: () => Promise<Backup & Copied>;
  /** Writes a backup of a bucket into an empty folder. */
  fetch: (name: string, folder: string) => Promise<void>;
  /** Starts the schedule. */
  start: () => void;
  /** Ends the schedule. Resolves when the backup under way has ended. */
  stop: () => Promise<void>;
};

/** Creates the scheduled backups. @returns undefined when the settings name no folder and no bucket for them */
export function createBackups(deps: BackupsDeps): Backups | undefined {
  const { clock, log, settings, openBucket = createS3Files } = deps;
  const rules = settings.backups;
  if (rules === undefined) return undefined;
  const scratch = join(rules.folder ?? settings.dataDir, "backup.partial");
  const store =
    rules.bucket === undefined ? folderStore(rules.folder ?? "") : bucketStore(openBucket(rules.bucket), scratch);
  let last: Promise<unknown> = Promise.resolve();
  // Backups run one after the other: a backup that is requested now contains what is stored now.
  const run = (): Promise<Backup & Copied> => {
    const next = last.then(() => makeBackup(deps, rules, store, scratch));
    last = next.catch(() => {});
    return next;
  };
  const poll = createPoll({
    clock,
    every: CHECK_MS,
    run: async () => {
      const newest = (await store.list()).at(-1)?.at ?? 0;
      if (deps.works() && clock.now() - newest >= rules.every) await run();
    },
    onError: (error) => log("backup.failed", { cause: String(error) }),
  });
  return {
    list: store.list,
    run,
    fetch: store.fetch,
    start: poll.start,
    async stop() {
      await poll.stop();
      await last;
      await store.close();
    },
  };
}

async function makeBackup(deps: BackupsDeps, { keep }: BackupRules, store: BackupStore, scratch: string) {
  const { clock, log } = deps;
  const at = clock.now();
  const name = nameOf(at);
  // An earlier process may have left an unfinished folder of this name.
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const copied = await copyData(deps, scratch);
  await store.add(name, scratch);
  const all = await store.list();
  for (const old of all.slice(0, Math.max(0, all.length - keep))) await store.remove(old.name);
  const { files, bytes, elsewhere } = copied;
  log("backup.done", { name, files, bytes, ...(elsewhere.length > 0 && { elsewhere }) });
  return { name, at, ...copied };
}
