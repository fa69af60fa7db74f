import { z } from "zod";
import { toSingleLine } from "../../base/input-text.ts";
import type { Scope } from "../../records/tokens.ts";
import {
  amount,
  block,
  contact,
  cursor,
  delivery,
  email,
  event,
  grant,
  lead,
  lists,
  message,
  names,
  noFields,
  oneLine,
  pageOf,
  rating,
  reason,
  recipient,
  sent,
  step,
  text,
  visitor,
  visitorExport,
} from "./schemas.ts";

/** An operation of the server API: its input, its answer and its errors. */
export type Operation = {
  method: "get" | "post" | "delete";
  /** Below `/api/v1`; `{name}` is a path parameter. */
  path: string;
  scope: Scope;
  summary: string;
  status: 200 | 202 | 204;
  query: z.ZodObject;
  body: z.ZodObject | undefined;
  answer: z.ZodType;
  /** Error statuses of this operation, in addition to those of every operation with the same method. */
  refusals: readonly (404 | 422 | 502)[];
};

const defaults = { status: 200, query: noFields, body: undefined } as const;
/** Every path parameter may name a resource that does not exist. */
const refusalsAt = (path: string): Operation["refusals"] => (path.includes("{") ? [404] : []);
type Given = Partial<Operation> & Pick<Operation, "method" | "path" | "scope" | "summary" | "answer">;
type Filled<O> = Omit<typeof defaults, keyof O> & O & Pick<Operation, "refusals">;

/** An operation with defaults for absent fields. */
const op = <const O extends Given>(given: O): Filled<O> =>
  ({ ...defaults, refusals: refusalsAt(given.path), ...given }) as Filled<O>;

/**
 * The server API as a table: the input and the answer of each operation. The relay validates requests with these schemas. The
 * OpenAPI document and the client's types come from them.
 */
export const OPERATIONS = {
  listVisitors: op({
    method: "get",
    path: "/visitors",
    scope: "visitors:read",
    summary: "The site's visitors, newest first",
    query: z.strictObject(cursor),
    answer: pageOf(visitor),
  }),
  getVisitor: op({
    method: "get",
    path: "/visitors/{visitor}",
    scope: "visitors:read",
    summary: "One visitor",
    answer: visitor,
  }),
  eraseVisitor: op({
    method: "delete",
    path: "/visitors/{visitor}",
    scope: "visitors:erase",
    summary: "Deletes a visitor and all data that the relay holds about them; the service's copy stays",
    status: 204,
    answer: z.null(),
  }),
  exportVisitor: op({
    method: "get",
    path: "/visitors/{visitor}/export",
    scope: "visitors:read",
    summary: "All data that the relay holds about one visitor",
    answer: visitorExport,
  }),
  endSessions: op({
    method: "delete",
    path: "/visitors/{visitor}/sessions",
    scope: "sessions:end",
    summary: "Ends every session of a visitor: their browser tokens become invalid, the transcript stays",
    status: 204,
    answer: z.null(),
  }),
  endAllSessions: op({
    method: "delete",
    path: "/sessions",
    scope: "sessions:end",
    summary: "Ends every session of every visitor of the site",
    answer: z.object({ visitors: z.number().int() }),
  }),
  listMessages: op({
    method: "get",
    path: "/visitors/{visitor}/messages",
    scope: "messages:read",
    summary: "A visitor's transcript, newest page first, each page oldest first",
    query: z.strictObject(cursor),
    answer: pageOf(message),
  }),
  mailTranscript: op({
    method: "post",
    path: "/visitors/{visitor}/transcript",
    scope: "messages:send",
    summary: "Mails a visitor's conversation to the visitor's stored address, or to another one",
    status: 202,
    body: z.strictObject({ email: email.optional() }),
    answer: z.object({ email: z.string() }),
  }),
  sendMessage: op({
    method: "post",
    path: "/messages",
    scope: "messages:send",
    summary: "Sends a message to a visitor, or to one of your users who has never visited the site",
    status: 202,
    body: z.strictObject({
      to: recipient,
      text: text(4_000),
      campaign: oneLine(128).optional(),
      ...names,
      email: email.optional(),
    }),
    refusals: [404],
    answer: sent,
  }),
  getSentMessage: op({
    method: "get",
    path: "/messages/{key}",
    scope: "messages:read",
    summary: "The state of a message that your backend sent",
    answer: sent,
  }),
  resolveSentMessage: op({
    method: "post",
    path: "/messages/{key}/resolve",
    scope: "messages:send",
    summary: "Records whether a message with an unknown outcome was sent; if it was not, the relay sends it again",
    body: z.strictObject({ sent: z.boolean(), reason }),
    answer: sent,
  }),
  listLeads: op({
    method: "get",
    path: "/leads",
    scope: "leads:read",
    summary: "Leads, newest first, each with its state",
    query: z.strictObject({ ...cursor, state: lead.shape.state.optional() }),
    answer: pageOf(lead),
  }),
  createLead: op({
    method: "post",
    path: "/leads",
    scope: "leads:write",
    summary:
      "Stores a lead; the relay then makes it a contact at the service and adds it to the named lists, or to the site's lists",
    status: 202,
    body: z.strictObject({
      ...names,
      phone: oneLine(40).optional(),
      email: email.optional(),
      consent: text(1_000).optional().meta({ description: "The sentence that the person agreed to" }),
      lists: lists.optional().meta({ description: "Default: the site's lists" }),
    }),
    answer: lead,
  }),
  getLead: op({
    method: "get",
    path: "/leads/{visitor}/{lead}",
    scope: "leads:read",
    summary: "The state of a lead",
    answer: lead,
  }),
  retryLead: op({
    method: "post",
    path: "/leads/{visitor}/{lead}/retry",
    scope: "leads:write",
    summary: "Retries a waiting or refused lead now, from the step that failed",
    body: noFields,
    answer: lead,
  }),
  listRatings: op({
    method: "get",
    path: "/ratings",
    scope: "visitors:read",
    summary: "How visitors rated their conversations, newest first",
    query: z.strictObject(cursor),
    answer: pageOf(rating),
  }),
  findContact: op({
    method: "get",
    path: "/contacts",
    scope: "contacts:read",
    summary: "Finds a contact at the service by phone or email",
    query: z.strictObject({ phone: oneLine(40).optional(), email: email.optional() }),
    refusals: [404, 422, 502],
    answer: contact,
  }),
  createContact: op({
    method: "post",
    path: "/contacts",
    scope: "contacts:write",
    summary: "Finds or creates a contact, and adds it to lists",
    body: z.strictObject({
      ...names,
      phone: oneLine(40).optional(),
      email: email.optional(),
      lists: lists.default([]),
    }),
    refusals: [502],
    answer: z.object({ contact, created: z.boolean(), lists: z.array(z.string()) }),
  }),
  addToList: op({
    method: "post",
    path: "/lists/{list}/contacts",
    scope: "contacts:write",
    summary: "Adds a contact to a list; succeeds too when the contact is already on it",
    status: 204,
    body: z.strictObject({ contactId: oneLine(200) }),
    refusals: [502],
    answer: z.null(),
  }),
  listGrants: op({
    method: "get",
    path: "/credits/grants",
    scope: "credits:read",
    summary: "The account's credit ledger, newest first",
    query: z.strictObject({ ...cursor, state: grant.shape.state.optional() }),
    answer: pageOf(grant),
  }),
  getGrant: op({
    method: "get",
    path: "/credits/grants/{key}",
    scope: "credits:read",
    summary: "One grant with its history",
    answer: grant.extend({ history: z.array(step) }),
  }),
  grantCredits: op({
    method: "post",
    path: "/credits/grants",
    scope: "credits:write",
    summary: "Grants credits to a sub-account, once per Idempotency-Key without a time limit",
    status: 202,
    body: z.strictObject({ email, amount, note: z.string().overwrite(toSingleLine).max(200).default("") }),
    answer: grant,
  }),
  approveGrant: op({
    method: "post",
    path: "/credits/grants/{key}/approve",
    scope: "credits:write",
    summary: "Approves a waiting or refused grant; the body may correct its email or amount, or supply a missing one",
    body: z.strictObject({ email: email.optional(), amount: amount.optional(), reason }),
    answer: grant,
  }),
  dismissGrant: op({
    method: "post",
    path: "/credits/grants/{key}/dismiss",
    scope: "credits:write",
    summary: "Dismisses a grant that was not made",
    body: z.strictObject({ reason }),
    answer: grant,
  }),
  resolveGrant: op({
    method: "post",
    path: "/credits/grants/{key}/resolve",
    scope: "credits:write",
    summary: "Records whether a grant with an unknown outcome was made; check the service's credit history first",
    body: z.strictObject({ granted: z.boolean(), reason }),
    answer: grant,
  }),
  listDeliveries: op({
    method: "get",
    path: "/deliveries",
    scope: "deliveries:read",
    summary: "Visitors' messages that are waiting or failed, with number of tries and last error",
    query: z.strictObject({ ...cursor, state: delivery.shape.state.optional() }),
    answer: pageOf(delivery),
  }),
  retryDelivery: op({
    method: "post",
    path: "/deliveries/{visitor}/{message}/retry",
    scope: "deliveries:write",
    summary: "Sends a failed message again",
    body: noFields,
    answer: message,
  }),
  listWebhookEvents: op({
    method: "get",
    path: "/webhook/events",
    scope: "deliveries:read",
    summary: "Events for your webhook, newest first, each with its state",
    query: z.strictObject({ ...cursor, state: event.shape.state.optional() }),
    answer: pageOf(event),
  }),
  retryWebhookEvent: op({
    method: "post",
    path: "/webhook/events/{event}/retry",
    scope: "deliveries:write",
    summary: "Sends an event to your webhook again",
    body: noFields,
    answer: event,
  }),
  listBlocks: op({
    method: "get",
    path: "/blocks",
    scope: "visitors:read",
    summary: "Blocked visitors and addresses, newest first",
    query: z.strictObject(cursor),
    answer: pageOf(block),
  }),
  addBlock: op({
    method: "post",
    path: "/blocks",
    scope: "visitors:block",
    summary: "Blocks a visitor, an IP address or a network; their waiting messages are not sent",
    body: z.strictObject({
      value: text(64),
      reason,
      everybody: z
        .boolean()
        .default(false)
        .meta({ description: "Must be true for a block that covers nearly all visitors, like 0.0.0.0/0" }),
    }),
    answer: block,
  }),
  removeBlock: op({
    method: "delete",
    path: "/blocks/{block}",
    scope: "visitors:block",
    summary: "Removes a block",
    status: 204,
    answer: z.null(),
  }),
} as const;

export type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
export type BodyOf<N extends OperationName> = Operations[N]["body"] extends z.ZodType
  ? z.output<Operations[N]["body"]>
  : undefined;
export type QueryOf<N extends OperationName> = z.output<Operations[N]["query"]>;
export type AnswerOf<N extends OperationName> = z.output<Operations[N]["answer"]>;

type ParamsIn<Path extends string> = Path extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamsIn<Rest>
  : never;
export type ParamsOf<N extends OperationName> = Record<ParamsIn<Operations[N]["path"]>, string>;
