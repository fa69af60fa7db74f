import type { BusinessLabel, ContactExternalId } from "../base/id-types.ts";
import { createTransport, type TransportOptions } from "./http.ts";
import { type Outcome, outcomeOf, softStatus } from "./outcome.ts";

/** What we may ask of the service: one function an endpoint, with exactly the fields the interface names (section 4). */

type Names = { firstName?: string; lastName?: string; email?: string };

/** Section 4.5. */
export type Incoming = Names & {
  messageSid: string;
  fromId: ContactExternalId;
  toId: BusinessLabel;
  body: string;
  channel: string;
  campaignId?: string;
  mediaUrl?: string;
  mediaContentType?: string;
};

/** Section 4.4. */
export type Outgoing = Names & { fromId: ContactExternalId; customChannel: string; body: string; campaignId?: string };

/** Section 2; placeholder values and blanks are absent. */
export type Contact = Names & { id: string; phone?: string };

export type ContactAnswer = Outcome & { contact?: Contact; created?: boolean };
export type SendAnswer = Outcome & { messageId?: string; contactId?: string };
export type GrantAnswer = Outcome & { subAccountId?: string; added?: number; balance?: number };

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const PLACEHOLDERS = new Set(["", "unknown", "unknown@unknown.com", "—", "-"]);

/** Text that says something; numbers as text, because ids come as either. */
function words(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && !PLACEHOLDERS.has(text.trim().toLowerCase()) ? text.trim() : undefined;
}

const first = (...values: unknown[]): string | undefined => values.map(words).find((value) => value !== undefined);

/** The fields of a contact, whatever they are wrapped in: bare, `{contact}`, `{data}`, a list. */
function contactIn(json: unknown): Contact | undefined {
  const outer = Array.isArray(json) ? json[0] : json;
  if (!isFields(outer)) return undefined;
  const wrapped = [outer.contact, outer.data].find((inner) => isFields(inner) || Array.isArray(inner));
  const inner = Array.isArray(wrapped) ? wrapped[0] : wrapped;
  const fields = isFields(inner) ? inner : outer;
  const id = first(fields.id, fields.contactId, fields.contact_id, outer.id, outer.contactId, outer.contact_id);
  if (id === undefined) return undefined;
  const [firstName, lastName, email] = [words(fields.firstName), words(fields.lastName), words(fields.email)];
  const phone = first(fields.phone, fields.phoneNumber);
  return {
    id,
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
  };
}

const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};

/** Without blanks and absent values: the service takes a blank for a value or refuses it. */
function filled<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""),
  ) as Partial<T>;
}

/** Credits may take long, and giving up early leaves an unknown grant (RELIABILITY 3c). */
const GRANT_MS = 60_000;
/** The service fetches or decodes the file before it answers. */
const MEDIA_MS = 60_000;

export function createService(options: TransportOptions & { now?: () => number }) {
  const { call, close } = createTransport(options);
  const now = options.now ?? Date.now;

  return {
    /** 4.1. The same phone twice gives the same contact (R-421: any 2xx with an id). */
    async createContact(fields: Names & { phone?: string }): Promise<ContactAnswer> {
      const answer = await call({ method: "POST", path: "/contacts", auth: "query", body: filled(fields) });
      const outcome = outcomeOf(answer, true, now(), false);
      const contact = answer.phase === "answered" ? contactIn(answer.json) : undefined;
      if (outcome.kind === "ok" && contact === undefined)
        return { ...outcome, kind: "unknown", message: "no contact id in the answer" };
      return {
        ...outcome,
        ...(contact === undefined ? {} : { contact }),
        ...(outcome.status === 201 ? { created: true } : {}),
      };
    },

    /** 4.2. `contact` is absent when there is none. */
    async findContact(by: { phoneNumber: string } | { email: string }): Promise<ContactAnswer> {
      const answer = await call({ method: "GET", path: "/contacts", auth: "query", query: by });
      const outcome = outcomeOf(answer, false, now());
      if (answer.phase !== "answered") return outcome;
      const contact = answer.status < 300 ? contactIn(answer.json) : undefined;
      if (contact !== undefined && outcome.kind === "ok") return { ...outcome, contact };
      // A 200 may say "not found" in its body; any other code in there is an error and not an empty result.
      const status = (answer.status < 300 ? softStatus(answer.json) : undefined) ?? answer.status;
      const refused = answer.status < 300 && isFields(answer.json) && answer.json.error_code === undefined;
      if (answer.status < 300 && answer.json === undefined && answer.text.trim() !== "")
        return { ...outcome, kind: "unknown", message: "the answer is no JSON" };
      const none = outcome.kind === "ok" || (status === 404 && outcome.kind === "permanent") || refused;
      return none ? { ...outcome, kind: "ok" } : outcome;
    },

    /** 4.3. Being on the list already is success. */
    async addToList(listId: string, contactId: string): Promise<Outcome> {
      // A segment of dots alone would be taken for a way up, encoded or not.
      if (/^\.{1,2}$/.test(listId)) return { kind: "permanent", status: 0, message: "not a list's id" };
      const path = `/lists/${encodeURIComponent(listId)}/contacts`;
      return outcomeOf(await call({ method: "POST", path, auth: "query", body: { contactId } }), true, now());
    },

    /** 4.4. Not idempotent: never repeated by itself when the outcome is unknown, so on a connection of its own. */
    async sendMessage(message: Outgoing): Promise<SendAnswer> {
      const path = "/send_custom_channel_message";
      const body = { customData: filled(message) };
      const answer = await call({ method: "POST", path, auth: "query", body, fresh: true });
      const json = answer.phase === "answered" && isFields(answer.json) ? answer.json : {};
      const [messageId, contactId] = [words(json.messageId), words(json.contactId)];
      return {
        ...outcomeOf(answer, false, now(), message.campaignId !== undefined),
        ...(messageId === undefined ? {} : { messageId }),
        ...(contactId === undefined ? {} : { contactId }),
      };
    },

    /** 4.5. Idempotent by `messageSid`: the same one again is never processed twice. */
    async incoming(message: Incoming, messageType: "text" | "reaction" = "text"): Promise<Outcome> {
      const answer = await call({
        method: "POST",
        path: "/incoming_custom_channel_message",
        auth: "query",
        body: { customData: filled(message), messageType },
        ...(message.mediaUrl === undefined ? {} : { timeout: MEDIA_MS }),
      });
      return outcomeOf(answer, true, now(), message.campaignId !== undefined);
    },

    /** 4.6. Not idempotent, and money: on a connection of its own, the key in the header only. */
    async grantCredits(grant: { email: string; amount: number; description?: string }): Promise<GrantAnswer> {
      const body = filled({ ...grant, email: grant.email.trim().toLowerCase() });
      const answer = await call({
        method: "POST",
        path: "/subaccounts/credits",
        auth: "header",
        body,
        timeout: GRANT_MS,
        fresh: true,
      });
      const json = answer.phase === "answered" && isFields(answer.json) ? answer.json : {};
      const subAccountId = words(json.sub_account_id);
      const [added, balance] = [numberIn(json.credits_added), numberIn(json.new_balance)];
      return {
        ...outcomeOf(answer, false, now()),
        ...(subAccountId === undefined ? {} : { subAccountId }),
        ...(added === undefined ? {} : { added }),
        ...(balance === undefined ? {} : { balance }),
      };
    },
    close,
  };
}

export type Service = ReturnType<typeof createService>;
