import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite.ts";
import { type Writable, watchWrites } from "./writable.ts";

const FULL = Object.assign(new Error("database or disk is full"), { errcode: 13 });
const UNIQUE = Object.assign(new Error("UNIQUE constraint failed"), { errcode: 2067 });
let inner: Database;
let refusal: Error | undefined;
let writes: number;
let time: number;
let watched: Writable;

beforeEach(async () => {
  inner = openSqlite(":memory:");
  await migrate(inner);
  [refusal, writes, time] = [undefined, 0, 0];
  const failing = <T>(write: () => Promise<T>): Promise<T> => {
    writes++;
    return refusal === undefined ? write() : Promise.reject(refusal);
  };
  const disk: Database = {
    ...inner,
    run: (sql, ...values) => failing(() => inner.run(sql, ...values)),
    transaction: (body) => failing(() => inner.transaction(body)),
  };
  watched = watchWrites(disk, { now: () => time, uptime: () => time, after: () => () => {} });
});
afterEach(() => inner.close());

const write = () => watched.db.transaction((tx) => tx.run("UPDATE meta SET value = value"));

it("a database counts as writable at first, without a trial write", async () => {
  for (let i = 0; i < 100; i++) expect(await watched.takesWrites()).toBe(true);
  expect(writes).toBe(0);
});

it("learns from a write that the disk refuses, tries once a second, and recovers by itself", async () => {
  refusal = FULL;
  await expect(write()).rejects.toThrow("full");
  for (let i = 0; i < 100; i++) expect(await watched.takesWrites()).toBe(false);
  // The failed write, and one trial.
  expect(writes).toBe(2);
  refusal = undefined;
  expect(await watched.takesWrites()).toBe(false);
  time += 1_000;
  expect(await watched.takesWrites()).toBe(true);
  expect(await inner.all("SELECT * FROM meta WHERE name = 'trial'")).toEqual([]);
});

it("does not recover by a transaction that succeeds because it writes nothing", async () => {
  refusal = FULL;
  await expect(write()).rejects.toThrow("full");
  expect(await watched.takesWrites()).toBe(false);
  refusal = undefined;
  await watched.db.transaction(async () => undefined);
  expect(await watched.takesWrites()).toBe(false);
});

it("ignores the failure of an invalid write", async () => {
  refusal = UNIQUE;
  await expect(write()).rejects.toThrow("UNIQUE");
  expect(await watched.takesWrites()).toBe(true);
});
