import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { setDetails, storedEmail } from "./details.ts";
import { addVisitor } from "./visitors.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  await addVisitor(db, "u_1", "shop", 1);
});
afterEach(() => db.close());

const signIn = (email: string): Promise<void> => setDetails(db, "u_1", { email }, { signed: true });
const type = (given: { email?: string; phone?: string }): Promise<void> =>
  setDetails(db, "u_1", given, { signed: false });

it("distinguishes an address that a visitor typed from that of the signed identity", async () => {
  expect(await storedEmail(db, "u_1")).toBeUndefined();
  await signIn("ada@b.example");
  expect(await storedEmail(db, "u_1")).toEqual({ email: "ada@b.example", signed: 1 });
  await type({ email: "stranger@b.example" });
  expect(await storedEmail(db, "u_1")).toEqual({ email: "stranger@b.example", signed: 0 });
  await type({ email: "ada@b.example" });
  expect(await storedEmail(db, "u_1")).toEqual({ email: "ada@b.example", signed: 0 });
});

it("keeps an address signed when the visitor types it again, or a telephone number only", async () => {
  await signIn("ada@b.example");
  await type({ phone: "030 1234567" });
  await type({ email: "ada@b.example" });
  expect(await storedEmail(db, "u_1")).toEqual({ email: "ada@b.example", signed: 1 });
});
