import { chmod, readdir } from "node:fs/promises";
import { makeFolder } from "../base/folder.ts";
import { copyData } from "../flows/backup/copy-data.ts";
import type { Backups } from "../flows/backup/schedule.ts";
import { allArguments, type Command, positionals, type Result, table } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { progress } from "./progress.ts";

const missing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Creates the folder if it does not exist. @throws CommandError unless it is empty */
async function emptyFolder(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: unknown) => {
    if (missing(error)) return [];
    throw new CommandError(`${folder} is not a folder.`, 2);
  });
  if (there.length > 0) throw new CommandError(`${folder} is not empty: name a new folder.`, 2);
  makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
}

const RESTORE = [
  "To restore: stop the relay, replace the folder DATA_DIR with this one, start the relay. Calls that were still open, and every",
  "grant, then wait for a person: see Backups in relay/docs/guides/operation.md.",
];

async function backup(context: CommandContext, folder: string): Promise<Result> {
  await emptyFolder(folder);
  let bar = progress("Files", 0);
  const { files, bytes, database, elsewhere } = await copyData(context, folder, (count) => {
    bar = progress("Files", count);
    return bar.tick;
  });
  bar.end();
  const lines = [
    `Secrets, spools, ${database ? "database, " : ""}and ${files} files are in ${folder}.`,
    ...elsewhere,
    ...RESTORE,
  ];
  return { data: { folder, files, bytes, database, elsewhere }, lines, code: elsewhere.length > 0 ? 3 : 0 };
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
    subject: allArguments,
    async run(context) {
      const made = await scheduled(context).run();
      const lines = [`${made.name}: ${made.files} files.`, ...made.elsewhere];
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
    async run(context, given) {
      const { backup: name, folder } = positionals(given, "backup", "folder");
      const backups = scheduled(context);
      await emptyFolder(folder);
      await backups.fetch(name, folder).catch((error: Error) => {
        throw new CommandError(`${error.message}.`);
      });
      return { data: { backup: name, folder }, lines: [`${name} is in ${folder}.`, ...RESTORE] };
    },
  },
};
