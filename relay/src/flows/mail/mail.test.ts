import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Site } from "../../base/config.ts";
import { silentLog } from "../../base/log.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import type { Letter } from "../../hooks/mailer.ts";
import { setDetails } from "../../records/details.ts";
import { createSites } from "../../records/sites.ts";
import { appendReply } from "../../records/threads.ts";
import { addVisitor } from "../../records/visitors.ts";
import { createMail } from "./mail.ts";

const SITE = { public: { ...DEFAULT_SITE, id: "shop", title: "Shop" }, account: "one", mail: true } as Site;
const VISITOR = "v_1";
const PLACE = { page: "https://shop.example/lamps", locale: "en" };
const POLL_MS = 1_000;

let db: Database;
let now: number;
/** The flow's only timer, and the functions that wait until it is set. */
let timer: (() => void) | undefined;
let set = (): void => {};
/** Time since when no connection listens for the visitor; undefined while one does. */
let away: number | undefined;
let posted: Letter[];
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  [now, away, posted] = [Date.UTC(2026, 10, 22), undefined, []];
});
afterEach(() => db.close());

/** Lets the flow check once, one second after its last check. */
async function look(): Promise<void> {
  const again = new Promise<void>((resolve) => {
    set = resolve;
  });
  now += POLL_MS;
  timer?.();
  await again;
}

/** A visitor who wants replies by mail and has one unread reply. */
async function begin(after: number): Promise<ReturnType<typeof createMail>> {
  const mail = createMail({
    db,
    clock: {
      now: () => now,
      uptime: () => now,
      after(_ms, run) {
        timer = run;
        set();
        return () => {};
      },
    },
    log: silentLog,
    sites: createSites([SITE], () => []),
    presence: { awaySince: () => away },
    mailer: {
      async post(letter) {
        posted.push(letter);
        return { kind: "sent", reason: "" };
      },
      verify: async () => undefined,
      close() {},
    },
    after,
    relay: "https://chat.example.com",
    signing: "signing key of the tests",
  });
  await mail.start();
  await mail.subscribe(VISITOR, SITE, PLACE);
  await db.transaction(async (tx) => {
    await addVisitor(tx, VISITOR, "shop", now);
    await setDetails(tx, VISITOR, { email: "ada@b.example" });
    await appendReply(tx, { visitor: VISITOR, id: "r_1", text: "Yes, three.", at: now, external: "e_1" });
  });
  return mail;
}

describe("a reply by mail", () => {
  it.each([0, 30_000, 300_000])(
    "is sent at the first check after %i ms away, whenever the checks ran while the visitor was online",
    async (after) => {
      const mail = await begin(after);
      for (let looks = 0; looks < 90; looks++) await look();
      expect(posted).toEqual([]);
      away = now;
      while (posted.length === 0) await look();
      expect(now - away).toBeGreaterThanOrEqual(after);
      expect(now - away).toBeLessThanOrEqual(after + POLL_MS);
      expect(posted).toMatchObject([{ to: "ada@b.example" }]);
      await mail.stop();
    },
  );
});
