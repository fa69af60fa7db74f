import { RelayError } from "../../base/errors.ts";
import { phoneOf } from "../../base/phone.ts";
import type { Contacts } from "../../records/contacts.ts";
import type { Contact } from "../../service/api.ts";
import type { Outcome } from "../../service/outcome.ts";
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

/** The service said no, or nothing. @param field what was asked for @throws always, unless it said yes */
function mustBeFine({ kind, code, message, waitMs }: Outcome, field?: string): void {
  if (kind === "ok" || kind === "duplicate") return;
  if (code === "INVALID_PHONE") throw new Problem("invalid_phone", message, "phone");
  if (kind === "permanent") throw new Problem("refused_upstream", message, field);
  throw new RelayError("unavailable_upstream", undefined, waitMs === undefined ? {} : { retryAfter: waitMs });
}

/** Contacts at the service. */
export function people({ contacts }: { contacts: Contacts }) {
  const e164 = (call: Pick<Call, "site">, given: string): string => {
    const phone = phoneOf(given, call.site.leads?.country);
    if (phone === undefined) throw new RelayError("invalid_phone", "phone");
    return phone;
  };

  return {
    async findContact(call) {
      const { phone, email } = call.query;
      if ((phone === undefined) === (email === undefined))
        throw new Problem("invalid_field", "Name either phone or email.", "phone");
      const by = phone === undefined ? { email: email ?? "" } : { phone: e164(call, phone) };
      const answer = await contacts.find(call.site.account, by);
      mustBeFine(answer);
      if (answer.contact === undefined) throw new RelayError("not_found");
      return contactView(answer.contact);
    },
    async createContact(call) {
      const { phone, lists, firstName, lastName, email } = call.body;
      if (phone === undefined && email === undefined)
        throw new Problem("invalid_field", "A contact needs a phone or an e-mail.", "email");
      const { account } = call.site;
      const answer = await contacts.findOrCreate(account, {
        ...(firstName && { firstName }),
        ...(lastName && { lastName }),
        ...(email && { email }),
        ...(phone && { phone: e164(call, phone) }),
      });
      mustBeFine(answer);
      if (answer.contact === undefined) throw new RelayError("unavailable_upstream");
      for (const [i, list] of lists.entries())
        mustBeFine(await contacts.join(account, list, answer.contact.id), `lists.${i}`);
      return { contact: contactView(answer.contact), created: answer.created ?? true, lists };
    },
    async addToList({ site, params, body }) {
      mustBeFine(await contacts.addToList(site.account, params.list, body.contactId));
      return null;
    },
  } satisfies Partial<Handlers>;
}
