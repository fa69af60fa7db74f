import { readSecrets, type Secrets } from "../base/secrets.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { type Moved, moveDatabase } from "../db/move.ts";
import { isShared, openDatabase } from "../db/open.ts";
import { shareSecrets } from "../db/secrets.ts";
import { holdData } from "../wiring/data-lock.ts";
import { type Command, type Result, requiredOption, table } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";

/** Reports the progress of each table: on a terminal in one line, elsewhere with one line per table. */
function reporter(out: NodeJS.WriteStream = process.stderr): (name: string, rows: number, total: number) => void {
  return (name, rows, total) => {
    if (out.isTTY) out.write(`\r${name}: ${rows} of ${total}${rows >= total ? "\n" : ""}`);
    else if (rows >= total) out.write(`${name}: ${rows} of ${total}\n`);
  };
}

const NEXT = [
  "Both databases contain the same data. Next: set DATABASE_URL of every node to the new address, and start the relay.",
  "The SQLite file is unchanged: keep it until the new database has proved to work. Files stay in DATA_DIR/media until MEDIA_STORE is set.",
];

/**
 * Stores the secrets in the target: sessions and callback addresses stay valid only with them.
 * @throws CommandError when the target has other secrets, because a relay was started on it before
 */
async function moveSecrets(to: Database, own: Secrets): Promise<void> {
  const shared = await shareSecrets(to, () => own);
  const names = Object.keys(shared) as (keyof Secrets)[];
  if (names.some((name) => shared[name] !== own[name]))
    throw new CommandError("The PostgreSQL database has the secrets of another relay; create an empty database.");
}

async function move({ settings, db }: CommandContext, url: string): Promise<Result> {
  if (!isShared(url)) throw new CommandError("--to takes the address of a PostgreSQL database: postgres://…", 2);
  if (isShared(settings.databaseUrl)) throw new CommandError("DATABASE_URL names PostgreSQL already.", 2);
  // No relay may write during the move.
  const lock = holdData(settings);
  try {
    const to = await openDatabase(url);
    try {
      await migrate(to);
      await moveSecrets(to, readSecrets(settings.dataDir));
      const moved = await moveDatabase(db, to, reporter());
      return { data: { moved }, lines: [...table(["TABLE", "ROWS", "SHA-256"], moved.map(cells)), "", ...NEXT] };
    } finally {
      await to.close();
    }
  } finally {
    lock.release();
  }
}

const cells = ({ table: name, rows, hash }: Moved): [string, number, string] => [name, rows, hash.slice(0, 16)];

export const MOVE: Record<string, Command> = {
  move: {
    place: "here",
    usage: "--to <postgres://…>",
    help: "copies the SQLite database of a stopped relay into an empty PostgreSQL database, and compares both; continues an interrupted move",
    options: { to: { type: "string" } },
    run: (context, given) => move(context, requiredOption(given, "to")),
  },
};
