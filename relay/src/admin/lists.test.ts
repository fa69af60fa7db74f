import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { silentLog } from "../base/log.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createWebhooks } from "../flows/webhooks.ts";
import { addBlock } from "../records/blocks.ts";
import { addEvent } from "../records/events.ts";
import { addLead } from "../records/leads.ts";
import { addMail, setMail } from "../records/mails.ts";
import { createSites, type Sites } from "../records/sites.ts";
import { addVisitor } from "../records/visitors.ts";
import { blocks, leads, mails, siteList, webhooks } from "./lists.ts";

const AT = Date.UTC(2026, 10, 23, 15, 0, 0);
let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

it("shows each try of a webhook with its time and status", async () => {
  const site = {
    public: { id: "shop" },
    webhook: { url: "https://owner.example/hook", secret: "s" },
  } as unknown as Site;
  let [now, writing] = [AT, 0];
  const transaction: Database["transaction"] = async (work, lanes) => {
    writing++;
    return db.transaction(work, lanes).finally(() => writing--);
  };
  // Each wait ends at once, and moves the clock by an hour. No time passes during a try: it would be made a second time.
  const clock: Clock = {
    now: () => now,
    uptime: () => now,
    after(_ms, fn) {
      const timer = setImmediate(() => {
        if (writing === 0) now += 3_600_000;
        fn();
      });
      return () => clearImmediate(timer);
    },
  };
  const answers = [
    { status: 503, text: "busy" },
    { status: 0, text: "ECONNREFUSED" },
    { status: 204, text: "" },
  ];
  const hooks = { post: async () => answers.shift() ?? { status: 204, text: "" }, close: async () => {} };
  const event = { id: "msg_1", site: "shop", visitor: null, type: "message.visitor", body: "{}", at: AT } as const;
  await db.transaction((tx) => addEvent(tx, event));
  const sender = createWebhooks({
    db: { ...db, transaction },
    clock,
    log: silentLog,
    sites: [site],
    hooks,
    random: () => 0,
  });
  await sender.start();
  const sites = { all: [site] } as unknown as Sites;
  const page = async () => String(await webhooks({ db, sites, skip: 0 })).replaceAll(/<[^>]*>/g, " ");
  await expect.poll(page, { interval: 1 }).toContain("delivered");
  await sender.stop();
  expect(await page()).toMatch(/2026-11-23 1[0-9:]+ +· 503 +· busy[\s\S]* · no answer +· ECONNREFUSED[\s\S]* · 204/);
});

it("shows one event by its id, to those who may see its site", async () => {
  const event = { site: "shop", visitor: null, type: "message.visitor", body: "{}", at: AT } as const;
  for (const id of ["msg_1", "msg_2"]) await db.transaction((tx) => addEvent(tx, { ...event, id }));
  const site = { public: { id: "shop" }, account: "main" };
  const page = async (all: object[], id: string): Promise<string> =>
    String(await webhooks({ db, sites: createSites(all as Site[], () => []), skip: 0 }, id));
  expect(await page([site], "msg_2")).toContain(">msg_2<");
  expect(await page([site], "msg_2")).not.toContain("msg_1");
  for (const shown of [await page([], "msg_2"), await page([site], "msg_3")])
    expect(shown.replaceAll(/<[^>]*>/g, "")).toBe("There is no such event.All events");
});

const shop = { public: { id: "shop", title: "Lamps" }, account: "main", origins: [] };
const sites = { all: [shop, { ...shop, public: { id: "outlet", title: "Lamps" } }] } as unknown as Sites;

it("names each site by its title and its id: two sites may have the same title", () => {
  const shown = String(siteList({ sites }, "https://chat.example", true)).replaceAll(/<[^>]*>/g, "");
  for (const id of ["shop", "outlet"]) expect(shown).toContain(`Lamps ${id}`);
});

it("leads from a blocked visitor to the conversation, and names the commands that change the list", async () => {
  for (const value of ["v_1_2", "u_3_4", "192.0.2.0/24"])
    await db.transaction((tx) => addBlock(tx, { site: "shop", value, reason: "a flood", actor: "cli", at: AT }));
  const shown = String(await blocks({ db, sites, skip: 0 }));
  expect([...shown.matchAll(/href="([^"]+)"/g)].map(([, path]) => path).sort()).toEqual([
    "/admin/conversations/u_3_4",
    "/admin/conversations/v_1_2",
  ]);
  expect(shown).toContain("<code>porchlight block remove</code>");
});

it("ends the first line of a long email address after its @", async () => {
  const address = "ada@example.com";
  const at = { visitor: "v", at: AT } as const;
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v", "shop", AT);
    const mail = { id: "m", address, since: 0, upto: 1, page: "", locale: "en", kind: "replies" } as const;
    await addMail(tx, { ...at, ...mail });
    const person = { firstName: "Ada", lastName: null, email: address, phone: "+4791234567" };
    const lead = { id: "l", site: "shop", account: "main", consent: null, own: 1, lists: null, due: AT };
    await addLead(tx, { ...at, ...lead, ...person });
  });
  for (const list of [mails, leads])
    expect(String(await list({ db, sites, skip: 0 }))).toContain("ada@<wbr>example.com");
});

it("shows a mail that was sent in the colour of what is done", async () => {
  const mail = { id: "m", visitor: "v", address: "ada@example.com", since: 0, upto: 1, page: "", locale: "en", at: AT };
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v", "shop", AT);
    await addMail(tx, { ...mail, kind: "replies" });
    await setMail(tx, { id: "m", state: "sent", attempts: 1, due: AT, problem: null });
  });
  expect(String(await mails({ db, sites, skip: 0 }))).toContain('<span class="badge done">sent</span>');
});
