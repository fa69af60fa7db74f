import { readSecrets, type Secrets } from "../base/secrets.ts";
import type { Database } from "../db/database.ts";
import { isShared } from "../db/database-url.ts";
import { MigrationFailed, migrate } from "../db/migrate.ts";
import { type MovedTable, moveDatabase } from "../db/move.ts";
import { openDatabase } from "../db/open.ts";
import { isAway, placeOf } from "../db/postgres-server.ts";
import { shareSecrets } from "../db/secrets.ts";
import { addAudit } from "../records/operators.ts";
import { holdData } from "../wiring/data-lock.ts";
import { counted, entryOf, record } from "./audit.ts";
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
  "The SQLite file keeps its data, and its audit log names the move: keep it until the new database has proved to work. Files stay in DATA_DIR/media until MEDIA_STORE is set.",
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

/**
 * Moves the database. The audit logs of both get an entry before the first row is copied, and one with the counts when both
 * are equal.
 */
async function moveRecorded(context: CommandContext, to: Database, url: string): Promise<MovedTable[]> {
  const action = "move";
  const subject = `to ${placeOf(url)}`;
  const ended = (moved: MovedTable[]) => {
    const rows = new Map(moved.map(({ table, rows }) => [table, rows]));
    const counts = ["visitor", "message", "lead"].map((noun) => counted(rows.get(`${noun}s`) ?? 0, noun));
    return { action, subject: `${subject}: ${counts.join(", ")}` };
  };
  const moved = await moveDatabase(context.db, to, {
    report: reporter(),
    // The new database gets this entry too, because it is written before the copy.
    onStart: () => record(context, { action, subject: `${subject}: begun` }),
    onEnd: (tx, moved) => addAudit(tx, entryOf(context, ended(moved))),
  });
  await record(context, ended(moved));
  return moved;
}

/** Converts a failure to sentences for the operator: a wrong address, a database in use, a server that ended. */
function failure(error: Error): CommandError {
  if (error instanceof CommandError) return error;
  const cause = error instanceof MigrationFailed ? error.cause : error;
  const next = isAway(cause) ? ". If the move had begun, run it again: it continues" : "";
  return new CommandError(`${error.message.replace("DATABASE_URL: ", "")}${next}.`);
}

async function move(context: CommandContext, url: string): Promise<Result> {
  const { settings } = context;
  if (!isShared(url)) throw new CommandError("--to takes the address of a PostgreSQL database: postgres://…", 2);
  if (isShared(settings.databaseUrl)) throw new CommandError("DATABASE_URL names PostgreSQL already.", 2);
  // No relay may write during the move.
  const lock = holdData(settings);
  try {
    return await moveTo(context, url).catch((error: Error) => {
      throw failure(error);
    });
  } finally {
    lock.release();
  }
}

/** Moves the database to this address. */
async function moveTo(context: CommandContext, url: string): Promise<Result> {
  const to = await openDatabase(url);
  try {
    await migrate(to);
    await moveSecrets(to, readSecrets(context.settings.dataDir));
    const moved = await moveRecorded(context, to, url);
    return { data: { moved }, lines: [...table(["TABLE", "ROWS", "SHA-256"], moved.map(cells)), "", ...NEXT] };
  } finally {
    await to.close();
  }
}

const cells = ({ table: name, rows, hash }: MovedTable): [string, number, string] => [name, rows, hash.slice(0, 16)];

export const MOVE: Record<string, Command> = {
  move: {
    place: "here",
    usage: "--to <postgres://…>",
    help: "copies the SQLite database of a stopped relay into an empty PostgreSQL database, and compares both; continues an interrupted move",
    options: { to: { type: "string" } },
    run: (context, given) => move(context, requiredOption(given, "to")),
  },
};
