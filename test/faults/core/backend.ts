import type { Database, Value } from "../../../relay/src/db/database.ts";
import type { Suspension } from "./suspension.ts";
import type { World } from "./world.ts";

/** A node of the simulated world, as the other nodes and the database see it. */
export type Member = { node: string; alive: () => boolean; suspension: Suspension; receive: (text: string) => void };

type Lease = { name: string; node: string; until: number };

/**
 * What several nodes of a simulated world share: one database, whose leases say which node sends, and a link that loses some of
 * the hints. It outlives every node: a statement that was sent runs although its node ends.
 */
export type Backend = {
  disk: Database;
  /** Runs a statement of the leases or of the paces, which are written for PostgreSQL. Resolves to its rows. */
  all: <Row>(sql: string, values: readonly Value[]) => Promise<Row[]>;
  /** The other node that holds a lease now, by the clock of the database. */
  heldElsewhere: (name: string, node: string) => string | undefined;
  join: (member: Member) => void;
  /** Sends a text to every other node; each loses it with probability `loss`. */
  send: (from: Member, text: string, loss: number) => void;
  /** Violations that are found by comparing nodes. */
  violations: string[];
  /** How many more times a node is stopped at a moment that matters. */
  stalls: number;
  /** Node by message: which one logged its delivery. */
  delivered: Map<string, string>;
  /** The service told a node to make no call before this time, and the node had time to store that. */
  waitUntil: number;
};

/** The columns of `relay/src/db/migrations` that SQLite does not have. */
const LEASES = `CREATE TABLE leases (name TEXT PRIMARY KEY, node TEXT NOT NULL, epoch INTEGER NOT NULL,
  until INTEGER NOT NULL, pace TEXT, pace_node TEXT, pace_at INTEGER)`;

/** Translates the statements of `db/leases` and `db/paces` from PostgreSQL to SQLite. @param now the parameter with the time */
const translated = (sql: string, now: string): string =>
  sql
    .replaceAll("CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)", now)
    .replace("unnest(string_to_array($1, ' ')) AS name", `(SELECT value AS name FROM json_each(${LIST}))`)
    .replace("= ANY (string_to_array($1, ' '))", `IN (SELECT value FROM json_each(${LIST}))`)
    .replace(" FOR UPDATE", "");
const LIST = `'["' || replace($1, ' ', '","') || '"]'`;

/** Milliseconds since 1970 at the start of the world, by the clock of the database. */
const START = Date.UTC(2026, 10, 21);

/** @param disk the database, whose schema is current */
export async function openBackend(world: World, disk: Database): Promise<Backend> {
  await disk.run(LEASES);
  const members = new Set<Member>();
  const now = (): number => START + Math.floor(world.now());
  let leases: readonly Lease[] = [];
  return {
    disk,
    all: <Row>(sql: string, values: readonly Value[]) =>
      disk.transaction(async (tx) => {
        const rows = await tx.all<Row>(translated(sql, `$${values.length + 1}`), ...values, now());
        leases = await tx.all<Lease>("SELECT name, node, until FROM leases");
        return rows;
      }),
    heldElsewhere: (name, node) =>
      leases.find((lease) => lease.name === name && lease.node !== node && lease.until >= now())?.node,
    join: (member) => void members.add(member),
    send(from, text, loss) {
      for (const member of members) {
        if (!member.alive()) members.delete(member);
        else if (member !== from && !world.chance(loss))
          world.after(world.pick(1, 20), () =>
            member.suspension.run(() => void (member.alive() && member.receive(text))),
          );
      }
    },
    violations: [],
    stalls: 0,
    delivered: new Map(),
    waitUntil: 0,
  };
}
