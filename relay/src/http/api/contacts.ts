import { type ContactDetails, presentDetails, readContactDetails } from "../../base/contact-details.ts";
import { RelayError } from "../../base/errors.ts";
import type { Contacts } from "../../flows/contacts.ts";
import type { Contact } from "../../service/api.ts";
import { isAccepted, type Outcome } from "../../service/outcome.ts";
import type { AnswerOf } from "./operations.ts";
import { Problem } from "./problem.ts";
import type { Call, Handlers } from "./router.ts";

const contactView = ({ id, firstName, lastName, phone, email }: Contact): AnswerOf<"findContact"> => ({
  id,
  firstName: firstName ?? null,
  lastName: lastName ?? null,
  phone: phone ?? null,
  email: email ?? null,
});

/**
 * Returns only if the service accepted the call.
 * @param field the field that the request is about
 * @throws RelayError for a refusal or no answer
 */
function assertAccepted(outcome: Outcome, field?: string): void {
  const { kind, code, message, waitMs } = outcome;
  if (isAccepted(outcome)) return;
  if (code === "INVALID_PHONE") throw new Problem("invalid_phone", message, "phone");
  if (kind === "permanent") throw new Problem("refused_upstream", message, field);
  throw new RelayError("unavailable_upstream", undefined, waitMs === undefined ? {} : { retryAfter: waitMs });
}

/** The field that the service refused: the only given field, or the field that the service's message names. */
function fieldOf({ phone, email }: Partial<ContactDetails>, { message }: Outcome): string | undefined {
  if (phone === undefined || email === undefined) return phone === undefined ? "email" : "phone";
  return /phone/i.test(message) ? "phone" : /e-?mail/i.test(message) ? "email" : undefined;
}

/** The contact details of a request. @throws RelayError that names the wrong field */
function detailsOf(
  { site }: Pick<Call, "site">,
  given: Parameters<typeof readContactDetails>[0],
): ReturnType<typeof presentDetails> {
  const details = readContactDetails(given, site.leads?.country);
  if (details === "invalid_phone") throw new RelayError("invalid_phone", "phone");
  if (details === "invalid_email") throw new Problem("invalid_field", "email must be an email address.", "email");
  return presentDetails(details);
}

/** Contacts at the service. */
export function contactHandlers({ contacts }: { contacts: Contacts }) {
  /**
   * Adds a contact to every list that accepts it.
   * @throws Problem that names the lists that failed, the contact, and the lists that it is on now
   */
  async function joinAll(account: string, contactId: string, lists: readonly string[]): Promise<void> {
    const joined: string[] = [];
    const refused: { field: string; detail: string; outcome: Outcome }[] = [];
    for (const [i, list] of lists.entries()) {
      const outcome = await contacts.addToListOnce(account, list, contactId);
      if (isAccepted(outcome)) joined.push(list);
      else refused.push({ field: `lists[${i}]`, detail: `${list}: ${outcome.message}`, outcome });
    }
    const [first] = refused;
    if (first === undefined) return;
    const errors = refused.map(({ field, detail }) => ({ field, detail }));
    const waits = refused.find(({ outcome }) => outcome.kind !== "permanent")?.outcome;
    const code = waits === undefined ? "refused_upstream" : "unavailable_upstream";
    const details = waits?.waitMs === undefined ? {} : { retryAfter: waits.waitMs };
    throw new Problem(code, first.detail, first.field, errors, { done: { contactId, lists: joined }, details });
  }

  return {
    async findContact(call) {
      const { phone, email } = detailsOf(call, call.query);
      if ((phone === undefined) === (email === undefined))
        throw new Problem("invalid_field", "Name either phone or email.", "phone");
      const answer = await contacts.find(call.site.account, phone === undefined ? { email: email ?? "" } : { phone });
      assertAccepted(answer, phone === undefined ? "email" : "phone");
      if (answer.contact === undefined) throw new RelayError("not_found");
      return contactView(answer.contact);
    },
    async createContact(call) {
      const { lists, ...given } = call.body;
      const details = detailsOf(call, given);
      if (details.phone === undefined && details.email === undefined)
        throw new Problem("invalid_field", "A contact needs a phone or an email.", "email");
      const { account } = call.site;
      const answer = await contacts.findOrCreate(account, details);
      assertAccepted(answer, fieldOf(details, answer));
      if (answer.contact === undefined) throw new RelayError("unavailable_upstream");
      await joinAll(account, answer.contact.id, lists);
      return { contact: contactView(answer.contact), created: answer.created ?? true, lists };
    },
    async addToList({ site, params, body }) {
      const added = await contacts.addToList(site.account, params.list, body.contactId);
      assertAccepted(added, /contact/i.test(added.message) ? "contactId" : "list");
      return null;
    },
  } satisfies Partial<Handlers>;
}
