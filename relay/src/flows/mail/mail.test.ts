import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Site } from "../../base/config.ts";
import { silentLog } from "../../base/log.ts";
import { keyedHash, seal } from "../../base/sign.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import type { MailMessage } from "../../hooks/mailer.ts";
import { setDetails } from "../../records/details.ts";
import { createSites } from "../../records/sites.ts";
import { appendReply } from "../../records/threads.ts";
import { addVisitor } from "../../records/visitors.ts";
import { createMail } from "./mail.ts";

const SITE = { public: { ...DEFAULT_SITE, id: "shop", title: "Shop" }, account: "one", mail: true } as Site;
const VISITOR = "v_1";
const CONTEXT = { page: "https://shop.example/lamps", locale: "en" };
const POLL_MS = 1_000;

let db: Database;
let now: number;
/** The timer of each flow, by the flow's number. A flow sets one at a time. */
let timers: ((() => void) | undefined)[];
/** Called when the flow of this number has set its next timer. */
let onTimerSet: (() => void)[];
/** When the visitor's last connection was closed; undefined while one is open. */
let away: number | undefined;
let posted: MailMessage[];
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  [now, away, posted] = [Date.UTC(2026, 10, 22), undefined, []];
  [timers, onTimerSet] = [[], []];
});
afterEach(() => db.close());

/** Lets each flow check once, one second after its last check. */
async function checkOnce(): Promise<void> {
  now += POLL_MS;
  for (const [i, timer] of timers.entries()) {
    const again = Promise.withResolvers<void>();
    onTimerSet[i] = again.resolve;
    timer?.();
    await again.promise;
  }
}

type Node = Partial<Parameters<typeof createMail>[0]>;

/** A visitor who wants replies by mail and has one unread reply. */
async function begin(after: number, node: Node = {}): Promise<ReturnType<typeof createMail>> {
  const mail = start(after, node);
  await mail.start();
  await mail.subscribe(VISITOR, SITE, CONTEXT);
  await db.transaction(async (tx) => {
    await addVisitor(tx, VISITOR, "shop", now);
    await setDetails(tx, VISITOR, { email: "ada@b.example" }, { signed: false });
    await appendReply(tx, { visitor: VISITOR, id: "r_1", text: "Yes, three.", at: now, external: "e_1" });
  });
  return mail;
}

/** The flow of one process. */
function start(after: number, node: Node): ReturnType<typeof createMail> {
  const place = timers.push(undefined) - 1;
  return createMail({
    db,
    clock: {
      now: () => now,
      uptime: () => now,
      after(_ms, run) {
        timers[place] = run;
        onTimerSet[place]?.();
        return () => {};
      },
    },
    log: silentLog,
    sites: createSites([SITE], () => []),
    presence: { awaySince: () => away },
    mailer: {
      async post(message) {
        posted.push(message);
        return { kind: "sent", reason: "" };
      },
      verify: async () => undefined,
      close() {},
    },
    after,
    relay: "https://chat.example.com",
    signing: "signing key of the tests",
    ...node,
  });
}

describe("a reply by mail", () => {
  it.each([0, 30_000, 300_000])(
    "is sent at the first check after %i ms away, whenever the checks ran while the visitor was online",
    async (after) => {
      const mail = await begin(after);
      for (let checks = 0; checks < 90; checks++) await checkOnce();
      expect(posted).toEqual([]);
      away = now;
      while (posted.length === 0) await checkOnce();
      expect(now - away).toBeGreaterThanOrEqual(after);
      expect(now - away).toBeLessThanOrEqual(after + POLL_MS);
      expect(posted).toMatchObject([{ to: "ada@b.example" }]);
      await mail.stop();
    },
  );

  it.each([
    ["another node", false],
    ["a stopping node that sent the mails", true],
  ])("is not sent while the visitor is connected to %s, and comes after they have left it", async (_, works) => {
    const after = 30_000;
    const begun = now;
    const other = start(after, { shared: true, works: () => works });
    const sender = await begin(after, { shared: true, presence: { awaySince: () => begun } });
    await other.start();
    if (works) await other.stopSending();
    for (let checks = 0; checks < 90; checks++) await checkOnce();
    expect(posted).toEqual([]);
    away = now;
    while (posted.length === 0) await checkOnce();
    expect(now - away).toBeGreaterThanOrEqual(after);
    expect(now - away).toBeLessThanOrEqual(2 * after);
    await Promise.all([sender.stop(), other.stop()]);
  });
});

describe("mails to one mailbox", () => {
  /** Asks for a transcript as a new visitor with this address. */
  async function ask(mail: ReturnType<typeof createMail>, visitor: string, email: string, signed = false) {
    await db.transaction(async (tx) => {
      await addVisitor(tx, visitor, "shop", now);
      await setDetails(tx, visitor, { email }, { signed });
      await appendReply(tx, { visitor, id: `r_${visitor}`, text: "Yes.", at: now, external: `e_${visitor}` });
    });
    return mail.transcript({ visitor, site: SITE, id: "t_1", context: CONTEXT });
  }

  it("are at most three a day, however its address is spelt (A27)", async () => {
    const mail = start(0, {});
    const spellings = ["ada.b@bücher.example", "ada.b+1@bücher.example", "ADA.B+2@Bücher.example"];
    for (const [n, email] of spellings.entries())
      expect(await ask(mail, `v_a${n}`, email)).toMatchObject({ address: email });
    for (const [n, email] of [
      "ada.b+3+4@bücher.example",
      "ada.b@xn--bcher-kva.example",
      "a.dab@bücher.example",
    ].entries())
      expect(await ask(mail, `v_b${n}`, email)).toBe("rate_limited");
    expect(await ask(mail, "v_other", "ada@other.example")).toMatchObject({ address: "ada@other.example" });
    await mail.stop();
  });

  it("of Gmail are counted and stopped together, with any dots and at both of its domains", async () => {
    const mail = start(0, {});
    await mail.start();
    for (const [n, email] of ["ada.b@gmail.com", "ad.ab@googlemail.com", "adab+1@gmail.com"].entries())
      expect(await ask(mail, `v_a${n}`, email)).toMatchObject({ address: email });
    expect(await ask(mail, "v_b", "a.d.a.b@googlemail.com")).toBe("rate_limited");
    while (posted.length === 0) await checkOnce();
    expect(await mail.unsubscribeBy(posted[0]?.stop?.split("/").at(-1) ?? "")).toBe(true);
    expect(await ask(mail, "v_c", "a.dab@gmail.com")).toBe("no_email");
    await mail.stop();
  });

  it("count once when a request is repeated, which gets the same answer", async () => {
    const mail = start(0, {});
    await ask(mail, "v_a", "ada@b.example");
    const again = () => mail.transcript({ visitor: "v_a", site: SITE, id: "t_1", context: CONTEXT });
    for (let n = 0; n < 4; n++) expect(await again()).toEqual({ id: "t_1", address: "ada@b.example" });
    expect(await db.all("SELECT used FROM quotas WHERE name LIKE 'mail of %'")).toEqual([{ used: 1 }]);
    await mail.stop();
  });

  it("are at most three a day to an address that a signed-in visitor typed, twenty to the signed one (A27)", async () => {
    const mail = start(0, {});
    const asked = async (signed: boolean, email: string): Promise<number> => {
      let mails = 0;
      for (let n = 0; n < 25; n++) if ((await ask(mail, `u_${email}${n}`, email, signed)) !== "rate_limited") mails++;
      return mails;
    };
    expect(await asked(false, "stranger@b.example")).toBe(3);
    expect(await asked(true, "ada@b.example")).toBe(20);
    await mail.stop();
  });

  it("take nothing from the budget of the address when the site's is used up", async () => {
    const mail = start(0, {});
    const setSiteUse = (used: number) => db.run("UPDATE quotas SET used = $1 WHERE name = 'mail of shop'", used);
    expect(await ask(mail, "v_a0", "ada@b.example")).toMatchObject({ address: "ada@b.example" });
    await setSiteUse(1_000);
    for (const n of [1, 2, 3]) expect(await ask(mail, `v_a${n}`, "ada@b.example")).toBe("rate_limited");
    await setSiteUse(1);
    for (const n of [4, 5])
      expect(await ask(mail, `v_a${n}`, "ada@b.example")).toMatchObject({ address: "ada@b.example" });
    expect(await ask(mail, "v_a6", "ada@b.example")).toBe("rate_limited");
    await mail.stop();
  });

  it("stop for every spelling of its address, but not for a name with other dots", async () => {
    const mail = start(0, {});
    await mail.start();
    await ask(mail, "v_a", "ada.b+shop@b.example");
    while (posted.length === 0) await checkOnce();
    expect(await mail.unsubscribeBy(posted[0]?.stop?.split("/").at(-1) ?? "")).toBe(true);
    expect(await ask(mail, "v_b", "Ada.B+more@b.example")).toBe("no_email");
    expect(await ask(mail, "v_c", "adab@b.example")).toMatchObject({ address: "adab@b.example" });
    await mail.stop();
  });

  it.each([
    ["the whole address", "ada+shop@b.example", "ada+shop@b.example"],
    ["a Gmail mailbox with its dots", "ada.b@gmail.com", "ada.b+shop@gmail.com"],
    ["a Gmail mailbox with its other domain", "adab@googlemail.com", "adab+shop@googlemail.com"],
  ])("stop by the link of an earlier version, which names %s", async (_what, named, address) => {
    const mail = start(0, {});
    const signing = "signing key of the tests";
    const link = seal(signing, "mail", JSON.stringify(["shop", keyedHash(signing, named)]));
    expect(await mail.unsubscribeBy(link)).toBe(true);
    expect(await ask(mail, "v_a", address)).toBe("no_email");
    await mail.stop();
  });
});
