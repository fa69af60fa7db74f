import { backoff } from "@porchlight/shared/backoff";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { hashed, type Log } from "../base/log.ts";
import { stated } from "../base/person.ts";
import { NO_LEADS } from "../base/rules.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import {
  complaintOf,
  dueLeads,
  type Field,
  findLead,
  formOf,
  hastenLeads,
  holdLead,
  type Lead,
  releaseLeads,
  renewLead,
  setLead,
} from "../records/captured.ts";
import type { Contacts } from "../records/contacts.ts";
import type { Sites } from "../records/sites.ts";
import { findVisitor, supposeContact } from "../records/visitors.ts";
import type { ContactAnswer } from "../service/api.ts";
import type { Outcome } from "../service/outcome.ts";

type Parts = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  sites: Sites;
  contacts: Contacts;
  random?: () => number;
};

/** A form with a phone waits this long for the service to refuse the number; a later refusal comes by itself. */
const FIRST_TRY_MS = 4_000;
/** Who has not written a word by then is not looked up any more; a reply still ends the waiting. */
const LOOK_UP_UNTIL_MS = 30 * 86_400_000;
const HOLD_MS = 60_000;
const LOOK_MS = 2_000;
const BATCH = 20;
const RETRY_BASE_MS = 2_000;
const RETRY_CAP_MS = 3_600_000;
const LOOK_UP_CAP_MS = 86_400_000;

const fine = ({ kind }: Outcome): boolean => kind === "ok" || kind === "duplicate";

/** Which field a refusal is about: the service says so, or there is only one. */
function fieldOf({ email, phone }: Lead, { code }: Outcome): Field | null {
  if (code === "INVALID_PHONE" || email === null) return "phone";
  return phone === null ? "email" : null;
}

/**
 * Leads that were written down: made contacts and put on the site's lists step by step, each step once and each one
 * taken up again after a failure or a crash (C9 to C11).
 */
export function createLeads(parts: Parts) {
  const { db, bus, clock, log, sites, contacts, random = Math.random } = parts;
  const working = new Set<Promise<void>>();
  /** Names of the leads that are worked on here. */
  const busy = new Set<string>();
  /** Leads for whose verdict a form waits, and the verdict once it is there. */
  const awaited = new Map<string, Field | undefined>();
  let stopped = false;
  let cancel = (): void => {};

  const nameOf = ({ visitor, id }: Pick<Lead, "visitor" | "id">): string => `${visitor}\0${id}`;

  /** A person says that a lead goes on, also one that was refused. @returns nothing when there is none, or it is done */
  const renew = (site: Site, visitor: string, id: string): Promise<Lead | undefined> =>
    db.transaction((tx) => renewLead(tx, { visitor, id, site: site.public.id }, clock.now()));

  /** The same, and at once. */
  async function retry(site: Site, visitor: string, id: string): Promise<Lead | undefined> {
    const lead = await renew(site, visitor, id);
    if (lead !== undefined) void run(lead);
    return lead;
  }

  /** The service itself may refuse what looks right: the form hears of it while it is open. */
  async function firstTry(about: Pick<Lead, "visitor" | "id">): Promise<`invalid_${Field}` | undefined> {
    const name = nameOf(about);
    const lead = await findLead(db, about.visitor, about.id);
    if (lead?.state === "refused") return lead.field === null ? undefined : `invalid_${lead.field}`;
    if (lead?.state !== "open") return undefined;
    awaited.set(name, undefined);
    await Promise.race([run(lead), new Promise<void>((resolve) => void clock.after(FIRST_TRY_MS, resolve))]);
    const field = awaited.get(name);
    awaited.delete(name);
    return field && `invalid_${field}`;
  }

  /** Works on a lead, alone; what goes wrong is tried again later. */
  function run(lead: Lead): Promise<void> {
    const work = hold(lead).catch((error: unknown) => log("database.failing", { cause: String(error) }));
    working.add(work);
    return work.finally(() => working.delete(work));
  }

  async function hold(lead: Lead): Promise<void> {
    const until = clock.now() + HOLD_MS;
    if (busy.has(nameOf(lead))) return;
    busy.add(nameOf(lead));
    try {
      if (await db.transaction((tx) => holdLead(tx, lead, until))) await goOn({ ...lead, due: until });
    } finally {
      busy.delete(nameOf(lead));
    }
  }

  async function goOn(lead: Lead): Promise<void> {
    const found = lead.contact ?? (await contactOf(lead));
    if (typeof found !== "string")
      return found.kind === "permanent" || found.code === "INVALID_PHONE" ? refuse(lead, found) : later(lead, found);
    // Before the lists: whatever comes now, nobody looks for the contact again.
    if (lead.contact === null) await db.transaction((tx) => setLead(tx, lead, { ...lead, contact: found }));
    const lists = lead.lists === null ? (sites.find(lead.site)?.leads ?? NO_LEADS).lists : JSON.parse(lead.lists);
    let obstacle: Outcome | undefined;
    for (const list of lists) {
      const outcome = await contacts.join(lead.account, list, found);
      if (!fine(outcome)) obstacle ??= { ...outcome, message: `list ${list}: ${outcome.message}` };
      // A list that does not exist keeps nobody off the others; a service that cannot answer is not asked more.
      if (!fine(outcome) && outcome.kind !== "permanent") break;
    }
    if (obstacle !== undefined) return later({ ...lead, contact: found }, obstacle);
    await db.transaction(async (tx) => {
      await setLead(tx, lead, { ...lead, state: "done", problem: null, contact: found });
      if (lead.own === 0) await supposeContact(tx, lead.visitor, found);
    });
    log("lead.done", { visitor: hashed(lead.visitor) });
  }

  /** The contact's id: of the visitor's chat, by e-mail, or of a contact made for the lead; else what stands in the way. */
  async function contactOf(lead: Lead): Promise<string | Outcome> {
    const { visitor, account, email, own } = lead;
    const known = own === 0 ? (await findVisitor(db, visitor))?.contact : null;
    if (typeof known === "string") return known;
    if (own === 1) {
      const made = await contacts.findOrCreate(account, stated(lead));
      return made.contact?.id ?? made;
    }
    const none: ContactAnswer = { kind: "transient", status: 0, message: "the contact of the chat is not known yet" };
    const found = email === null ? none : await contacts.find(account, { email });
    // An e-mail that cannot be looked up ends nothing: the first reply tells the contact.
    return found.contact?.id ?? (fine(found) || found.kind === "permanent" ? none : found);
  }

  async function later(lead: Lead, outcome: Outcome): Promise<void> {
    const { attempts, own, contact, at } = lead;
    const waits = own === 0 && contact === null;
    const cap = waits ? LOOK_UP_CAP_MS : RETRY_CAP_MS;
    const wait = Math.max(outcome.waitMs ?? 0, backoff(attempts, RETRY_BASE_MS, cap, random), RETRY_BASE_MS);
    const due = waits && clock.now() - at > LOOK_UP_UNTIL_MS ? Number.MAX_SAFE_INTEGER : clock.now() + wait;
    const problem = `${outcome.status}: ${outcome.message}`;
    await db.transaction((tx) => setLead(tx, lead, { ...lead, problem, attempts: attempts + 1, due }));
    const permanent = outcome.kind === "permanent" || outcome.kind === "config";
    if (permanent) log("lead.waiting", { visitor: hashed(lead.visitor), problem });
  }

  /** The end of a lead that the service will not have. Whoever can mend it hears of it, now or when they are back. */
  async function refuse(lead: Lead, outcome: Outcome): Promise<void> {
    const field = fieldOf(lead, outcome);
    const problem = `${outcome.status}: ${outcome.message}`;
    const next = { ...lead, state: "refused", field, problem, attempts: lead.attempts + 1 } as const;
    const form = await db.transaction(async (tx) => {
      await setLead(tx, lead, next);
      return formOf(tx, next);
    });
    log("lead.refused", { visitor: hashed(lead.visitor), problem });
    if (field === null) return;
    if (awaited.has(nameOf(lead))) awaited.set(nameOf(lead), field);
    else bus.publish({ visitor: lead.visitor, head: 0, error: complaintOf(form, field) });
  }

  async function look(): Promise<void> {
    for (const lead of await dueLeads(db, clock.now(), BATCH)) if (!stopped) await run(lead);
  }

  function lookLater(ms: number): void {
    cancel = clock.after(ms, () => {
      void look()
        .catch((error: unknown) => log("database.failing", { cause: String(error) }))
        .finally(() => {
          if (!stopped) lookLater(LOOK_MS);
        });
    });
  }

  return {
    firstTry,
    /** Begins with a lead that is durable. */
    begin: (lead: Lead): void => void run(lead),
    renew,
    retry,
    /** The account's key is good again: goes on with what waits because it was not. */
    async hasten(account: string): Promise<void> {
      await db.transaction((tx) => hastenLeads(tx, account, clock.now()));
    },
    /** Goes on with what earlier lives left. With a database of its own, every process that held a lead is gone. */
    async start(): Promise<void> {
      const now = clock.now();
      if (db.dialect === "sqlite") await db.transaction((tx) => releaseLeads(tx, now, now + HOLD_MS));
      lookLater(0);
    },
    stop: async () => {
      stopped = true;
      cancel();
      await Promise.all(working);
    },
  };
}

export type Leads = ReturnType<typeof createLeads>;
