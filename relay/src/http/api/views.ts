import type { Message } from "@porchlight/shared/protocol";
import type { Event } from "../../records/events.ts";
import type { Lead } from "../../records/leads.ts";
import { contentOf, GRANT_STATES } from "../../records/ledger/grants.ts";
import type { LedgerEntry } from "../../records/ledger/ledger.ts";
import { SENT_STATES, sentContent } from "../../records/ledger/own-messages.ts";
import type { DeliveryRow, ListedVisitor } from "../../records/listings.ts";
import { describeFile } from "../../records/media.ts";
import { profileOf } from "../../records/profiles.ts";
import type { RatingRow } from "../../records/ratings.ts";
import type { Token } from "../../records/tokens.ts";
import type { AnswerOf } from "./operations.ts";
import { Problem } from "./problem.ts";

/** The actor that ledger entries store for a call of the API. */
export const actorOf = ({ token }: { token: Token }): string => `token ${token.name}`;

/** A time as ISO 8601 text in UTC. @param ms milliseconds since 1970 */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** A visitor as the API shows it. */
export const visitorView = ({
  created,
  subject,
  contact,
  page,
  page_title,
  read,
  deleting,
  ...row
}: ListedVisitor): AnswerOf<"getVisitor"> => ({
  ...row,
  createdAt: iso(created),
  ...profileOf({ subject, contact, page, page_title }),
  seen: read,
  deleting: Boolean(deleting),
});

/** A visitor's message that the service has not accepted, as the API shows it. */
export function deliveryView(row: DeliveryRow): AnswerOf<"listDeliveries">["items"][number] {
  const { visitor, id, state, attempts, due, reason, error } = row;
  return { visitor, message: id, state, attempts, due: due === null ? null : iso(due), reason, error };
}

/** An event for the owner's webhook. `due` is null unless another try follows. */
export function eventView(event: Event): AnswerOf<"retryWebhookEvent"> {
  const { id, type, at, state, attempts, due, status, problem } = event;
  return { id, type, at: iso(at), state, attempts, due: state === "waiting" ? iso(due) : null, status, problem };
}

type MessageView = AnswerOf<"listMessages">["items"][number];

/** A message as the API shows it. @param linkTo returns the address of a file, given its key and type */
export const messageView =
  (linkTo: (key: string, type: string) => string) =>
  (message: Message): MessageView => {
    const { id, pos, at, from, text, media } = message;
    const file = media === undefined ? null : { ...describeFile(media), url: linkTo(media.url, media.type) };
    const [state, reason] = message.from === "visitor" ? [message.state, message.reason ?? null] : [null, null];
    return { id, position: pos, at: iso(at), from, text, state, reason, file };
  };

/** Encodes the end of a page as opaque text. */
const cursorFor = (fields: object): string => Buffer.from(JSON.stringify(fields)).toString("base64url");

type Shape<Fields> = { [K in keyof Fields]: Fields[K] extends string ? "text" : "number" };

/**
 * Decodes a cursor. @param shape its fields in this list @throws RelayError when the text is no cursor of this list
 */
export function cursorOf<Fields extends object>(cursor: string | undefined, shape: Shape<Fields>): Fields | undefined {
  if (cursor === undefined) return undefined;
  try {
    const fields = Object(JSON.parse(Buffer.from(cursor, "base64url").toString())) as Record<string, unknown>;
    const fits = ([name, kind]: [string, unknown]): boolean =>
      kind === "text" ? typeof fields[name] === "string" : Number.isSafeInteger(fields[name]);
    if (Object.keys(fields).length === Object.keys(shape).length && Object.entries(shape).every(fits))
      return fields as Fields;
  } catch {
    // The answer is the same for every invalid cursor.
  }
  throw new Problem("invalid_field", "cursor must be the `next` of a page of this list.", "cursor");
}

/** Builds a page with its cursor. @param rows one more than `limit` when there is a next page */
export function pageWith<Row, View>(
  rows: Row[],
  limit: number,
  view: (row: Row) => View,
  fields: (row: Row) => object,
): { items: View[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(view), next: rows.length > limit && last !== undefined ? cursorFor(fields(last)) : null };
}

/** A message of the owner's backend. Its key is shown without the site, which the ledger's key begins with. */
export function sentView(entry: LedgerEntry): AnswerOf<"getSentMessage"> {
  const { messageId = null } = JSON.parse(entry.result ?? "{}") as { messageId?: string };
  return {
    key: entry.key.slice(entry.key.indexOf("/") + 1),
    visitor: entry.lane,
    text: sentContent(entry).text,
    state: SENT_STATES[entry.state],
    reason: entry.reason,
    messageId,
    createdAt: iso(entry.created),
  };
}

/** A credit grant. `newBalance` is null unless the service has answered with it. */
export function grantView(entry: LedgerEntry): AnswerOf<"listGrants">["items"][number] {
  const { email, amount, note, source } = contentOf(entry);
  const { balance = null } = JSON.parse(entry.result ?? "{}") as { balance?: number };
  return {
    key: entry.key,
    email: email ?? null,
    amount: amount ?? null,
    note,
    source,
    state: GRANT_STATES[entry.state],
    reason: entry.reason,
    newBalance: balance,
    createdAt: iso(entry.created),
    changedAt: iso(entry.changed),
  };
}

/** A lead. `contactId` is null until the service has the contact. */
export function leadView(lead: Lead): AnswerOf<"getLead"> {
  const { id, visitor, at, firstName, lastName, email, phone, consent, state, problem, contact } = lead;
  const person = { firstName, lastName, email, phone, consent };
  return { id, visitor, at: iso(at), ...person, state, problem, contactId: contact };
}

/** A rating; null when the visitor gave no rating. */
export function ratingView(row: RatingRow | undefined): AnswerOf<"listRatings">["items"][number] | null {
  if (row === undefined || row.score === null) return null;
  const { visitor, at, score, best, comment } = row;
  return { visitor, at: iso(at), score, of: best, comment };
}
