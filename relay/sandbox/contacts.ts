/** Contacts: the store, and what the interface says about phones, e-mails and who is the same (4.1, 4.2, R-2xx). */

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
  /** Finds by phone or creates (4.1). `created` is false for an existing contact. */
  create(person: Person, phone: string | undefined): { contact: Contact; created: boolean };
  /** Finds or creates the contact of `fromId`; names and e-mail count on creation. */
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

export function makeContacts(config: SandboxConfig, newId: () => string, now: () => number): Contacts {
  const byId = new Map<string, Contact>();
  const phones = new Map<string, Contact>();
  const emails = new Map<string, Contact[]>();
  const senders = new Map<string, Contact>();

  /** What two numbers must share to be the same. */
  function phoneKey(phone: string): string {
    if (config.phoneMatch === "exact") return phone;
    const bare = phone.replace(SEPARATORS, "");
    return config.phoneMatch === "digits" ? bare.replace(/^(\+|00)/, "") : bare;
  }

  function indexEmail(contact: Contact): void {
    if (contact.email === undefined) return;
    const key = contact.email.toLowerCase();
    const known = emails.get(key);
    if (known === undefined) emails.set(key, [contact]);
    else if (!known.includes(contact)) known.push(contact);
  }

  function add(person: Person, phone?: string, fromId?: string): Contact {
    const contact: Contact = { id: newId(), ...person, createdAt: new Date(now()).toISOString() };
    if (phone !== undefined) contact.phone = phone;
    if (fromId !== undefined) contact.fromId = fromId;
    byId.set(contact.id, contact);
    if (phone !== undefined) phones.set(phoneKey(phone), contact);
    if (fromId !== undefined) senders.set(fromId, contact);
    indexEmail(contact);
    return contact;
  }

  function update(contact: Contact, person: Person, overwrite: boolean): void {
    const oldEmail = contact.email?.toLowerCase();
    Object.assign(contact, overwrite ? person : { ...person, ...contact });
    if (oldEmail === contact.email?.toLowerCase()) return;
    if (oldEmail !== undefined) {
      emails.set(
        oldEmail,
        (emails.get(oldEmail) ?? []).filter((other) => other !== contact),
      );
    }
    indexEmail(contact);
  }

  function byEmail(email: string): Contact | undefined {
    const known = emails.get(email.toLowerCase());
    return config.emailMatch === "oldest" ? known?.[0] : known?.at(-1);
  }

  const byPhone = (phone: string) => phones.get(phoneKey(phone));

  function existing(person: Person, phone: string | undefined): Contact | undefined {
    if (phone !== undefined) return byPhone(phone);
    return config.dedupeByEmail && person.email !== undefined ? byEmail(person.email) : undefined;
  }

  /** A contact of `/contacts` that a option takes for the same person as this sender. */
  function linked(fromId: string, person: Person): Contact | undefined {
    if (config.linkContacts === "email") return person.email === undefined ? undefined : byEmail(person.email);
    if (config.linkContacts === "fromIdEqualsPhoneOrEmail") return byPhone(fromId) ?? byEmail(fromId);
    return undefined;
  }

  return {
    get: (id) => byId.get(id),
    byFromId: (fromId) => senders.get(fromId),
    byPhone,
    byEmail,
    create(person, phone) {
      const known = existing(person, phone);
      if (known === undefined) return { contact: add(person, phone), created: true };
      if (config.mergeOnDuplicate) update(known, person, true);
      return { contact: known, created: false };
    },
    ofSender(fromId, person) {
      const known = senders.get(fromId) ?? linked(fromId, person);
      if (known === undefined) return add(person, undefined, fromId);
      senders.set(fromId, known);
      known.fromId ??= fromId;
      if (config.contactUpdateOnIncoming !== "never") {
        update(known, person, config.contactUpdateOnIncoming === "overwrite");
      }
      return known;
    },
    all: () => [...byId.values()],
    clear() {
      for (const index of [byId, phones, emails, senders]) index.clear();
    },
  };
}
