import { z } from "zod";
import type { EventType } from "../base/owner-events.ts";

/**
 * Schemas of all requests to the owner's backend. They give the flows their types, appear under `webhooks` in the OpenAPI
 * document, and are exported as types by the client package.
 */

const time = z.iso.datetime().meta({ description: "UTC" });
const site = z.string().meta({ description: "Key of the site" });
const amount = z.number().meta({ description: "Credits" });

const page = z
  .object({ url: z.string(), title: z.string().nullable() })
  .meta({ id: "Page", description: "A page of your site, as the visitor's browser names it" });

/** Fields by which a backend can match a visitor to a customer. */
export const profile = {
  sub: z.string().nullable().meta({ description: "`sub` of the signed identity; null for an anonymous visitor" }),
  contactId: z.string().nullable().meta({ description: "The messaging service's id of the contact, once known" }),
  page: page.nullable().meta({ description: "The page on which the visitor last wrote" }),
};

const visitor = { site, visitor: z.string().meta({ description: "Id of the visitor" }), ...profile };
const file = z
  .object({ type: z.string(), name: z.string(), size: z.number().int().meta({ description: "Bytes" }) })
  .optional()
  .meta({ description: "The attached file; the API has its link" });
const message = { ...visitor, id: z.string().meta({ description: "Id of the message" }), text: z.string(), file };

/** `data` of every event. */
const DATA = {
  "message.visitor": z.object(message),
  "message.reply": z.object(message),
  "lead.captured": z.object({
    ...visitor,
    lead: z.string().meta({ description: "Id of the lead" }),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional().meta({ description: "E.164" }),
    consent: z.string().nullable().meta({ description: "The sentence that the person agreed to" }),
  }),
  "conversation.rated": z.object({
    ...visitor,
    score: z.number().int().meta({ description: "From 1 (worst) to `of` (best)" }),
    of: z.union([z.literal(2), z.literal(5)]),
    comment: z.string().nullable(),
  }),
  "delivery.failed": z.object({
    ...visitor,
    id: z.string().meta({ description: "Id of the message" }),
    position: z.number().int().meta({ description: "Place of the message in its thread" }),
    reason: z.string(),
  }),
  "recharge.requested": z.object({
    site,
    key: z.string().meta({ description: "Key of the grant" }),
    email: z.string().optional().meta({ description: "Email of the sub-account, if it is known" }),
    amount: amount.optional(),
  }),
  "credits.granted": z.object({
    site,
    key: z.string().meta({ description: "Key of the grant" }),
    email: z.string().nullable(),
    amount: amount.nullable(),
    subAccountId: z.string().nullable().meta({ description: "The messaging service's id of the sub-account" }),
    added: amount.nullable().meta({ description: "Credits, as the service counted them" }),
    newBalance: z.number().nullable(),
  }),
  "budget.reached": z.object({ site, messagesPerDay: z.number().int() }),
} satisfies Record<EventType, z.ZodObject>;

const ARRIVAL = z.object({
  ...visitor,
  address: z.string().meta({ description: "Network address of the visitor" }),
  text: z.string().meta({ description: "The message; empty for a form" }),
});

const RECHARGE = z.object({
  type: z.literal("recharge.requested"),
  account: z.string(),
  key: z.string().meta({ description: "Key of the grant" }),
  email: z.string(),
  amount,
});

/** A request to the owner's backend. */
export type Webhook = { summary: string; body: z.ZodType; answer?: z.ZodType };

const envelope = <const Type extends string, Data extends z.ZodType>(type: Type, data: Data, id: string) =>
  z.object({ type: z.literal(type), timestamp: time, data }).meta({ id });

/** Every webhook by its name in the OpenAPI document: events, and two questions that expect an answer. */
export const WEBHOOKS = {
  "message.visitor": {
    summary: "A visitor has written",
    body: envelope("message.visitor", DATA["message.visitor"], "MessageVisitorEvent"),
  },
  "message.reply": {
    summary: "A reply has arrived for a visitor",
    body: envelope("message.reply", DATA["message.reply"], "MessageReplyEvent"),
  },
  "lead.captured": {
    summary: "A visitor has left contact details",
    body: envelope("lead.captured", DATA["lead.captured"], "LeadCapturedEvent"),
  },
  "conversation.rated": {
    summary: "A visitor has rated the conversation",
    body: envelope("conversation.rated", DATA["conversation.rated"], "ConversationRatedEvent"),
  },
  "delivery.failed": {
    summary: "The messaging service did not accept a visitor's message",
    body: envelope("delivery.failed", DATA["delivery.failed"], "DeliveryFailedEvent"),
  },
  "recharge.requested": {
    summary: "A sub-account asks for credits",
    body: envelope("recharge.requested", DATA["recharge.requested"], "RechargeRequestedEvent"),
  },
  "credits.granted": {
    summary: "Credits were granted to a sub-account",
    body: envelope("credits.granted", DATA["credits.granted"], "CreditsGrantedEvent"),
  },
  "budget.reached": {
    summary: "The site has used up its messages of the day",
    body: envelope("budget.reached", DATA["budget.reached"], "BudgetReachedEvent"),
  },
  "visitor.arriving": {
    summary: "Asks the site's `guard` whether a new visitor may write",
    body: envelope("visitor.arriving", ARRIVAL, "VisitorArrivingRequest"),
    answer: z.object({ allow: z.boolean() }).meta({ id: "VisitorArrivingAnswer" }),
  },
  "recharge.approval": {
    summary: "Asks the account's `billing` webhook whether to grant a recharge",
    body: RECHARGE.meta({ id: "RechargeApprovalRequest" }),
    answer: z
      .object({
        approve: z.boolean(),
        amount: amount.optional().meta({ description: "Amount to grant instead of the requested one" }),
      })
      .meta({ id: "RechargeApprovalAnswer" }),
  },
} satisfies Record<EventType | "visitor.arriving" | "recharge.approval", Webhook>;

type DataOf<T extends EventType> = z.output<(typeof DATA)[T]>;
/** The facts of an event that a flow provides. The site and the visitor's profile are added when the event is stored. */
export type EventFacts<T extends EventType> = Omit<DataOf<T>, "site" | keyof typeof profile>;
/** Body of a request to the site's guard. */
export type ArrivingBody = z.output<(typeof WEBHOOKS)["visitor.arriving"]["body"]>;
/** Body of a request to the account's billing webhook. */
export type RechargeBody = z.output<typeof RECHARGE>;
/** Body of each request to the owner's backend, by its name in the OpenAPI document. */
export type Webhooks = { [N in keyof typeof WEBHOOKS]: z.output<(typeof WEBHOOKS)[N]["body"]> };
/** Body of a request to a site's webhook; `type` names the event. */
export type WebhookPayload = Webhooks[EventType];
