/** Failures between the nodes and PostgreSQL (RELIABILITY S8). */

import { setTimeout as pause } from "node:timers/promises";
import type { NodesTestbed } from "../../nodes/testbed.ts";
import { until } from "../process/testbed.ts";

/** The time during which a part was down, by `performance.now()`. */
export type Downtime = { from: number; to: number };

/** Every how many COMMITs a connection is cut. */
const CUT_EVERY = 3;
/**
 * The cuts end when this number of COMMITs of visitors' messages have lost their answers. As many connections are cut before a
 * COMMIT as after one.
 */
const DROPPED = 5;
/** How long every connection to the database is busy, in ms: longer than a statement waits for a free one (3 s). */
const BUSY_MS = 5_000;

/**
 * Cuts connections at some of the COMMITs: before PostgreSQL gets them, or after it has committed, so that the answer is lost.
 * Kills PostgreSQL between the last of these COMMITs and its answer.
 */
export async function cutCommits({ cutter, postgres, tabs }: NodesTestbed): Promise<Downtime> {
  const from = performance.now();
  const { promise: killed, resolve, reject } = Promise.withResolvers<void>();
  cutter.every = CUT_EVERY;
  cutter.onCommitted = () => {
    // Send again before the relay shows what it has stored. Afterwards the tabs would have nothing to send again.
    for (const tab of tabs) tab.resend();
    if (cutter.every === 0 || cutter.dropped < DROPPED) return;
    cutter.every = 0;
    postgres.kill().then(resolve, reject);
  };
  await killed;
  await postgres.start();
  return { from, to: performance.now() };
}

/** All tables but those by which nodes know of each other. */
const TABLES = `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
  WHERE schemaname = 'public' AND tablename NOT IN ('leases', 'nodes')`;
/** The error of a statement that found no free connection for 3 s. */
const NONE_FREE = "timeout exceeded when trying to connect";

/** Locks the tables until every connection of the sending node waits for a lock, and another statement finds none free. */
export async function keepBusy(testbed: NodesTestbed): Promise<Downtime> {
  const from = performance.now();
  const full = await testbed.db.transaction(async (tx) => {
    await tx.all("SELECT set_config('idle_in_transaction_session_timeout', '0', true)");
    const [tables] = await tx.all<{ names: string }>(TABLES);
    await tx.run(`LOCK TABLE ${tables?.names} IN ACCESS EXCLUSIVE MODE`);
    // Each visitor comes back and asks for the thread.
    for (const tab of testbed.tabs) tab.cut();
    await pause(BUSY_MS);
    return until(() => (testbed.processes[0]?.lines ?? []).some((line) => line.includes(NONE_FREE)));
  });
  if (!full) throw new Error("The node that sends still had a free connection");
  return { from, to: performance.now() };
}
