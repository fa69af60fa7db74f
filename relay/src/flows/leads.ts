import { backoff } from "@porchlight/shared/backoff";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { presentDetails } from "../base/contact-details.ts";
import { hashed, type Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import { NO_LEADS } from "../base/rules.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import {
  claimLead,
  dueLeads,
  findLead,
  formErrorOf,
  formOf,
  type Lead,
  type LeadField,
  releaseLeads,
  renewLead,
  retryRefusedKey,
  setLead,
} from "../records/leads.ts";
import type { Sites } from "../records/sites.ts";
import { findVisitor, ownerOf, setContactIfUnknown } from "../records/visitors.ts";
import type { ContactAnswer } from "../service/api.ts";
import { isAccepted, type Outcome } from "../service/outcome.ts";
import type { Contacts } from "./contacts.ts";

type LeadDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  sites: Sites;
  contacts: Contacts;
  random: () => number;
  /** Whether this node makes the calls of an account. */
  works: (account: string) => boolean;
};

/** The state of one process. */
type State = LeadDeps & {
  /** Work under way, for an orderly stop. */
  working: Set<Promise<void>>;
  /** Names of the leads that are being processed, so that no lead is processed twice at the same time. */
  busy: Set<string>;
  /** Names of the leads for which an open form waits, with the refused field once it is known. */
  awaited: Map<string, LeadField | undefined>;
};

/** An open form waits this long (ms) for the service's answer. A later refusal reaches the visitor in a frame of its own. */
const FIRST_TRY_MS = 4_000;
/** After this time (ms), the contact of a visitor who never wrote is no longer looked up. A reply still reveals the contact. */
const LOOK_UP_UNTIL_MS = 30 * 86_400_000;
/** Interval (ms) at which an open form reads what another node has stored about its lead. */
const WATCH_MS = 250;
/** For this long (ms), no other process takes a lead that is being processed. Then another process may resume it. */
const CLAIM_MS = 60_000;
/** Interval of the search for due leads, in ms, and the most that one search finds. */
const POLL_MS = 2_000;
const BATCH = 20;
/** Waits between attempts: full jitter up to `min(cap, base * 2^attempt)`. The cap of look-ups by email is longer. */
const RETRY_BASE_MS = 2_000;
const RETRY_CAP_MS = 3_600_000;
const LOOK_UP_CAP_MS = 86_400_000;

/**
 * Turns stored leads into contacts and puts them on the site's lists, step by step. Each step happens once and is resumed
 * after a failure or a crash (C9 to C11).
 */
export function createLeads({
  works = () => true,
  ...given
}: Omit<LeadDeps, "random" | "works"> & Partial<Pick<LeadDeps, "random" | "works">>) {
  const state: State = {
    random: Math.random,
    ...given,
    works: (account) => !poll.isStopped() && works(account),
    working: new Set(),
    busy: new Set(),
    awaited: new Map(),
  };
  const { db, clock, log } = state;
  const poll = createPoll({
    clock,
    every: POLL_MS,
    run: () => workOnDue(state, () => poll.isStopped()),
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  return {
    /** Works on a lead and waits a few seconds for the service's verdict. */
    firstTry: (about: LeadName) => firstTry(state, about),
    /** When another process may begin with a new lead: at once if another node makes the calls of the account. */
    firstDue: (account: string): number => clock.now() + (state.works(account) ? CLAIM_MS : 0),
    /** Begins to work on a lead that is stored. */
    begin: (lead: Lead): void => void workOn(state, lead),
    /** Makes a lead due now, also a refused one; see `retry`. */
    renew: (site: Site, visitor: string, id: string) => renew(state, site, visitor, id),
    /** Renews a lead and works on it at once. */
    async retry(site: Site, visitor: string, id: string): Promise<Lead | undefined> {
      const lead = await renew(state, site, visitor, id);
      if (lead !== undefined) void workOn(state, lead);
      return lead;
    },
    /** Resumes the leads that waited for a valid account key. */
    async retryRefusedKey(account: string): Promise<void> {
      await db.transaction((tx) => retryRefusedKey(tx, account, clock.now()));
    },
    /** Resumes what earlier processes left. A SQLite database belongs to one process, so no other one holds a lead. */
    async start(): Promise<void> {
      const now = clock.now();
      if (db.dialect === "sqlite") await db.transaction((tx) => releaseLeads(tx, now, now + CLAIM_MS));
      poll.start();
    },
    async stop(): Promise<void> {
      await poll.stop();
      await Promise.all(state.working);
    },
  };
}

/** The flow of leads; see `createLeads`. */
export type Leads = ReturnType<typeof createLeads>;

type LeadName = Pick<Lead, "visitor" | "id">;

const nameOf = ({ visitor, id }: LeadName): string => `${visitor}\0${id}`;
const problemOf = ({ status, message }: Outcome): string => `${status}: ${message}`;

/** The field that a refusal is about: the service names it, or the lead has only one. */
function fieldOf({ email, phone }: Lead, { code }: Outcome): LeadField | null {
  if (code === "INVALID_PHONE" || email === null) return "phone";
  return phone === null ? "email" : null;
}

/** Resumes a lead at a person's request, also a refused one. @returns undefined when there is no such lead or it is done */
const renew = ({ db, clock }: State, site: Site, visitor: string, id: string): Promise<Lead | undefined> =>
  db.transaction((tx) => renewLead(tx, { visitor, id, site: site.public.id }, clock.now()), [visitor]);

/**
 * Waits a few seconds for the service's answer, so that an open form can show which field was refused.
 * @returns the error of the refused field; undefined when the lead was accepted or the answer takes longer
 */
async function firstTry(state: State, about: LeadName): Promise<`invalid_${LeadField}` | undefined> {
  const { db, clock, awaited } = state;
  const lead = await findLead(db, about.visitor, about.id);
  if (lead?.state === "refused") return lead.field === null ? undefined : `invalid_${lead.field}`;
  if (lead?.state !== "open") return undefined;
  const name = nameOf(about);
  awaited.set(name, undefined);
  const timeout = new Promise<void>((resolve) => void clock.after(FIRST_TRY_MS, resolve));
  await Promise.race([state.works(lead.account) ? workOn(state, lead) : watch(state, about), timeout]);
  const field = awaited.get(name);
  awaited.delete(name);
  return field && `invalid_${field}`;
}

/** Waits, while a form is open, for the result of another node that works on its lead. */
async function watch({ db, clock, awaited }: State, { visitor, id }: LeadName): Promise<void> {
  const name = nameOf({ visitor, id });
  while (awaited.has(name)) {
    const lead = await findLead(db, visitor, id);
    if (lead?.state === "refused" && lead.field !== null && awaited.has(name)) awaited.set(name, lead.field);
    if (lead?.state !== "open") return;
    await new Promise<void>((resolve) => void clock.after(WATCH_MS, resolve));
  }
}

async function workOnDue(state: State, stopped: () => boolean): Promise<void> {
  for (const lead of await dueLeads(state.db, state.clock.now(), BATCH)) if (!stopped()) await workOn(state, lead);
}

/**
 * Works on a lead, unless another node works for its account. Never rejects: a failure of the database is logged, and the
 * poll tries again.
 */
function workOn(state: State, lead: Lead): Promise<void> {
  if (!state.works(lead.account)) return Promise.resolve();
  const work = claimAndAdvance(state, lead).catch((error: unknown) =>
    state.log("database.failing", { cause: String(error) }),
  );
  state.working.add(work);
  return work.finally(() => state.working.delete(work));
}

async function claimAndAdvance(state: State, lead: Lead): Promise<void> {
  const { db, clock, busy } = state;
  const name = nameOf(lead);
  if (busy.has(name)) return;
  busy.add(name);
  try {
    const until = clock.now() + CLAIM_MS;
    if (await db.transaction((tx) => claimLead(tx, lead, until), [lead.visitor]))
      await advance(state, { ...lead, due: until });
  } finally {
    busy.delete(name);
  }
}

/** Takes the lead's next steps: its contact, its lists, done. */
async function advance(state: State, lead: Lead): Promise<void> {
  const { db, log } = state;
  const contact = lead.contact ?? (await contactOf(state, lead));
  if (typeof contact !== "string") {
    const refused = contact.kind === "permanent" || contact.code === "INVALID_PHONE";
    return refused ? refuseLead(state, lead, contact) : postponeLead(state, lead, contact);
  }
  // Stored before the lists, so that a later step never looks for the contact again.
  if (lead.contact === null) await db.transaction((tx) => setLead(tx, lead, { ...lead, contact }), [lead.visitor]);
  const obstacle = await joinLists(state, lead, contact);
  if (obstacle !== undefined) return postponeLead(state, { ...lead, contact }, obstacle);
  await db.transaction(
    async (tx) => {
      await setLead(tx, lead, { ...lead, state: "done", problem: null, contact });
      if (lead.own === 0) await setContactIfUnknown(tx, lead.visitor, contact);
    },
    [lead.visitor],
  );
  log("lead.done", { visitor: hashed(lead.visitor) });
}

/**
 * Whether a lead still exists: at its visitor, or at the user who took over the visitor's thread. After a deletion, no call may
 * contain its details, also while it is under way.
 */
async function exists({ db }: State, { visitor, id }: LeadName): Promise<boolean> {
  const owner = await ownerOf(db, visitor);
  const lead = owner === undefined ? undefined : await findLead(db, owner, id);
  return lead !== undefined;
}

/** The contact's id: from the visitor's chat, by email, or of a contact made for the lead. Otherwise what prevents it. */
async function contactOf(state: State, lead: Lead): Promise<string | Outcome> {
  const { db, contacts } = state;
  const { visitor, account, email, own } = lead;
  const isWanted = () => exists(state, lead);
  if (own === 1) {
    const made = await contacts.findOrCreate(account, presentDetails(lead), isWanted);
    return made.contact?.id ?? made;
  }
  const known = (await findVisitor(db, visitor))?.contact;
  if (typeof known === "string") return known;
  const none: ContactAnswer = { kind: "transient", status: 0, message: "the contact of the chat is not known yet" };
  const found = email === null ? none : await contacts.find(account, { email }, isWanted);
  // A look-up that finds no contact is not final: the first reply reveals the contact.
  return found.contact?.id ?? (isAccepted(found) || found.kind === "permanent" ? none : found);
}

/** Puts the contact on each list of the lead. @returns the first failure; lists after a temporary failure are not tried */
async function joinLists(state: State, lead: Lead, contact: string): Promise<Outcome | undefined> {
  const { sites, contacts } = state;
  const stored = lead.lists === null ? undefined : (JSON.parse(lead.lists) as string[]);
  const lists = stored ?? (sites.find(lead.site)?.leads ?? NO_LEADS).lists;
  let obstacle: Outcome | undefined;
  for (const list of lists) {
    const outcome = await contacts.addToListOnce(lead.account, list, contact, () => exists(state, lead));
    if (isAccepted(outcome)) continue;
    obstacle ??= { ...outcome, message: `list ${list}: ${outcome.message}` };
    // An unknown list does not prevent adding the lead to the other lists.
    if (outcome.kind !== "permanent") break;
  }
  return obstacle;
}

/** Stores the failure and the time of the next try. */
async function postponeLead({ db, clock, log, random }: State, lead: Lead, outcome: Outcome): Promise<void> {
  const { attempts, own, contact, at } = lead;
  const looksUp = own === 0 && contact === null;
  const cap = looksUp ? LOOK_UP_CAP_MS : RETRY_CAP_MS;
  const wait = Math.max(outcome.waitMs ?? 0, backoff(attempts, RETRY_BASE_MS, cap, random), RETRY_BASE_MS);
  const givenUp = looksUp && clock.now() - at > LOOK_UP_UNTIL_MS;
  const due = givenUp ? Number.MAX_SAFE_INTEGER : clock.now() + wait;
  const problem = problemOf(outcome);
  await db.transaction((tx) => setLead(tx, lead, { ...lead, problem, attempts: attempts + 1, due }), [lead.visitor]);
  const needsPerson = outcome.kind === "permanent" || outcome.kind === "config";
  if (needsPerson) log("lead.waiting", { visitor: hashed(lead.visitor), problem });
}

/**
 * Ends a lead that the service refused, and tells the visitor which field to correct: in the open form, or at the next visit.
 */
async function refuseLead(state: State, lead: Lead, outcome: Outcome): Promise<void> {
  const { db, bus, clock, log, awaited } = state;
  const field = fieldOf(lead, outcome);
  const problem = problemOf(outcome);
  // The time of the refusal, by which other nodes find it (`refusalsSince`).
  const due = clock.now();
  const next = { ...lead, state: "refused", field, problem, attempts: lead.attempts + 1, due } as const;
  const form = await db.transaction(
    async (tx) => {
      await setLead(tx, lead, next);
      return formOf(tx, next);
    },
    [lead.visitor],
  );
  log("lead.refused", { visitor: hashed(lead.visitor), problem });
  if (field === null) return;
  if (awaited.has(nameOf(lead))) awaited.set(nameOf(lead), field);
  else bus.publish({ visitor: lead.visitor, head: 0, error: formErrorOf(form, field) });
}
