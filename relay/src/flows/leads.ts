import { backoff } from "@porchlight/shared/backoff";
import type { Lead as LeadFrame } from "@porchlight/shared/protocol";
import { cut } from "@porchlight/shared/text";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { hashed, type Log } from "../base/log.ts";
import { phoneOf } from "../base/phone.ts";
import { NO_LEADS } from "../base/rules.ts";
import type { Database, Transaction } from "../db/database.ts";
import { addLead, countLeads, dueLeads, findLead, holdLead, type Lead, setLead } from "../records/captured.ts";
import type { Contacts } from "../records/contacts.ts";
import { setDetails } from "../records/details.ts";
import type { Sites } from "../records/sites.ts";
import { addVisitor, findVisitor, supposeContact } from "../records/visitors.ts";
import type { ContactAnswer } from "../service/api.ts";
import type { Outcome } from "../service/outcome.ts";

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  sites: Sites;
  contacts: Contacts;
  /** Tells the owner's backend, in the same transaction. */
  tell?: (
    tx: Transaction,
    site: string,
    type: "lead.captured",
    data: { visitor: string; [field: string]: unknown },
  ) => Promise<void>;
  random?: () => number;
};

export type Captured = "captured" | "empty" | "invalid_email" | "invalid_phone" | "rate_limited";
type Person = { firstName: string | null; lastName: string | null; email: string | null; phone: string | null };

/** Leads of one visitor at most: a form is no way to fill somebody's lists (RELIABILITY A40). */
const PER_VISITOR = 10;
const NAME_MAX = 100;
/** A form with a phone waits this long for the service to refuse the number. */
const FIRST_TRY_MS = 4_000;
/** Without a reply that tells the contact's id, it is looked up by e-mail after this. */
const LOOK_UP_MS = 10 * 60_000;
const HOLD_MS = 60_000;
const LOOK_MS = 2_000;
const BATCH = 20;
const RETRY_BASE_MS = 2_000;
const RETRY_CAP_MS = 3_600_000;
const PLACEHOLDERS = new Set(["unknown", "unknown@unknown.com", "-", "—", "n/a"]);

/** Text that says something. */
function said(given: string | undefined, max: number): string | null {
  const text = cut(
    (given ?? "")
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
      .trim(),
    max,
  ).trim();
  return text === "" || PLACEHOLDERS.has(text.toLowerCase()) ? null : text;
}

/** the local part stays as typed, the domain is lower case. Nothing when it is no address. */
function emailIn(text: string): string | undefined {
  if (text.length > 254 || !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)) return undefined;
  const at = text.lastIndexOf("@");
  return text.slice(0, at) + text.slice(at).toLowerCase();
}

const fine = ({ kind }: Outcome): boolean => kind === "ok" || kind === "duplicate";

/**
 * Leads: written down first, then made contacts and put on the site's lists step by step, each step once and each one
 * taken up again after a failure or a crash (C9 to C11).
 */
export function createLeads({ db, clock, log, sites, contacts, tell = async () => {}, random = Math.random }: Parts) {
  const working = new Set<Promise<void>>();
  let stopped = false;
  let cancel = (): void => {};

  /** The person a form describes, or what is wrong with it. */
  function personIn(frame: LeadFrame, site: Site): Person | Exclude<Captured, "captured"> {
    const given = said(frame.email, 300);
    const email = given === null ? null : emailIn(given);
    if (email === undefined) return "invalid_email";
    const dialled = said(frame.phone, 40);
    const phone = dialled === null ? null : phoneOf(dialled, site.leads?.country);
    if (phone === undefined) return "invalid_phone";
    const person = {
      firstName: said(frame.firstName, NAME_MAX),
      lastName: said(frame.lastName, NAME_MAX),
      email,
      phone,
    };
    const enough = email !== null || phone !== null || (frame.chat && (person.firstName ?? person.lastName) !== null);
    return enough ? person : "empty";
  }

  /** Takes a form. Resolves once it is durable, or says which field must be mended; nothing is done then. */
  async function capture(visitor: string, site: Site, frame: LeadFrame): Promise<Captured> {
    const person = personIn(frame, site);
    if (typeof person === "string") return person;
    const rules = site.leads ?? NO_LEADS;
    const now = clock.now();
    const consent = said(frame.consent, 1_000);
    const base = { visitor, site: site.public.id, account: site.account, ...person, consent, at: now };
    const own = { ...base, own: 1, due: now + HOLD_MS };
    const written = await db.transaction(async (tx) => {
      const known = await findLead(tx, visitor, frame.id);
      if (known !== undefined && known.state !== "refused") return "known";
      if (known === undefined && (await countLeads(tx, visitor)) >= PER_VISITOR) return "rate_limited";
      await addVisitor(tx, visitor, site.public.id, now);
      if ((await findVisitor(tx, visitor)) === undefined) return "rate_limited";
      await setDetails(tx, visitor, stated(person));
      await tell(tx, site.public.id, "lead.captured", { lead: frame.id, visitor, ...stated(person), consent });
      if (!frame.chat) await addLead(tx, { ...own, id: frame.id });
      else await addLead(tx, { ...base, id: frame.id, own: 0, due: now + LOOK_UP_MS });
      if (frame.chat && rules.phoneContact && person.phone !== null)
        await addLead(tx, { ...own, id: `${frame.id}-phone`, due: now });
      return "new";
    });
    if (written === "rate_limited") return written;
    if (written === "new") log("lead.captured", { visitor: hashed(visitor) });
    return frame.chat ? "captured" : firstTry(visitor, frame.id);
  }

  /** The service itself may refuse a number that looks right: the form hears of it while it is open. */
  async function firstTry(visitor: string, id: string): Promise<Captured> {
    const lead = await findLead(db, visitor, id);
    if (lead?.state === "open") await Promise.race([run(lead), after(FIRST_TRY_MS)]);
    const now = await findLead(db, visitor, id);
    return now?.state === "refused" ? "invalid_phone" : "captured";
  }

  const after = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  /** Works on a lead, alone; what goes wrong is tried again later. */
  function run(lead: Lead): Promise<void> {
    const work = hold(lead).catch((error: unknown) => log("database.failing", { cause: String(error) }));
    working.add(work);
    return work.finally(() => working.delete(work));
  }

  async function hold(lead: Lead): Promise<void> {
    const until = clock.now() + HOLD_MS;
    if (await db.transaction((tx) => holdLead(tx, lead, until))) await goOn({ ...lead, due: until });
  }

  async function goOn(lead: Lead): Promise<void> {
    const found = lead.contact ?? (await contactOf(lead));
    if (typeof found !== "string") return later(lead, found);
    const rules = sites.find(lead.site)?.leads ?? NO_LEADS;
    let obstacle: Outcome | undefined;
    for (const list of rules.lists) {
      const outcome = await contacts.join(lead.account, list, found);
      if (!fine(outcome)) obstacle ??= { ...outcome, message: `list ${list}: ${outcome.message}` };
      // A list that does not exist keeps nobody off the others; a service that cannot answer is not asked more.
      if (!fine(outcome) && outcome.kind !== "permanent") break;
    }
    if (obstacle !== undefined) return later({ ...lead, contact: found }, obstacle);
    const { attempts, due } = lead;
    await db.transaction(async (tx) => {
      await setLead(tx, lead, { state: "done", problem: null, contact: found, attempts, due });
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
    return found.contact?.id ?? (fine(found) ? none : found);
  }

  async function later(lead: Lead, outcome: Outcome): Promise<void> {
    const { contact, attempts } = lead;
    const refused = outcome.code === "INVALID_PHONE";
    const wait = Math.max(outcome.waitMs ?? 0, backoff(attempts, RETRY_BASE_MS, RETRY_CAP_MS, random), RETRY_BASE_MS);
    const problem = `${outcome.status}: ${outcome.message}`;
    const next = { state: refused ? "refused" : "open", problem, contact, attempts: attempts + 1 } as const;
    await db.transaction((tx) => setLead(tx, lead, { ...next, due: clock.now() + wait }));
    const permanent = outcome.kind === "permanent" || outcome.kind === "config";
    if (permanent) log("lead.waiting", { visitor: hashed(lead.visitor), problem });
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
    capture,
    start: () => lookLater(0),
    stop: async () => {
      stopped = true;
      cancel();
      await Promise.all(working);
    },
  };
}

function stated(person: Person): { firstName?: string; lastName?: string; email?: string; phone?: string } {
  const { firstName, lastName, email, phone } = person;
  return {
    ...(firstName === null ? {} : { firstName }),
    ...(lastName === null ? {} : { lastName }),
    ...(email === null ? {} : { email }),
    ...(phone === null ? {} : { phone }),
  };
}

export type Leads = ReturnType<typeof createLeads>;
