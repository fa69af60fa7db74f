import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addToken, findToken } from "./tokens.ts";

/** How many secrets were compared. */
const compared = vi.hoisted(() => ({ count: 0 }));
vi.mock("../base/sign.ts", async (original) => {
  const sign = await original<typeof import("../base/sign.ts")>();
  const sameSecret: typeof sign.sameSecret = (given, expected) => {
    compared.count++;
    return sign.sameSecret(given, expected);
  };
  return { ...sign, sameSecret };
});

let db: Database;
let text: string;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  ({ text } = await db.transaction((tx) =>
    addToken(tx, { site: "default", name: "t", scopes: ["leads:read"], now: 1 }),
  ));
  compared.count = 0;
});
afterEach(() => db.close());

/** The text with another character at a place. */
const changed = (at: number): string => `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`;

it("finds a token by its whole text", async () => {
  expect(await findToken(db, text)).toMatchObject({ name: "t", site: "default" });
});

it("compares as many secrets for an unknown id as for a wrong secret, so that its time shows no ids", async () => {
  expect(await findToken(db, changed("pl_".length))).toBeUndefined();
  const unknown = compared.count;
  expect(await findToken(db, changed(text.length - 1))).toBeUndefined();
  expect([unknown, compared.count - unknown]).toEqual([1, 1]);
});
