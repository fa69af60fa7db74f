import type { Lead } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { silentLog } from "../base/log.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { leadsOf, moveLeads, refusalsSince } from "../records/leads.ts";
import { addUser, findVisitor, forgetVisitor, replaceByUser, setContact } from "../records/visitors.ts";
import type { ContactAnswer, Service } from "../service/api.ts";
import type { Outcome } from "../service/outcome.ts";
import { createCapture } from "./capture.ts";
import { type Contacts, createContacts } from "./contacts.ts";
import { createLeads } from "./leads.ts";

const OK: Outcome = { kind: "ok", status: 200, message: "" };
const DOWN: Outcome = { kind: "transient", status: 503, message: "busy" };
const SITE: Site = {
  public: DEFAULT_SITE,
  account: "main",
  origins: [],
  channel: "website",
  business: "default",
  campaign: undefined,
  leads: { country: "DE", lists: ["news", "leads"], phoneContact: false },
};
const VISITOR = "v_1";
const FORM = { t: "lead", id: "the-form-1", chat: false, email: "ada@b.example" } as const;

let db: Database;
let now: number;
/** The service's calls, in order, and its answer about the next list. */
let asked: string[];
let lists: Outcome[];
/** The service's answer to the creation of a contact. */
let created: ContactAnswer;
/** Runs while the service answers about a list. */
let meanwhile: () => Promise<void>;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  [now, asked, lists] = [Date.UTC(2026, 10, 21), [], []];
  meanwhile = async () => {};
  created = { ...OK, contact: { id: "c-new" } };
});
afterEach(() => db.close());

/** A fake service behind the real contacts; it records its calls. */
const client = {
  async findContact() {
    asked.push("find");
    return { ...OK, contact: { id: "c-mail" } };
  },
  async addToList(list: string, contact: string) {
    asked.push(`${contact} on ${list}`);
    await meanwhile();
    return lists.shift() ?? OK;
  },
} as unknown as Service;

const contactsBy = (clock: Clock): Contacts => ({
  ...createContacts({ db, clock, log: silentLog, paced: async (_account, _rank, call) => call(client) }),
  async findOrCreate() {
    asked.push("create");
    return created;
  },
});

/** One run of the flow; `pass` advances the clock until it has processed what is due. */
function startFlow(works: () => boolean = () => true) {
  const timers: { at: number; run: () => void }[] = [];
  const clock = {
    now: () => now,
    uptime: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
    },
  };
  const sites = { all: [SITE], find: () => SITE, allows: () => true, replace: () => {}, onReplaced: () => {} };
  const bus = createBus();
  const parts = {
    db,
    bus,
    clock,
    log: () => {},
    sites,
    contacts: contactsBy(clock),
    signing: "s",
    random: () => 0,
    works,
  };
  const flow = createLeads(parts);
  const { capture } = createCapture({ ...parts, leads: flow, storeEvent: async () => {} });
  /** Submits a form. @returns the service's final verdict */
  const fill = async (form: Lead): Promise<string | undefined> => {
    const taken = await capture(VISITOR, SITE, form);
    return typeof taken === "string" ? taken : taken.verdict;
  };
  const pass = async (ms: number): Promise<void> => {
    // A check sets the timer again at its end. Its rows may show the result earlier.
    await expect.poll(() => timers.length).toBeGreaterThan(0);
    now += ms;
    for (const timer of timers.splice(0)) timer.at <= now ? timer.run() : timers.push(timer);
  };
  return { ...flow, fill, pass, bus };
}
const lead = async () => (await leadsOf(db, VISITOR))[0];

describe("a lead", () => {
  it("resumes at the failed step, also after a restart, and repeats no step", async () => {
    lists = [OK, DOWN];
    const first = startFlow();
    expect(await first.fill(FORM)).toBeUndefined();
    expect(await lead()).toMatchObject({ state: "open", contact: "c-new", problem: "503: list leads: busy" });
    await first.stop();

    const second = startFlow();
    await second.start();
    await second.pass(60_000);
    await expect.poll(async () => (await lead())?.state).toBe("done");
    await second.stop();
    expect(asked).toEqual(["create", "c-new on news", "c-new on leads", "c-new on leads"]);
  });

  it("makes no further call once its visitor is deleted", async () => {
    meanwhile = () => db.transaction((tx) => forgetVisitor(tx, VISITOR, now));
    const flow = startFlow();
    expect(await flow.fill(FORM)).toBeUndefined();
    await flow.stop();
    expect([asked, await lead()]).toEqual([["create", "c-new on news"], undefined]);
  });

  it("of a visitor who logs in meanwhile is finished for the user", async () => {
    meanwhile = () =>
      db.transaction(async (tx) => {
        const user = await addUser(tx, "u_1", "default", now);
        await moveLeads(tx, VISITOR, user.id);
        const old = await findVisitor(tx, VISITOR);
        if (old !== undefined) await replaceByUser(tx, old, user, now);
      });
    const flow = startFlow();
    expect(await flow.fill(FORM)).toBeUndefined();
    await flow.stop();
    expect(asked).toEqual(["create", "c-new on news", "c-new on leads"]);
  });

  it("of a chatting visitor uses the contact with their email, until the service names another one", async () => {
    const flow = startFlow();
    await flow.fill({ ...FORM, chat: true });
    expect(asked).toEqual([]);
    await flow.start();
    await flow.pass(11 * 60_000);
    await expect.poll(async () => (await lead())?.state).toBe("done");
    await flow.stop();
    expect(asked).toEqual(["find", "c-mail on news", "c-mail on leads"]);
    expect((await findVisitor(db, VISITOR))?.contact).toBe("c-mail");
    await db.transaction((tx) => setContact(tx, VISITOR, "c-callback"));
    expect((await findVisitor(db, VISITOR))?.contact).toBe("c-callback");
  });

  it("ends when the service refuses it, whatever the error code, and resumes when a person retries it", async () => {
    created = { kind: "permanent", status: 400, message: "no such area" };
    const flow = startFlow();
    expect(await flow.fill({ ...FORM, email: "", phone: "+49301234567" })).toBe("invalid_phone");
    expect(await lead()).toMatchObject({ state: "refused", field: "phone", problem: "400: no such area" });
    await flow.start();
    await flow.pass(2 * 3_600_000);
    await expect.poll(() => asked).toEqual(["create"]);
    created = { ...OK, contact: { id: "c-new" } };
    await flow.retry(SITE, VISITOR, FORM.id);
    await expect.poll(async () => (await lead())?.state).toBe("done");
    await flow.stop();
  });

  it("is worked on at once by the node that makes the account's calls, and the open form at another node gets the answer", async () => {
    created = { kind: "permanent", status: 400, message: "no such area" };
    const [here, holder] = [startFlow(() => false), startFlow()];
    const verdict = here.fill({ ...FORM, email: "", phone: "+49301234567" });
    await expect.poll(lead).toMatchObject({ state: "open", due: now });
    await holder.start();
    await holder.pass(0);
    await expect.poll(async () => (await lead())?.state).toBe("refused");
    await here.pass(250);
    expect(await verdict).toBe("invalid_phone");
    const error = { t: "error", code: "invalid_phone", id: FORM.id, field: "phone" };
    expect(await refusalsSince(db, now - 1_000, () => true)).toEqual([{ visitor: VISITOR, at: now - 250, error }]);
    expect(await refusalsSince(db, now, () => true)).toEqual([]);
    expect(await refusalsSince(db, now - 1_000, () => false)).toEqual([]);
    await Promise.all([here.stop(), holder.stop()]);
  });

  it("that is refused without a known reason is left to the owner; the visitor is not asked to correct it", async () => {
    created = { kind: "permanent", status: 400, message: "no" };
    const flow = startFlow();
    expect(await flow.fill({ ...FORM, phone: "+49301234567" })).toBeUndefined();
    expect(await lead()).toMatchObject({ state: "refused", field: null });
    await flow.stop();
  });

  it("of a visitor who never writes is looked up at growing intervals; after a month only a reply completes it", async () => {
    const flow = startFlow();
    await flow.fill({ ...FORM, chat: true, email: "", firstName: "Ada" });
    await flow.start();
    await flow.pass(31 * 86_400_000);
    await expect.poll(async () => (await lead())?.due).toBe(Number.MAX_SAFE_INTEGER);
    await db.transaction((tx) => setContact(tx, VISITOR, "c-callback"));
    await flow.pass(3_000);
    await expect.poll(async () => (await lead())?.state).toBe("done");
    await flow.stop();
    expect(asked).toEqual(["c-callback on news", "c-callback on leads"]);
  });
});

describe("forms of one visitor", () => {
  it("are limited to ten, however often they are sent (A40)", async () => {
    const flow = startFlow();
    const answers: (string | undefined)[] = [];
    for (let n = 0; n < 30; n++)
      answers.push(await flow.fill({ ...FORM, id: `form-of-a-flood-${n}`, email: `victim${n}@example.com` }));
    expect(answers.filter((answer) => answer === "rate_limited")).toHaveLength(20);
    expect(await leadsOf(db, VISITOR)).toHaveLength(10);
    await flow.stop();
  });

  it("count against the site's daily limit, which starts again the next day (A40)", async () => {
    const flow = startFlow();
    SITE.leadsPerDay = 2;
    const fill = (n: number) => flow.fill({ ...FORM, id: `form-of-a-day-${n}` });
    const answers = [await fill(1), await fill(2), await fill(3)];
    await flow.pass(86_400_000);
    answers.push(await fill(4));
    delete SITE.leadsPerDay;
    expect(answers.map((answer) => answer === "rate_limited")).toEqual([false, false, true, false]);
    await flow.stop();
  });
});
