import { expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import { migrate } from "../db/migrate.ts";
import type { Service } from "../service/api.ts";
import { createContacts } from "./contacts.ts";

it("does not look up the contact that another client created, when that is no longer wanted", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  const asked: string[] = [];
  let wanted = true;
  const client = {
    async findContact() {
      asked.push("find");
      return { kind: "ok", status: 200, message: "" };
    },
    async createContact() {
      asked.push("create");
      wanted = false;
      return { kind: "duplicate", status: 409, message: "" };
    },
  } as unknown as Service;
  const paced: Parameters<typeof createContacts>[0]["paced"] = async (_account, _rank, call) => call(client);
  const contacts = createContacts({ db, clock: realClock, log: silentLog, paced });
  const answer = await contacts.findOrCreate("main", { email: "ada@b.example" }, async () => wanted);
  expect([asked, answer.kind, answer.contact]).toEqual([["find", "create"], "unready", undefined]);
  await db.close();
});
