/** The contacts, and the rules for phone numbers, email addresses and duplicates (interface 4.1, 4.2, BEHAVIOUR 2.2). */

import { Refusal } from "./answers.ts";
import type { Person } from "./fields.ts";
import type { SandboxConfig } from "./options.ts";

export type Contact = {
  id: string;
  firstName?: string;
  lastName?: string;
  phone?: string;
  email?: string;
  /** ISO 8601 with milliseconds and Z. */
  createdAt: string;
  /** The id on the client's platform, for contacts of a custom channel. */
  fromId?: string;
};

export type Contacts = {
  get(id: string): Contact | undefined;
  /** The contact of a custom-channel sender (interface 2, rule 2). */
  byFromId(fromId: string): Contact | undefined;
  byPhone(phone: string): Contact | undefined;
  byEmail(email: string): Contact | undefined;
  /** Finds a contact by phone, or creates one (interface 4.1). `created` is false for an existing contact. */
  create(person: Person, phone: string | undefined): { contact: Contact; created: boolean };
  /** Finds or creates the contact of `fromId`. Names and email apply when it is created. */
  ofSender(fromId: string, person: Person): Contact;
  all(): Contact[];
  clear(): void;
};

const E164 = /^\+[1-9]\d{6,14}$/;
const SEPARATORS = /[\s().\-/\u00a0\u2010-\u2015]/g;
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** A phone number as stored. @throws Refusal INVALID_PHONE */
export function checkPhone(given: string, config: SandboxConfig): string {
  const phone = given.trim();
  const stripped = phone.replace(SEPARATORS, "").replace(/^00/, "+");
  if (config.phoneStrictness === "e164" && E164.test(phone)) return phone;
  if (config.phoneStrictness === "plusOnly" && phone.startsWith("+") && E164.test(stripped)) return phone;
  if (config.phoneStrictness === "strip" && E164.test(stripped)) return stripped;
  throw new Refusal("INVALID_PHONE", "Phone number must include the country code with a leading +");
}

/** @throws Refusal INVALID_EMAIL */
export function checkEmail(email: string, config: SandboxConfig): string {
  if (config.emailValidation === "basic" && (!EMAIL.test(email) || email.length > 254)) {
    throw new Refusal("INVALID_EMAIL", "Email address is not valid");
  }
  return email;
}

type Store = {
  config: SandboxConfig;
  newId: () => string;
  now: () => number;
  byId: Map<string, Contact>;
  phones: Map<string, Contact>;
  emails: Map<string, Contact[]>;
  senders: Map<string, Contact>;
};

/** @param config read at each call: the rules for equal phones, equal emails and linked senders may change */
export function createContacts(config: SandboxConfig, newId: () => string, now: () => number): Contacts {
  const store: Store = {
    config,
    newId,
    now,
    byId: new Map(),
    phones: new Map(),
    emails: new Map(),
    senders: new Map(),
  };
  return {
    get: (id) => store.byId.get(id),
    byFromId: (fromId) => store.senders.get(fromId),
    byPhone: (phone) => byPhone(store, phone),
    byEmail: (email) => byEmail(store, email),
    create(person, phone) {
      const known = existingContact(store, person, phone);
      if (known === undefined) return { contact: add(store, person, phone), created: true };
      if (config.mergeOnDuplicate) update(store, known, person, true);
      return { contact: known, created: false };
    },
    ofSender: (fromId, person) => ofSender(store, fromId, person),
    all: () => [...store.byId.values()],
    clear() {
      for (const index of [store.byId, store.phones, store.emails, store.senders]) index.clear();
    },
  };
}

/** Numbers with the same key are the same number. */
function phoneKey({ config }: Store, phone: string): string {
  if (config.phoneMatch === "exact") return phone;
  const bare = phone.replace(SEPARATORS, "");
  return config.phoneMatch === "digits" ? bare.replace(/^(\+|00)/, "") : bare;
}

const byPhone = (store: Store, phone: string): Contact | undefined => store.phones.get(phoneKey(store, phone));

function byEmail({ config, emails }: Store, email: string): Contact | undefined {
  const known = emails.get(email.toLowerCase());
  return config.emailMatch === "oldest" ? known?.[0] : known?.at(-1);
}

function indexEmail({ emails }: Store, contact: Contact): void {
  if (contact.email === undefined) return;
  const key = contact.email.toLowerCase();
  const known = emails.get(key);
  if (known === undefined) emails.set(key, [contact]);
  else if (!known.includes(contact)) known.push(contact);
}

function add(store: Store, person: Person, phone?: string, fromId?: string): Contact {
  const contact: Contact = { id: store.newId(), ...person, createdAt: new Date(store.now()).toISOString() };
  if (phone !== undefined) contact.phone = phone;
  if (fromId !== undefined) contact.fromId = fromId;
  store.byId.set(contact.id, contact);
  if (phone !== undefined) store.phones.set(phoneKey(store, phone), contact);
  if (fromId !== undefined) store.senders.set(fromId, contact);
  indexEmail(store, contact);
  return contact;
}

function update(store: Store, contact: Contact, person: Person, overwrite: boolean): void {
  const oldEmail = contact.email?.toLowerCase();
  Object.assign(contact, overwrite ? person : { ...person, ...contact });
  if (oldEmail === contact.email?.toLowerCase()) return;
  if (oldEmail !== undefined) {
    const others = (store.emails.get(oldEmail) ?? []).filter((other) => other !== contact);
    store.emails.set(oldEmail, others);
  }
  indexEmail(store, contact);
}

/** The contact that `/contacts` considers the same person. */
function existingContact(store: Store, person: Person, phone: string | undefined): Contact | undefined {
  if (phone !== undefined) return byPhone(store, phone);
  return store.config.dedupeByEmail && person.email !== undefined ? byEmail(store, person.email) : undefined;
}

/** The contact made by `/contacts` that the option `linkContacts` considers the same as this sender. */
function linkedContact(store: Store, fromId: string, person: Person): Contact | undefined {
  const { linkContacts } = store.config;
  if (linkContacts === "email") return person.email === undefined ? undefined : byEmail(store, person.email);
  if (linkContacts === "fromIdEqualsPhoneOrEmail") return byPhone(store, fromId) ?? byEmail(store, fromId);
  return undefined;
}

function ofSender(store: Store, fromId: string, person: Person): Contact {
  const known = store.senders.get(fromId) ?? linkedContact(store, fromId, person);
  if (known === undefined) return add(store, person, undefined, fromId);
  store.senders.set(fromId, known);
  known.fromId ??= fromId;
  const rule = store.config.contactUpdateOnIncoming;
  if (rule !== "never") update(store, known, person, rule === "overwrite");
  return known;
}
