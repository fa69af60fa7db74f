import { constants } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Settings } from "../../base/config.ts";
import { isMissingPath } from "../../base/missing-path.ts";
import { syncFolders } from "../../base/sync.ts";
import { backupOnThread } from "../../db/backup.ts";
import type { Database } from "../../db/database.ts";
import { fileOf } from "../../db/database-url.ts";

/**
 * Files of the data folder besides database, media and help articles. `.spool` is copied first, because a replay may rename it
 * to `.spool.replaying`.
 */
const OTHER_FILES = [
  "secrets.json",
  "replies.spool",
  "replies.spool.replaying",
  "recharges.spool",
  "recharges.spool.replaying",
];
/** Folder of the owner's help articles. */
const HELP = "help";
/** Folder of incomplete uploads. */
const UNFINISHED = "incoming";

/** Copies a file and syncs the copy. @returns its size in bytes; `undefined` when the file does not exist */
async function copy(from: string, to: string): Promise<number | undefined> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    if (isMissingPath(error)) return undefined;
    throw error;
  }
  await chmod(to, 0o600);
  const file = await open(to, "r+");
  await file.datasync().finally(() => file.close());
  return (await stat(to)).size;
}

/** Copies a file of the data folder to the same path below `folder`. @returns its size in bytes; `undefined` when it is gone */
async function copyInto(folder: string, dataDir: string, path: string): Promise<number | undefined> {
  const to = join(folder, path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  return copy(join(dataDir, path), to);
}

/** The paths of all files of a folder, relative to it. */
export async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissingPath(error)) return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** What a copy holds. `elsewhere`: parts that are not in it, each as a sentence that says what to do. */
export type Copied = { files: number; bytes: number; database: boolean; elsewhere: string[] };

type Source = { db: Pick<Database, "dialect">; settings: Pick<Settings, "dataDir" | "databaseUrl" | "uploads"> };

/**
 * Copies everything that a relay needs into an empty folder that can become its data folder. The order keeps the copy
 * consistent while the relay runs: an entry that leaves a spool meanwhile is in the database, which is copied later; and a
 * file is stored before the database names it. When it resolves, the copy survives a power cut.
 * @param onFiles gets the number of uploaded files, and returns a function that is called after each file
 */
export async function copyData(
  { db, settings: { dataDir, databaseUrl, uploads } }: Source,
  folder: string,
  onFiles: (count: number) => () => void = () => () => {},
): Promise<Copied> {
  for (const name of OTHER_FILES) await copy(join(dataDir, name), join(folder, name));
  const database = db.dialect === "sqlite";
  if (database) await backupOnThread(fileOf(databaseUrl), join(folder, "porchlight.db"));
  for (const path of await filesIn(join(dataDir, HELP))) await copyInto(folder, dataDir, join(HELP, path));
  const paths = (await filesIn(join(dataDir, "media"))).filter((path) => !path.startsWith(UNFINISHED));
  const tick = onFiles(paths.length);
  let [files, bytes] = [0, 0];
  for (const path of paths) {
    const size = await copyInto(folder, dataDir, join("media", path));
    if (size !== undefined) [files, bytes] = [files + 1, bytes + size];
    tick();
  }
  await syncFolders(folder);
  const elsewhere = [
    ...(database ? [] : ["The copy lacks the database: copy it now, with pg_dump of DATABASE_URL."]),
    ...(uploads.bucket === undefined ? [] : ["The copy lacks the files: they are in the bucket of MEDIA_STORE."]),
  ];
  return { files, bytes, database, elsewhere };
}
