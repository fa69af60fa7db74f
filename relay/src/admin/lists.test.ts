import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { silentLog } from "../base/log.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createNotify } from "../flows/notify.ts";
import { addEvent } from "../records/events.ts";
import type { Sites } from "../records/sites.ts";
import { webhooks } from "./lists.ts";

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
  // Each wait ends at once, an hour later; but no time passes during a try, which would otherwise be made a second time.
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
  const notify = createNotify({
    db: { ...db, transaction },
    clock,
    log: silentLog,
    sites: [site],
    hooks,
    random: () => 0,
  });
  await notify.start();
  const sites = { all: [site] } as unknown as Sites;
  const page = async () => String(await webhooks({ db, sites, skip: 0 })).replaceAll(/<[^>]*>/g, " ");
  await expect.poll(page, { interval: 1 }).toContain("delivered");
  await notify.stop();
  expect(await page()).toMatch(/2026-11-23 1[0-9:]+ +· 503 +· busy[\s\S]* · no answer +· ECONNREFUSED[\s\S]* · 204/);
});
