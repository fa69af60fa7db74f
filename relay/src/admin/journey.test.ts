import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import type { Account, Site } from "../base/config.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { ACCOUNT_ALERT, endAlert, raiseAlert } from "../records/alerts.ts";
import { addEvent } from "../records/events.ts";
import { WAIT_REASONS } from "../records/ledger/grants.ts";
import { addEntry, claim, type LedgerEntry, linkReply, settle, transition } from "../records/ledger/ledger.ts";
import { addOutboxEntry, scheduleRetry } from "../records/outbox.ts";
import { createSites } from "../records/sites.ts";
import { appendReply, appendSent, markAll, markMessage, noteFailures, numbersOf } from "../records/threads.ts";
import { addTry, SENT_AGAIN } from "../records/tries.ts";
import { addVisitor } from "../records/visitors.ts";
import { ledgerEntry } from "./entry.ts";
import { pathForId } from "./find.ts";
import { journey } from "./journey.ts";
import type { Viewer } from "./viewer.ts";

const AT = Date.UTC(2026, 10, 23, 15, 0, 0);
const VIEWER = { role: "admin", site: null } as const;
let db: Database;

beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v", "shop", AT);
    const numbers = await numbersOf(tx, ["v"]);
    await appendSent(tx, numbers, [{ visitor: "v", id: "m", text: "hello", at: AT, sid: "pl_1" }]);
    await numbers.write(tx);
    const rest = { reaction: null, reaction_sid: null, attempts: 0, due: AT, expires: AT + 86_400_000 };
    await addOutboxEntry(tx, { visitor: "v", turn: 1, pos: 1, account: "main", ...rest });
  });
});
afterEach(() => db.close());

/** The text of the message's page, without markup. */
async function page(paused: Record<string, string | undefined> = {}, id = "m"): Promise<string> {
  const present = { now: AT + 6_000, paused, pushed: () => undefined };
  const shown = await journey(
    { db, linkTo: (key) => `/media/${key}` },
    { visitor: "v", id },
    { token: "t", viewer: VIEWER, note: "", present },
  );
  return String(shown).replaceAll(/<[^>]*>/g, "");
}

it("shows a try that the service refused for the account's key, and what the message waits for", async () => {
  await db.transaction(async (tx) => {
    await addTry(tx, "v", 1, { at: AT + 1_000, answer: "401: Unknown key" });
    await scheduleRetry(tx, { visitor: "v", turn: 1, attempts: 1, error: "401: Unknown key" }, AT);
  });
  expect(await page()).toMatch(/Sent, but not accepted .*15:00:01[\s\S]*The service answered 401: Unknown key/);
  const held = await page({ main: "401: Unknown key" });
  expect(held).toContain("Waiting for the service, after 1 try");
  expect(held).toContain("The service refuses the calls of account main: 401: Unknown key.");
  expect(held).not.toContain("Next try at");
});

it("says on every node that the service refuses the account; the node that calls it knows first that this is over", async () => {
  const alert = { kind: ACCOUNT_ALERT, subject: "main" };
  const problem = "The service refuses account main: 401: Unknown key. Deliveries wait.";
  await db.transaction((tx) => raiseAlert(tx, { ...alert, since: AT, problem, cure: "", unsentTo: "" }));
  const held = await page();
  expect(held).toContain(`${problem} This message is sent when the service accepts the account's calls again;`);
  expect(held).not.toContain("Next try");
  expect(await page({ main: undefined })).toContain("Next try when its turn comes");
  await db.transaction((tx) => endAlert(tx, alert, AT + 1_000, ""));
  expect(await page()).toContain("Next try when its turn comes");
});

it("says that the service did not answer a try", async () => {
  await db.transaction(async (tx) => {
    await addTry(tx, "v", 1, { at: AT + 1_000, answer: "ECONNREFUSED" });
    await scheduleRetry(tx, { visitor: "v", turn: 1, attempts: 1, error: "ECONNREFUSED" }, AT + 9_000);
  });
  const shown = await page();
  expect(shown).toMatch(/Tried, without an answer .*15:00:01[\s\S]*The service did not answer: ECONNREFUSED\./);
  expect(shown).toMatch(/no tries after [\d :-]+\. At the last try, the service did not answer: ECONNREFUSED\./);
});

it("says that no tab of the visitor is connected; where nodes share a database, that one may be connected to another node", async () => {
  const reply = { visitor: "v", id: "r", text: "on its way", at: AT, external: "main:1" };
  await db.transaction((tx) => appendReply(tx, reply));
  const shown = await page({}, "r");
  if (db.dialect === "sqlite") expect(shown).toContain("No tab of the visitor is connected to this relay now.");
  else expect(shown).toMatch(/connected to this node now\..*another node may have one\./);
});

it("says that the relay itself held a message back, and counts no try", async () => {
  const answer = "not sent: the visitor is blocked";
  await db.transaction(async (tx) => {
    await addTry(tx, "v", 1, { at: AT + 1_000, answer });
    await tx.run("DELETE FROM outbox");
    await markMessage(tx, "v", 1, "failed", "rejected");
    await noteFailures(tx, [{ visitor: "v", pos: 1, attempts: 0, error: answer }]);
  });
  const shown = await page();
  expect(shown).toContain("Failed after 0 tries");
  expect(shown).toContain("The relay did not send it: the visitor is blocked");
  expect(shown).not.toMatch(/The service (answered|refused|said)|Sent, but not accepted/);
});

/** The path of the page for an id. */
const find = (id: string, viewer: Viewer = VIEWER): Promise<string> => {
  const sites = createSites([{ public: { id: "shop" }, account: "main" } as Site], () => []);
  const settings = { accounts: [{ id: "main" }] as Account[] };
  return pathForId({ db, clock: manualClock(AT), settings, sites }, id, viewer);
};

it("an event of a webhook is found by the id that the log has", async () => {
  const event = { id: "msg_1", site: "shop", visitor: "v", type: "message.visitor", body: "{}", at: AT } as const;
  await db.transaction((tx) => addEvent(tx, event));
  expect(await find("msg_1")).toBe("/admin/webhooks?id=msg_1");
  expect(await find("msg_1", { role: "reader", site: "other" })).toBe("/admin/conversations?words=msg_1");
});

describe("a message of the owner's backend", () => {
  const NAME = { kind: "send", account: "main", key: "shop/shipped-1042" } as const;

  /** Stores the message, and makes its call. */
  async function call(): Promise<LedgerEntry | undefined> {
    const content = JSON.stringify({ site: "shop", text: "Shipped" });
    const made = { lane: "v", digest: "d", content, state: "intent", reason: null, actor: "api" } as const;
    return db.transaction(async (tx) => {
      await addEntry(tx, { ...NAME, ...made, now: AT });
      return claim(tx, { ...NAME, node: "n1", now: AT + 1_000, ordered: true });
    });
  }

  it("is found by its key before the service accepted it, with each step", async () => {
    const called = await call();
    const refused = {
      state: "intent",
      reason: "429: Too many calls",
      due: AT + 9_000,
      actor: "n1",
      now: AT + 2_000,
    } as const;
    if (called !== undefined) await db.transaction((tx) => settle(tx, called, refused));
    const path = "/admin/ledger/send/main/shop%2Fshipped-1042";
    expect([await find("shipped-1042"), await find("shop/shipped-1042")]).toEqual([path, path]);
    const shown = String(await ledgerEntry(db, NAME, VIEWER)).replaceAll(/<[^>]*>/g, "");
    expect(shown).toMatch(/Stored durably by the relay, to be sent [\s\S]*By api[\s\S]*Sent to the service .*15:00:01/);
    expect(shown).toMatch(/Not accepted; sent again later .*15:00:02[\s\S]*429: Too many calls/);
    expect(await ledgerEntry(db, NAME, { role: "reader", site: "other" })).toBeUndefined();
  });

  it("is found by its key in the conversation, and its journey says who sent it", async () => {
    const called = await call();
    const done = { state: "done", reason: null, due: AT, actor: "n1", now: AT + 2_000, result: "{}" } as const;
    await db.transaction(async (tx) => {
      if (called !== undefined) await settle(tx, called, done);
      await linkReply(tx, NAME, "shown", "main:out-1");
      await appendReply(tx, { visitor: "v", id: "s_1", text: "Shipped", at: AT + 2_000, external: "main:out-1" });
    });
    expect(await find("shipped-1042")).toBe("/admin/messages/v/s_1");
    const shown = await page({}, "s_1");
    expect(shown).toMatch(/Accepted by the service[\s\S]*Stored in the conversation/);
    expect(shown).not.toContain("callback");
  });
});

it("a grant that waits for a person leads to the ledger, and says why it waits each time", async () => {
  const name = { kind: "grant", account: "main", key: "recharge-1" } as const;
  const content = JSON.stringify({ email: "client@agency.example", amount: 25_000, note: "", source: "recharge" });
  const received = { lane: "", digest: "d", content, state: "received", reason: null, actor: "service" } as const;
  const asked = { state: "received", reason: WAIT_REASONS.asking, due: AT, actor: "billing", now: AT + 1_000 } as const;
  await db.transaction(async (tx) => {
    await addEntry(tx, { ...name, ...received, now: AT });
    await transition(tx, name, ["received"], asked);
  });
  const shown = String(await ledgerEntry(db, name, VIEWER));
  expect(shown).toContain('<a href="/admin/ledger">Ledger</a>');
  const words = shown.replaceAll(/<[^>]*>/g, "");
  expect(words).toMatch(
    /Credits25,000[\s\S]*Stored durably by the relay .*15:00:00[\s\S]*Waits .*15:00:01waits for the answer/,
  );
  expect(words.match(/Stored durably/g)).toHaveLength(1);
});

it("begins with the time at which the visitor wrote the message, or says that it is unknown", async () => {
  expect(await page()).toMatch(
    /^[\s\S]*Journey times in UTC\s*Written by the visitorAt an unknown time: the client did not say when\./,
  );
  await db.transaction(async (tx) => {
    const numbers = await numbersOf(tx, ["v"]);
    const late = { visitor: "v", id: "late", text: "hello", at: AT, sid: "pl_2", typed: AT - 95_000 };
    await appendSent(tx, numbers, [late]);
    await numbers.write(tx);
  });
  expect(await page({}, "late")).toMatch(
    /Written by the visitor .*14:58:25It waited 95 s in the browser, by the browser&#39;s clock\.[\s\S]*Stored durably/,
  );
});

it("says with which status the service accepted a message, also when it had the message already", async () => {
  const accept = (accepted: number): Promise<unknown> =>
    db.transaction(async (tx) => {
      const numbers = await numbersOf(tx, ["v"]);
      const settled = AT + 1_000;
      await markAll(tx, numbers, [{ visitor: "v", pos: 1, state: "delivered", reason: null, settled, accepted }]);
      await numbers.write(tx);
    });
  expect(await page()).not.toContain("The service has the message");
  await accept(200);
  expect(await page()).toMatch(/No reply yetThe service has the message\..*Doctor tests the callback address\./);
  expect(await page()).toMatch(/Accepted by the service .*15:00:01[\s\S]*The service answered 200\./);
  await accept(409);
  expect(await page()).toContain("The service answered 409: it had the message already.");
});

it("shows that a failed message was sent again, and its former messageSid, but counts no try for that", async () => {
  await db.transaction(async (tx) => {
    await addTry(tx, "v", 1, { at: AT + 1_000, answer: "400: Bad" });
    await addTry(tx, "v", 1, { at: AT + 2_000, answer: `${SENT_AGAIN}pl_former` });
    await addTry(tx, "v", 1, { at: AT + 3_000, answer: `${SENT_AGAIN}pl_1` });
  });
  const shown = await page();
  expect(shown).toMatch(
    /Sent, but not accepted .*15:00:01[\s\S]*To be sent again .*15:00:02.*its messageSid was pl_former\./,
  );
  expect(shown).toMatch(/To be sent again .*15:00:03By Retry of the visitor or of an operator\./);
  expect(shown).toContain("Waiting for the service, after 1 try");
  for (const sid of ["pl_1", "pl_former"]) expect(await find(sid)).toBe("/admin/messages/v/m");
});

it("shows the next reply before the delivery if the reply came first", async () => {
  await db.transaction(async (tx) => {
    const numbers = await numbersOf(tx, ["v"]);
    const delivered = { state: "delivered", reason: null, settled: AT + 60_000, accepted: 200 } as const;
    await markAll(tx, numbers, [{ visitor: "v", pos: 1, ...delivered }]);
    await numbers.write(tx);
    await appendReply(tx, { visitor: "v", id: "r", text: "to an earlier one", at: AT + 9_000, external: "main:1" });
  });
  expect(await page()).toMatch(/Stored durably[\s\S]*Next reply .*15:00:09[\s\S]*Accepted by the service .*15:01:00/);
});
