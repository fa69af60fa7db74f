import { chmod, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { makeFolder } from "../base/folder.ts";
import { isMissingPath } from "../base/missing-path.ts";
import { copyData, filesIn } from "../flows/backup/copy-data.ts";
import type { Backups } from "../flows/backup/schedule.ts";
import { countVisitors } from "../records/listings.ts";
import { counted, record, recordCopy } from "./audit.ts";
import { type Command, positionals, type Result, table } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { progress } from "./progress.ts";

/** Creates the folder if it does not exist. @throws CommandError unless it is empty */
async function emptyFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (isMissingPath(error)) return [];
    throw new CommandError(`${folder} is not a folder.`, 2);
  });
  if (entries.length > 0) throw new CommandError(`${folder} is not empty: name a new folder.`, 2);
  makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
}

const RESTORE = [
  "To restore: stop the relay, replace the folder DATA_DIR with this one, start the relay. Calls that were still open, and every",
  "grant, then wait for a person: see Backups in relay/docs/guides/operation.md.",
];

/** What a copy contains. */
const contentsOf = ({ database, files }: { database: boolean; files: number }): string =>
  `secrets, spools, ${database ? "database, " : ""}and ${counted(files, "file")}`;

/** Copies the relay's data into a folder. @returns also the counts for the audit log */
async function copyTo(context: CommandContext, folder: string): Promise<Result & { counts: string }> {
  let bar = progress("Files", 0);
  const { files, bytes, database, elsewhere } = await copyData(context, folder, (count) => {
    bar = progress("Files", count);
    return bar.tick;
  });
  bar.end();
  const lines = [`${folder} has the ${contentsOf({ database, files })}.`, ...elsewhere, ...RESTORE];
  const visitors = database ? `database of ${counted(await countVisitors(context.db), "visitor")}, ` : "";
  const data = { folder, files, bytes, database, elsewhere };
  return { data, lines, code: elsewhere.length > 0 ? 3 : 0, counts: `${visitors}${counted(files, "file")}` };
}

async function backup(context: CommandContext, folder: string): Promise<Result> {
  await emptyFolder(folder);
  const recorded = { action: "backup", subject: `to ${resolve(folder)}` };
  const { counts, ...result } = await recordCopy(context, recorded, () => copyTo(context, folder));
  return result;
}

/** Writes a backup of the bucket into a folder. @throws CommandError when it cannot be read */
async function fetchBackup(context: CommandContext, name: string, folder: string): Promise<Result> {
  const backups = scheduled(context);
  await emptyFolder(folder);
  const recorded = { action: "backup fetch", subject: `${name} to ${resolve(folder)}` };
  await recordCopy(context, recorded, async () => {
    await backups.fetch(name, folder).catch((error: Error) => {
      throw new CommandError(`${error.message}.`);
    });
    return { counts: counted((await filesIn(folder)).length, "file") };
  });
  return { data: { backup: name, folder }, lines: [`${name} is in ${folder}.`, ...RESTORE] };
}

/** The scheduled backups. @throws CommandError when the settings name no place for them */
function scheduled({ backups }: CommandContext): Backups {
  if (backups === undefined) throw new CommandError("There are no scheduled backups: set BACKUP_TO.");
  return backups;
}

export const BACKUP: Record<string, Command> = {
  backup: {
    place: "here",
    usage: "<folder>",
    help: "copies database, secrets, spools and files into a new folder, also while the relay runs; exit code 3 when a part is stored elsewhere",
    run: (context, given) => backup(context, positionals(given, "folder").folder),
  },
  "backup run": {
    usage: "",
    help: "makes a scheduled backup now (BACKUP_TO), and deletes the oldest ones above BACKUP_KEEP",
    async run(context) {
      const made = await scheduled(context).run();
      await record(context, { action: "backup run", subject: `${made.name}: ${counted(made.files, "file")}` });
      const lines = [`${made.name} has the ${contentsOf(made)}.`, ...made.elsewhere];
      return { data: made, lines, code: made.elsewhere.length > 0 ? 3 : 0 };
    },
  },
  "backup list": {
    usage: "",
    help: "lists the scheduled backups, oldest first",
    async run(context) {
      const all = (await scheduled(context).list()).map(({ name, at }) => ({ name, at: new Date(at).toISOString() }));
      const cells = all.map(({ name, at }) => [name, at]);
      return { data: all, lines: all.length === 0 ? ["None yet."] : table(["BACKUP", "MADE"], cells) };
    },
  },
  "backup fetch": {
    place: "here",
    usage: "<backup> <folder>",
    help: "writes a backup of the bucket into a new folder, which can become the data folder",
    run(context, given) {
      const { backup: name, folder } = positionals(given, "backup", "folder");
      return fetchBackup(context, name, folder);
    },
  },
};
