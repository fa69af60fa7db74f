import { afterEach, beforeEach, expect, it } from "vitest";
import { type Clock, realClock } from "../../relay/src/base/clock.ts";
import { silentLog } from "../../relay/src/base/log.ts";
import { openTestDatabase } from "../../relay/src/db/database.fixture.ts";
import type { Database } from "../../relay/src/db/database.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { createContacts } from "../../relay/src/flows/contacts.ts";
import type { Service } from "../../relay/src/service/api.ts";

const OK = { kind: "ok", status: 200, message: "" } as const;
const ADA = { email: "ada@b.example" };

let db: Database;
/** The service's contacts. It creates a second one for the same address. */
let contacts: { id: string; email: string }[];
let creations: number;
/** The first two calls that create a contact, and the service's answer to them. */
let [first, second, answer]: PromiseWithResolvers<void>[] = [];
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  [contacts, creations] = [[], 0];
  [first, second, answer] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
});
afterEach(() => db.close());

const client = {
  findContact: async ({ email }: { email: string }) => ({
    ...OK,
    contact: contacts.find((one) => one.email === email),
  }),
  async createContact({ email }: { email: string }) {
    creations++;
    (creations === 1 ? first : second)?.resolve();
    await answer?.promise;
    const contact = { id: `c${contacts.length}`, email };
    contacts.push(contact);
    return { ...OK, contact };
  },
} as unknown as Service;
const node = (clock: Clock = realClock) =>
  createContacts({ db, clock, log: silentLog, paced: async (_account, _rank, call) => call(client) });

/** A clock that reports to `waits` each wait that begins. */
const reporting = (waits: () => void): Clock => ({
  ...realClock,
  after(ms, run) {
    waits();
    return realClock.after(ms, run);
  },
});

it("lets one node at a time work on an address, so that it becomes one contact", async () => {
  const created = node().findOrCreate("one", ADA);
  await first?.promise;
  const found = node(reporting(() => second?.resolve())).findOrCreate("one", ADA);
  await second?.promise;
  answer?.resolve();
  const contact = { id: "c0", ...ADA };
  expect([await created, await found]).toEqual([
    { ...OK, contact },
    { ...OK, contact, created: false },
  ]);
  expect(await db.all("SELECT name FROM leases")).toEqual([]);
});

it("asks a caller to come again while another node works on the address, and goes on a minute after that node died", async () => {
  const created = node().findOrCreate("one", ADA);
  await first?.promise;
  let now = 0;
  const after: Clock["after"] = (_ms, run) => {
    now += 1_000;
    return realClock.after(1, run);
  };
  const fast: Clock = { ...realClock, uptime: () => now, after };
  expect(await node(fast).findOrCreate("one", ADA)).toMatchObject({ kind: "throttle", waitMs: 5_000 });
  await db.run("UPDATE leases SET node = 'dead', until = until - 60000");
  answer?.resolve();
  await created;
  expect(await node().findOrCreate("one", ADA)).toMatchObject({ contact: { id: "c0" }, created: false });
});
