import type { Clock } from "../base/clock.ts";
import type { Database } from "../db/database.ts";
import { addMember, isMember } from "../records/memberships.ts";
import type { ContactAnswer } from "../service/api.ts";
import type { Outcome } from "../service/outcome.ts";
import type { PacedCall } from "./paced-calls.ts";

/** What a contact is made of: a phone in E.164, or an e-mail, or both. */
export type Person = { firstName?: string; lastName?: string; email?: string; phone?: string };

const ON_IT: Outcome = { kind: "duplicate", status: 0, message: "added before" };

/**
 * Contacts at the service. Creating is not idempotent for an e-mail alone: whoever has this e-mail is looked up
 * first, and one person is worked on once at a time.
 */
export function createContacts({ db, clock, paced }: { db: Database; clock: Clock; paced: PacedCall }) {
  const working = new Map<string, Promise<unknown>>();

  /** Runs `work` after what is under way for the same person. */
  function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (working.get(name) ?? Promise.resolve()).then(work, work);
    const done = turn
      .catch(() => undefined)
      .finally(() => {
        if (working.get(name) === done) working.delete(name);
      });
    working.set(name, done);
    return turn;
  }

  const find = (account: string, by: { phone: string } | { email: string }): Promise<ContactAnswer> =>
    paced(account, "lookup", (client) => client.findContact("phone" in by ? { phoneNumber: by.phone } : by));

  /** The person's contact, made when there is none. A phone decides who is who (interface 2, rule 3). */
  function findOrCreate(account: string, person: Person): Promise<ContactAnswer> {
    const { phone, email } = person;
    const by = phone === undefined ? { email: email ?? "" } : { phone };
    return alone(`${account}\0${phone ?? email?.toLowerCase()}`, async () => {
      const found = await find(account, by);
      if (found.kind !== "ok" || found.contact !== undefined) return { ...found, created: false };
      const made: ContactAnswer = await paced(account, "contact", (client) => client.createContact(person));
      if (made.kind !== "duplicate") return completed(made, person);
      // Somebody was faster: it is there, and not every answer says under which id.
      return { ...(made.contact === undefined ? await find(account, by) : made), created: false };
    });
  }

  /** Adds a contact to a list, whether or not that was done before: whoever asks may know that a person took it off. */
  async function addToList(account: string, list: string, contact: string): Promise<Outcome> {
    const added = await paced(account, "contact", (client) => client.addToList(list, contact));
    if (added.kind === "ok" || added.kind === "duplicate")
      await db.transaction((tx) => addMember(tx, { account, contact, list, at: clock.now() }), [contact]);
    return added;
  }

  /** The same once per contact and list, however often it is asked for (C11). */
  const join = (account: string, list: string, contact: string): Promise<Outcome> =>
    alone(`${account}\0${list}\0${contact}`, async () =>
      (await isMember(db, account, contact, list)) ? ON_IT : addToList(account, list, contact),
    );

  return { find, findOrCreate, addToList, join };
}

/** A new contact of which the service tells nothing but the id holds what it was made of. */
function completed(answer: ContactAnswer, person: Person): ContactAnswer {
  const { kind, contact } = answer;
  const bare = contact !== undefined && Object.keys(contact).length === 1;
  return kind === "ok" && bare ? { ...answer, contact: { ...person, ...contact } } : answer;
}

export type Contacts = ReturnType<typeof createContacts>;
