import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addToken, findToken } from "./tokens.ts";

let db: Database;
let text: string;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  ({ text } = await db.transaction((tx) =>
    addToken(tx, { site: "default", name: "t", scopes: ["leads:read"], now: 1 }),
  ));
});
afterEach(() => db.close());

/** Counts the comparisons of secrets while `work` runs. */
async function comparisonsOf(work: () => Promise<unknown>): Promise<number> {
  const compare = vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  await work();
  const { length } = compare.mock.calls;
  compare.mockRestore();
  syncBuiltinESMExports();
  return length;
}

/** The text with another character at a place. */
const changed = (at: number): string => `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`;

it("finds a token by its whole text", async () => {
  expect(await findToken(db, text)).toMatchObject({ name: "t", site: "default" });
});

it("compares as many secrets for an unknown id as for a wrong secret, so that its time shows no ids", async () => {
  const comparisons = async (at: number): Promise<number> =>
    comparisonsOf(async () => expect(await findToken(db, changed(at))).toBeUndefined());
  expect([await comparisons("pl_".length), await comparisons(text.length - 1)]).toEqual([1, 1]);
});
