import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { createNamedMutex } from "../db/named-mutex.ts";
import { addMember, isMember } from "../records/memberships.ts";
import type { ContactAnswer, Service } from "../service/api.ts";
import { isAccepted, type Outcome } from "../service/outcome.ts";
import type { PacedCall } from "./paced-calls.ts";

/** The details of a contact: a phone number in E.164 form, an email address, or both. */
export type NewContact = { firstName?: string; lastName?: string; email?: string; phone?: string };

type ContactsDeps = { db: Database; clock: Clock; log: Log; paced: PacedCall };

const ALREADY_ADDED: Outcome = { kind: "duplicate", status: 0, message: "added before" };
/** No call was made, because another node is still making one for the same person. */
const BUSY: Outcome = {
  kind: "throttle",
  status: 0,
  message: "another call for this person is under way",
  waitMs: 5_000,
};

/** No call was made, because it is no longer wanted. */
const UNWANTED: Outcome = { kind: "unready", status: 0, message: "the call is no longer wanted" };

/** Whether a call is still wanted. It is asked just before each call, which may have waited for seconds. */
type IsWanted = () => Promise<boolean>;
const always: IsWanted = async () => true;

/** Makes a call with an account's client, unless it is no longer wanted. */
const ifWanted =
  <T extends Outcome>(isWanted: IsWanted, call: (client: Service) => Promise<T>) =>
  async (client: Service): Promise<T | Outcome> =>
    (await isWanted()) ? call(client) : UNWANTED;

type Serially = <T>(name: string, work: () => Promise<T>) => Promise<T | Outcome>;

/** Creates a function that runs `work` after the earlier calls for the same person, on whatever node. */
function createSerially({ db, clock, log }: Omit<ContactsDeps, "paced">): Serially {
  const mutex = createNamedMutex({ db, clock, onError: (error) => log("database.failing", { cause: String(error) }) });
  /** The newest call of this process for each person, until it ends. */
  const newest = new Map<string, Promise<unknown>>();
  return <T>(name: string, work: () => Promise<T>): Promise<T | Outcome> => {
    const withMutex = async (): Promise<T | Outcome> => (await mutex.run(name, work)) ?? BUSY;
    const result = (newest.get(name) ?? Promise.resolve()).then(withMutex, withMutex);
    const done = result
      .catch(() => undefined)
      .finally(() => {
        if (newest.get(name) === done) newest.delete(name);
      });
    newest.set(name, done);
    return result;
  };
}

/**
 * Creates the functions that find contacts at the service, create them, and add them to lists. Creating a contact with only an
 * email is not idempotent, so the email is looked up first, and the calls of all nodes for one person run one after
 * another.
 */
export function createContacts({ paced, ...deps }: ContactsDeps) {
  const { db, clock } = deps;
  const serially = createSerially(deps);

  /** Looks a person up. An answer `ok` without a contact means that there is none. */
  const find = (
    account: string,
    by: { phone: string } | { email: string },
    isWanted = always,
  ): Promise<ContactAnswer> =>
    paced(
      account,
      "lookup",
      ifWanted(isWanted, (client) => client.findContact("phone" in by ? { phoneNumber: by.phone } : by)),
    );

  /** The person's contact; created if there is none. The phone number identifies a person (interface 2, rule 3). */
  function findOrCreate(account: string, person: NewContact, isWanted = always): Promise<ContactAnswer> {
    const { phone, email } = person;
    const by = phone === undefined ? { email: email ?? "" } : { phone };
    return serially(`${account}\0${phone ?? email?.toLowerCase()}`, async () => {
      const found = await find(account, by, isWanted);
      if (found.kind !== "ok" || found.contact !== undefined) return { ...found, created: false };
      const answer: ContactAnswer = await paced(
        account,
        "contact",
        ifWanted(isWanted, (client) => client.createContact(person)),
      );
      if (answer.kind !== "duplicate") return completed(answer, person);
      // Another client created the contact meanwhile. Not every such answer names its id, so it is looked up.
      return { ...(answer.contact === undefined ? await find(account, by, isWanted) : answer), created: false };
    });
  }

  /** Adds a contact to a list, even if that was done before, because a person may have removed it from the list. */
  async function addToList(account: string, list: string, contact: string, isWanted = always): Promise<Outcome> {
    const added = await paced(
      account,
      "contact",
      ifWanted(isWanted, (client) => client.addToList(list, contact)),
    );
    if (isAccepted(added))
      await db.transaction((tx) => addMember(tx, { account, contact, list, at: clock.now() }), [contact]);
    return added;
  }

  /** Adds a contact to a list, unless the relay has added it before (C11). */
  const addToListOnce = (account: string, list: string, contact: string, isWanted = always): Promise<Outcome> =>
    serially(`${account}\0${list}\0${contact}`, async () =>
      (await isMember(db, account, contact, list)) ? ALREADY_ADDED : addToList(account, list, contact, isWanted),
    );

  return { find, findOrCreate, addToList, addToListOnce };
}

/** Adds the details that were sent to the service's answer about a new contact, if the answer has only the id. */
function completed(answer: ContactAnswer, person: NewContact): ContactAnswer {
  const { kind, contact } = answer;
  const hasOnlyId = contact !== undefined && Object.keys(contact).length === 1;
  return kind === "ok" && hasOnlyId ? { ...answer, contact: { ...person, ...contact } } : answer;
}

/** The calls for contacts; see `createContacts`. */
export type Contacts = ReturnType<typeof createContacts>;
