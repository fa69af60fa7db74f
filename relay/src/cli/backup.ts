import { constants } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../base/folder.ts";
import { backupSqlite } from "../db/backup.ts";
import { fileOf } from "../db/open.ts";
import { type Command, positionals, type Result } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { progress } from "./progress.ts";

/** Files besides database and media. `.spool` is copied first, because a replay may rename it to `.spool.replaying`. */
const BESIDE = [
  "secrets.json",
  "replies.spool",
  "replies.spool.replaying",
  "recharges.spool",
  "recharges.spool.replaying",
];
/** Folder of incomplete uploads. */
const UNFINISHED = "incoming";

const missing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

async function emptyFolder(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: unknown) => {
    if (missing(error)) return [];
    throw new CommandError(`${folder} is no folder.`, 2);
  });
  if (there.length > 0) throw new CommandError(`${folder} is not empty: name a new folder.`, 2);
  makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
}

/** Copies a file and syncs the copy. @returns its size in bytes; `undefined` when the file does not exist */
async function copy(from: string, to: string): Promise<number | undefined> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    if (missing(error)) return undefined;
    throw error;
  }
  await chmod(to, 0o600);
  const file = await open(to, "r+");
  await file.datasync().finally(() => file.close());
  return (await stat(to)).size;
}

/** The paths of uploaded files, relative to `root`. */
async function mediaIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (missing(error)) return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.startsWith(UNFINISHED));
}

/**
 * Copies everything that a relay needs into a folder that can become its data folder. The order keeps the copy consistent
 * while the relay runs: an entry that leaves a spool meanwhile is in the database, which is copied later; and a file is
 * stored before the database names it.
 */
async function backup({ db, settings }: CommandContext, folder: string): Promise<Result> {
  const { dataDir, databaseUrl, uploads } = settings;
  await emptyFolder(folder);
  for (const name of BESIDE) await copy(join(dataDir, name), join(folder, name));
  if (db.dialect === "sqlite") backupSqlite(fileOf(databaseUrl), join(folder, "porchlight.db"));
  const root = join(dataDir, "media");
  const paths = await mediaIn(root);
  const bar = progress("Files", paths.length);
  let [files, bytes] = [0, 0];
  for (const path of paths) {
    const to = join(folder, "media", path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const size = await copy(join(root, path), to);
    if (size !== undefined) [files, bytes] = [files + 1, bytes + size];
    bar.tick();
  }
  bar.end();
  const elsewhere = [
    ...(db.dialect === "sqlite"
      ? []
      : ["The database is not in it: make that copy now, with pg_dump of DATABASE_URL."]),
    ...(uploads.bucket === undefined ? [] : ["Files are not in it: they lie in the bucket of MEDIA_STORE."]),
  ];
  const lines = [
    `Secrets, spools, ${db.dialect === "sqlite" ? "database, " : ""}and ${files} files are in ${folder}.`,
    ...elsewhere,
    "To restore: stop the relay, put this folder where DATA_DIR points, start it. What was still to be called, and every",
    "grant, waits for a person then: see Backups in relay/docs/guides/operation.md.",
  ];
  return {
    data: { folder, files, bytes, database: db.dialect === "sqlite", elsewhere },
    lines,
    code: elsewhere.length > 0 ? 3 : 0,
  };
}

export const BACKUP: Record<string, Command> = {
  backup: {
    place: "here",
    usage: "<folder>",
    help: "copies database, secrets, spools and files into a new folder, also while the relay runs; exit code 3 when a part is stored elsewhere",
    run: (context, given) => backup(context, positionals(given, "folder").folder),
  },
};
