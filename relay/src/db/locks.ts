import { hash } from "node:crypto";

/**
 * Advisory locks of PostgreSQL that end with their transaction. They replace SQLite's single writer: a transaction without keys
 * runs alone, and transactions with different keys run in parallel (relay/docs/decisions/14-postgresql.md).
 */

/** The lock of the whole database: a transaction with keys shares it, one without keys holds it alone. */
const ALL = "7235416889254612";
/** The number of a key's lock. Two keys with the same number are harmless: they only wait for each other. */
const numberOf = (key: string): bigint => hash("sha1", key, "buffer").readBigInt64BE(0);

/** The numbers of these keys' locks, each once, in the order in which every transaction takes them. */
const numbersOf = (keys: Iterable<string>): bigint[] => {
  const numbers = [...new Set(Array.from(new Set(keys), numberOf))];
  return numbers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
};

type Statement = readonly [sql: string, values: readonly string[]];

/**
 * Waits for the locks of a transaction. One parameter for all keys, so that the statement stays the same for any number of them,
 * and PostgreSQL prepares it once.
 * @param keys absent: the transaction runs alone
 */
export const lockStatement = (keys: Iterable<string> | undefined): Statement =>
  keys === undefined
    ? [`SELECT pg_advisory_xact_lock(${ALL})`, []]
    : [
        `SELECT pg_advisory_xact_lock_shared(${ALL}), (SELECT count(pg_advisory_xact_lock(key)) FROM unnest($1::bigint[]) AS key)`,
        [`{${numbersOf(keys).join()}}`],
      ];

/** A statement that takes more locks without waiting. The column `taken` of its only row tells whether it got all of them. */
export const tryLockStatement = (keys: Iterable<string>): string =>
  `SELECT ${numbersOf(keys)
    .map((number) => `pg_try_advisory_xact_lock(${number})`)
    .join(" AND ")} AS taken`;
