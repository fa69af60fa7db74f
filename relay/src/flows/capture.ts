import type { ErrorFrame, Lead as LeadFrame } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { type ContactDetails, cleanLine, presentDetails, readContactDetails } from "../base/contact-details.ts";
import { hashed, type Log } from "../base/log.ts";
import { backendVisitorId } from "../base/sign.ts";
import type { Database, Transaction } from "../db/database.ts";
import { setDetails, storedEmail } from "../records/details.ts";
import { addLead, countLeads, dropLead, findLead, type Lead, type LeadField, PHONE_SUFFIX } from "../records/leads.ts";
import { type PageSeen, setPage } from "../records/profiles.ts";
import { dayOf, takeOne } from "../records/quotas.ts";
import { addVisitor, findVisitor } from "../records/visitors.ts";
import type { Leads } from "./leads.ts";
import type { StoreEvent } from "./webhooks.ts";

type CaptureDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  /** The key that signs visitor ids. */
  signing: string;
  leads: Pick<Leads, "firstTry" | "begin" | "firstDue">;
  /** Stores an event for the owner's backend in the same transaction. */
  storeEvent: StoreEvent;
};

/** The error of a form, for the person who fills it in. */
export type FormError = Extract<ErrorFrame["code"], "empty" | "invalid_email" | "invalid_phone" | "rate_limited">;
/**
 * A stored form. `verdict` resolves within seconds to the error that the service found, or to undefined if it has found none
 * yet.
 */
type StoredForm = { verdict: Promise<FormError | undefined> };

/** A lead from the owner's backend. It belongs to no visitor who chats. */
export type LeadOrder = Partial<Record<keyof ContactDetails, string | undefined>> & {
  consent?: string | undefined;
  /** Lists that replace the site's lists. */
  lists?: readonly string[] | undefined;
};

/** Most leads of one visitor, so that a form cannot flood a list (RELIABILITY A40). */
const PER_VISITOR = 10;
/** If no reply reveals the contact's id within this time (ms), the contact is looked up by email. */
const LOOK_UP_MS = 10 * 60_000;
const CONSENT_MAX = 1_000;

/** The contact details of a corrected form: the new values, and the old ones except the refused field. */
function corrected(person: ContactDetails, before: Lead, field: LeadField | null): ContactDetails {
  return {
    firstName: person.firstName ?? before.firstName,
    lastName: person.lastName ?? before.lastName,
    email: person.email ?? (field === "email" ? null : before.email),
    phone: person.phone ?? (field === "phone" ? null : before.phone),
  };
}

/** Stores the contact details from visitors and the owner's backend, and starts the calls to the service. */
export type Capture = {
  /** Stores a visitor's form. Resolves when the form is durable. If it resolves to an error, nothing was stored. */
  capture: (visitor: string, site: Site, frame: LeadFrame, page?: PageSeen) => Promise<FormError | StoredForm>;
  /** Stores a lead from the owner's backend. The same key always means the same lead. Resolves when it is durable. */
  create: (site: Site, key: string, order: LeadOrder) => Promise<Lead | FormError | "erased">;
};

/** Creates the flow of forms and of leads from the owner's backend. */
export const createCapture = (deps: CaptureDeps): Capture => ({
  capture: (visitor, site, frame, page) => capture(deps, visitor, site, frame, page),
  create: (site, key, order) => create(deps, site, key, order),
});

/** Stores a visitor's form. Resolves when it is durable. If it resolves to an error, nothing was stored. */
async function capture(
  deps: CaptureDeps,
  visitor: string,
  site: Site,
  frame: LeadFrame,
  page?: PageSeen,
): Promise<FormError | StoredForm> {
  const { db, log, leads } = deps;
  const person = readContactDetails(frame, site.leads?.country);
  if (typeof person === "string") return person;
  const written = await db.transaction(
    (tx) => write(deps, tx, visitor, site, { ...frame, seen: page }, person),
    [visitor],
  );
  if (written.error !== undefined) return written.error;
  if (written.fresh) log("lead.captured", { visitor: hashed(visitor) });
  const { leadToCheck } = written;
  return {
    verdict: leadToCheck === undefined ? Promise.resolve(undefined) : leads.firstTry({ visitor, id: leadToCheck }),
  };
}

/**
 * Writes the lead of a form.
 * @returns `leadToCheck`: the lead that the service has to check; with an `error`, nothing was written
 */
async function write(
  deps: CaptureDeps,
  tx: Transaction,
  visitor: string,
  site: Site,
  frame: LeadFrame & { seen?: PageSeen | undefined },
  given: ContactDetails,
): Promise<{ error: FormError } | { error?: undefined; leadToCheck: string | undefined; fresh: boolean }> {
  const { id, chat } = frame;
  const phoneLeadId = `${id}${PHONE_SUFFIX}`;
  const known = await findLead(tx, visitor, id);
  const phone = chat ? await findLead(tx, visitor, phoneLeadId) : undefined;
  const refused = [phone, known].find((lead) => lead?.state === "refused");
  const repeated = refused === undefined || (refused.phone === given.phone && refused.email === given.email);
  if (known !== undefined && repeated) return { leadToCheck: phone?.id ?? (chat ? undefined : id), fresh: false };
  const person = known === undefined ? given : corrected(given, known, refused?.field ?? null);
  if ((person.email ?? person.phone ?? (chat ? (person.firstName ?? person.lastName) : null)) === null) {
    // Nothing is new, except that the visitor wants replies by mail at the stored address.
    const subscribes = frame.reply === true && (await storedEmail(tx, visitor)) !== undefined;
    return subscribes ? { leadToCheck: undefined, fresh: false } : { error: "empty" };
  }
  if (known === undefined && (await countLeads(tx, visitor)) >= PER_VISITOR) return { error: "rate_limited" };
  const now = deps.clock.now();
  const { leadsPerDay: cap } = site;
  if (cap !== undefined && !(await takeOne(tx, { name: `leads of ${site.public.id}`, day: dayOf(now), cap })))
    return { error: "rate_limited" };
  const consent = cleanLine(frame.consent, CONSENT_MAX) ?? known?.consent ?? null;
  if (!(await storeDetails(deps, tx, visitor, site, { id, person, consent, page: frame.seen })))
    return { error: "rate_limited" };
  const base = { visitor, id, site: site.public.id, account: site.account, ...person, consent, lists: null, at: now };
  const due = deps.leads.firstDue(site.account);
  await addLead(tx, chat ? { ...base, own: 0, due: now + LOOK_UP_MS } : { ...base, own: 1, due });
  if (!chat) return { leadToCheck: id, fresh: true };
  await dropLead(tx, visitor, phoneLeadId);
  if (site.leads?.phoneContact !== true || person.phone === null) return { leadToCheck: undefined, fresh: true };
  await addLead(tx, { ...base, id: phoneLeadId, own: 1, due });
  return { leadToCheck: phoneLeadId, fresh: true };
}

/** Stores the person's contact details, and an event for the owner. @returns false when the visitor was erased */
async function storeDetails(
  { clock, storeEvent }: CaptureDeps,
  tx: Transaction,
  visitor: string,
  site: Site,
  {
    id,
    person,
    consent,
    page,
  }: { id: string; person: ContactDetails; consent: string | null; page?: PageSeen | undefined },
): Promise<boolean> {
  await addVisitor(tx, visitor, site.public.id, clock.now());
  if ((await findVisitor(tx, visitor)) === undefined) return false;
  await setDetails(tx, visitor, presentDetails(person), { signed: false });
  if (page !== undefined) await setPage(tx, visitor, page);
  await storeEvent(tx, site.public.id, "lead.captured", { lead: id, visitor, ...presentDetails(person), consent });
  return true;
}

/**
 * Stores a lead from the owner's backend. The same key always means the same lead. Resolves when it is durable; the relay then
 * processes it, and the backend need not call again.
 */
async function create(
  deps: CaptureDeps,
  site: Site,
  key: string,
  order: LeadOrder,
): Promise<Lead | FormError | "erased"> {
  const { db, clock, signing, leads } = deps;
  const person = readContactDetails(order, site.leads?.country);
  if (typeof person === "string") return person;
  if ((person.email ?? person.phone) === null) return "empty";
  const visitor = backendVisitorId(signing, site.public.id, key);
  const id = visitor.slice(2, 22);
  const lists = order.lists === undefined ? null : JSON.stringify(order.lists);
  const lead = await db.transaction(
    async (tx) => {
      const known = await findLead(tx, visitor, id);
      if (known !== undefined) return known;
      const [now, consent] = [clock.now(), cleanLine(order.consent, CONSENT_MAX)];
      if (!(await storeDetails(deps, tx, visitor, site, { id, person, consent }))) return undefined;
      const base = { visitor, id, site: site.public.id, account: site.account, ...person, consent, lists, at: now };
      await addLead(tx, { ...base, own: 1, due: now });
      return findLead(tx, visitor, id);
    },
    [visitor],
  );
  if (lead?.state === "open") leads.begin(lead);
  return lead ?? "erased";
}
