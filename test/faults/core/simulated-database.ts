/** The database as a simulated process uses it. */

import type { Batch, Database } from "../../../relay/src/db/database.ts";
import type { Core } from "./core.ts";
import { ACCOUNT } from "./member.ts";
import { guarded, pause, rejectWhileAlive, type SimulatedProcess } from "./simulated-process.ts";

/** Whether an item of a batch records the answer to a call (`Conclusion` of relay/src/flows/courier). */
const isConclusion = (item: unknown): boolean => typeof item === "object" && item !== null && "entry" in item;

/**
 * Wraps a database: time passes around every statement, writes fail while the disk is full, and the process may end at any
 * of them. Among several nodes, it also checks that a node that records an answer has the lease.
 */
export function createSimulatedDatabase(process: SimulatedProcess, core: Core, disk: Database): Database {
  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    const rows = await work().catch((error: unknown) => rejectWhileAlive(process, error));
    await pause(process);
    return rows;
  };
  const write = <T>(work: () => Promise<T>): Promise<T> => guarded(process, work);
  const fenced = createFences(process, core);
  return {
    dialect: "sqlite",
    lock: disk.lock,
    all: (sql, ...values) => read(() => disk.all(sql, ...values)),
    run: (sql, ...values) => write(() => disk.run(sql, ...values)),
    each: (sql, lists) => read(() => disk.each(sql, lists)),
    anyOf: (sql, list) => read(() => disk.anyOf(sql, list)),
    runEach: (sql, lists) => write(() => disk.runEach(sql, lists)),
    transaction: (body) => write(() => disk.transaction(body)),
    longTransaction: (body) => write(() => disk.longTransaction(body)),
    append: (work, item) => write(() => disk.append(fenced(work) as typeof work, item)),
    scrub: disk.scrub,
    close: disk.close,
  };
}

/**
 * Adds a check to a batch, in the same transaction: no other node has the lease of what the batch recorded. A process without
 * other nodes gets the batch itself. The same batch gives the same result, because the database groups by it.
 */
function createFences({ backend, name, violations }: SimulatedProcess, core: Core) {
  const fences = new Map<unknown, Batch<unknown, unknown>>();
  return (given: unknown): Batch<unknown, unknown> => {
    const work = given as Batch<unknown, unknown>;
    const known = backend === undefined ? work : fences.get(work);
    if (known !== undefined) return known;
    const made: typeof work = async (tx, items) => {
      const results = await work(tx, items);
      const [lease] = await tx.all<{ node: string }>(
        "SELECT node FROM leases WHERE name = $1",
        core.accountLease(ACCOUNT),
      );
      if (items.some(isConclusion) && lease?.node !== name)
        violations.push(`fencing: ${name} recorded an answer, but ${lease?.node} has the lease`);
      return results;
    };
    fences.set(work, made);
    return made;
  };
}
