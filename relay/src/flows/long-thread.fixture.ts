import type { Database, Transaction } from "../db/database.ts";
import { addEvent } from "../records/events.ts";
import { addVisitor } from "../records/visitors.ts";

/** The visitor of `addLongThread`, and the id from before a login. */
export const LONG_THREAD = "v_1";
const FORMER = "v_before_the_login";
export const MESSAGES = 1_200;

const TABLES = ["messages", "outbox", "tries", "events"];

/** Number of rows in the tables that may have very many rows of one visitor. */
export async function countRows(tx: Pick<Transaction, "all">): Promise<number> {
  let rows = 0;
  for (const table of TABLES) rows += (await tx.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n ?? 0;
  return rows;
}

/** Adds a visitor with so many messages that a deletion takes many transactions. All of them are old and were sent. */
export const addLongThread = (db: Database): Promise<void> =>
  db.transaction(async (tx) => {
    await addVisitor(tx, LONG_THREAD, "default", 1);
    await tx.run("UPDATE visitors SET head = $1", MESSAGES);
    await tx.runEach(
      "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ('v_1', $1, $1, $2, 'visitor', 1, 'hello')",
      numbers.map((pos) => [pos, `m-${pos}`]),
    );
  });

/** Adds other rows of such a visitor: outbox entries after a failed try, and events under the id from before a login. */
export const addLongOutbox = (db: Database): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.runEach(
      "INSERT INTO outbox (visitor, turn, pos, account, due, expires) VALUES ('v_1', $1, $1, 'main', 1, 2)",
      numbers.map((pos) => [pos]),
    );
    await tx.runEach(
      "INSERT INTO tries (visitor, pos, attempt, at) VALUES ('v_1', $1, 1, 1)",
      numbers.map((pos) => [pos]),
    );
    await tx.run("INSERT INTO forgotten (visitor, at, successor) VALUES ($1, 1, 'v_1')", FORMER);
    for (const pos of numbers)
      await addEvent(tx, {
        id: `e-${pos}`,
        site: "default",
        visitor: FORMER,
        type: "message.visitor",
        body: "{}",
        at: 1,
      });
  });

const numbers = Array.from({ length: MESSAGES }, (_, n) => n + 1);

/** A message that the visitor of the long thread writes later. @param at its time, milliseconds since 1970 */
export const writeAgain = (tx: Transaction, at: number): Promise<number> =>
  tx.run(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ('v_1', 9999, 9999, 'm-later', 'visitor', $1, 'hello')",
    at,
  );

/**
 * The database, which calls `between` after each transaction. An error of `between` looks like the end of the process: nothing
 * after that transaction happens.
 */
export const interceptCommits = (db: Database, between: (commit: number) => Promise<void>): Database => {
  let commits = 0;
  return {
    ...db,
    async transaction(work, ...keys) {
      const done = await db.transaction(work, ...keys);
      await between(++commits);
      return done;
    },
  };
};
