import { isFields } from "@porchlight/shared/json-fields";
import type { BusinessLabel, ContactExternalId } from "../base/id-types.ts";
import { isPlaceholder } from "../base/input-text.ts";
import { createTransport, type Transport, type TransportOptions } from "./http.ts";
import { type Outcome, outcomeOf, softStatus } from "./outcome.ts";

/**
 * The client of the messaging service: one function for each endpoint, with the fields that the interface names (interface 4).
 */

/** Who a person is. */
type Names = { firstName?: string; lastName?: string; email?: string };

/** A visitor's message, as the service gets it (interface 4.5). */
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

/** A message to a visitor, which the service sends (interface 4.4). */
export type Outgoing = Names & { fromId: ContactExternalId; customChannel: string; body: string; campaignId?: string };

/** A person that the service knows (interface 2). Placeholder values and blanks are absent. */
export type Contact = Names & { id: string; phone?: string };

/** `created`: the contact is new. */
export type ContactAnswer = Outcome & { contact?: Contact; created?: boolean };
/** `messageId` and `contactId`: the service's ids, if its answer has them. */
export type SendAnswer = Outcome & { messageId?: string; contactId?: string };
/** `added` and `balance`: credits, if the answer has them. */
export type GrantAnswer = Outcome & { subAccountId?: string; added?: number; balance?: number };

/** A text that is neither blank nor a placeholder; a number becomes text, because ids arrive as either. */
function presentText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && !isPlaceholder(text) ? text.trim() : undefined;
}

/** The first present text among the values. */
const first = (...values: unknown[]): string | undefined =>
  values.map(presentText).find((value) => value !== undefined);

/** The fields of a contact: bare, or inside `{contact}`, `{data}` or a list. */
function contactIn(json: unknown): Contact | undefined {
  const outer = Array.isArray(json) ? json[0] : json;
  if (!isFields(outer)) return undefined;
  const wrapped = [outer.contact, outer.data].find((inner) => isFields(inner) || Array.isArray(inner));
  const inner = Array.isArray(wrapped) ? wrapped[0] : wrapped;
  const fields = isFields(inner) ? inner : outer;
  const id = first(fields.id, fields.contactId, fields.contact_id, outer.id, outer.contactId, outer.contact_id);
  if (id === undefined) return undefined;
  const [firstName, lastName, email] = [
    presentText(fields.firstName),
    presentText(fields.lastName),
    presentText(fields.email),
  ];
  const phone = first(fields.phone, fields.phoneNumber);
  return {
    id,
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
  };
}

/** A number, or a text that contains one. @returns undefined for any other value */
const numberIn = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};

/** Removes blank and absent values: the service stores or refuses blanks. */
function filled<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""),
  ) as Partial<T>;
}

/** Time limit of a grant in ms. A grant may take long, and a call that is given up leaves an unknown grant (RELIABILITY 3c). */
const GRANT_MS = 60_000;
/** Time limit in ms for a message with a file, which the service fetches or decodes before it answers. */
const MEDIA_MS = 60_000;

/** `call`: sends one request. `now`: ms since 1970. */
type Client = { call: Transport["call"]; now: () => number };

/** The client of one account. No function rejects: an `Outcome` says what happened. */
export type Service = {
  /** Creates a contact (4.1). The same phone number twice gives the same contact (R-421: any 2xx with an id). */
  createContact: (fields: Names & { phone?: string }) => Promise<ContactAnswer>;
  /** Finds a contact (4.2). `contact` is absent when there is none. */
  findContact: (by: { phoneNumber: string } | { email: string }) => Promise<ContactAnswer>;
  /** Adds a contact to a list (4.3). A contact that is on the list already is a success. */
  addToList: (listId: string, contactId: string) => Promise<Outcome>;
  /** Sends a message to a visitor (4.4). Not idempotent: never repeated when the outcome is unknown. */
  sendMessage: (message: Outgoing) => Promise<SendAnswer>;
  /**
   * Sends a visitor's message to the service (4.5). Idempotent by `messageSid`: the service processes each once.
   * @param mayWrite asked right before the request is written; after `false` nothing is sent, and the outcome is `transient`
   */
  incoming: (message: Incoming, messageType?: MessageType, mayWrite?: () => boolean) => Promise<Outcome>;
  /** Grants credits (4.6). Not idempotent, and money: the key travels in the header only. */
  grantCredits: (grant: Grant) => Promise<GrantAnswer>;
  /** Ends all connections; calls under way fail. */
  close: () => Promise<void>;
};

type MessageType = "text" | "reaction";

type Grant = { email: string; amount: number; description?: string };

/**
 * Creates the client of one account.
 * @param options `now`: ms since 1970; replaced in tests
 * @throws Error when the key would be sent unencrypted to another machine, or `baseUrl` is not an address
 */
export function createService(options: TransportOptions & { now?: () => number }): Service {
  const { call, close } = createTransport(options);
  const client = { call, now: options.now ?? Date.now };
  return {
    createContact: (fields) => createContact(client, fields),
    findContact: (by) => findContact(client, by),
    addToList: (listId, contactId) => addToList(client, listId, contactId),
    sendMessage: (message) => sendMessage(client, message),
    incoming: (message, messageType = "text", mayWrite) => incoming(client, message, messageType, mayWrite),
    grantCredits: (grant) => grantCredits(client, grant),
    close,
  };
}

async function createContact({ call, now }: Client, fields: Names & { phone?: string }): Promise<ContactAnswer> {
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
}

async function findContact(
  { call, now }: Client,
  by: { phoneNumber: string } | { email: string },
): Promise<ContactAnswer> {
  const answer = await call({ method: "GET", path: "/contacts", auth: "query", query: by });
  const outcome = outcomeOf(answer, false, now());
  if (answer.phase !== "answered") return outcome;
  const contact = answer.status < 300 ? contactIn(answer.json) : undefined;
  if (contact !== undefined && outcome.kind === "ok") return { ...outcome, contact };
  // A 200 may say "not found" in its body. Any other code in the body is an error, not an empty result.
  const status = (answer.status < 300 ? softStatus(answer.json) : undefined) ?? answer.status;
  const refused = answer.status < 300 && isFields(answer.json) && answer.json.error_code === undefined;
  if (answer.status < 300 && answer.json === undefined && answer.text.trim() !== "")
    return { ...outcome, kind: "unknown", message: "the answer is not JSON" };
  const none = outcome.kind === "ok" || (status === 404 && outcome.kind === "permanent") || refused;
  return none ? { ...outcome, kind: "ok" } : outcome;
}

async function addToList({ call, now }: Client, listId: string, contactId: string): Promise<Outcome> {
  // A path segment of dots alone means the parent folder, encoded or not.
  if (/^\.{1,2}$/.test(listId)) return { kind: "permanent", status: 0, message: "invalid list id" };
  const path = `/lists/${encodeURIComponent(listId)}/contacts`;
  return outcomeOf(await call({ method: "POST", path, auth: "query", body: { contactId } }), true, now());
}

async function sendMessage({ call, now }: Client, message: Outgoing): Promise<SendAnswer> {
  const path = "/send_custom_channel_message";
  const body = { customData: filled(message) };
  // A fresh connection: the server cannot have closed it, so a failure to connect is certain.
  const answer = await call({ method: "POST", path, auth: "query", body, fresh: true });
  const json = answer.phase === "answered" && isFields(answer.json) ? answer.json : {};
  const [messageId, contactId] = [presentText(json.messageId), presentText(json.contactId)];
  return {
    ...outcomeOf(answer, false, now(), message.campaignId !== undefined),
    ...(messageId === undefined ? {} : { messageId }),
    ...(contactId === undefined ? {} : { contactId }),
  };
}

async function incoming(
  { call, now }: Client,
  message: Incoming,
  messageType: MessageType,
  mayWrite?: () => boolean,
): Promise<Outcome> {
  const answer = await call({
    method: "POST",
    path: "/incoming_custom_channel_message",
    auth: "query",
    body: { customData: filled(message), messageType },
    ...(message.mediaUrl === undefined ? {} : { timeout: MEDIA_MS }),
    ...(mayWrite && { mayWrite }),
  });
  return outcomeOf(answer, true, now(), message.campaignId !== undefined);
}

async function grantCredits({ call, now }: Client, grant: Grant): Promise<GrantAnswer> {
  const body = filled({ ...grant, email: grant.email.trim().toLowerCase() });
  const path = "/subaccounts/credits";
  const answer = await call({ method: "POST", path, auth: "header", body, timeout: GRANT_MS, fresh: true });
  const json = answer.phase === "answered" && isFields(answer.json) ? answer.json : {};
  const subAccountId = presentText(json.sub_account_id);
  const [added, balance] = [numberIn(json.credits_added), numberIn(json.new_balance)];
  return {
    ...outcomeOf(answer, false, now()),
    ...(subAccountId === undefined ? {} : { subAccountId }),
    ...(added === undefined ? {} : { added }),
    ...(balance === undefined ? {} : { balance }),
  };
}
