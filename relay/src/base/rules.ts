import { z } from "zod";
import { isAmount } from "./amount.ts";

/** The rules that a configuration file sets for credits, leads and the owner's webhook. Secrets are `env:NAME` or `file:PATH`. */

const address = z.url({ protocol: /^https?$/, error: "must be an address like https://billing.example.com/recharge" });
const email = z
  .string()
  .regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address")
  .transform((text) => text.toLowerCase());
const credits = z.number().refine(isAmount, "must be above 0, at most 1000000000, with at most two decimals");
const paths = z.array(z.string().min(1).max(100)).max(20).optional();

/** What becomes of auto-recharge events of an account, and what any grant may be. */
export const creditRules = z.strictObject({
  /** manual: a person approves. auto: within list and caps by itself. webhook: the billing address decides, within the caps. */
  mode: z.enum(["manual", "auto", "webhook"]).default("manual"),
  /** Sub-accounts that `auto` may grant to. */
  allow: z.array(email).default([]),
  /** Credits of one grant at most, whoever asks. */
  perGrant: credits.default(10_000),
  /** Credits per UTC day at most that go without a person. */
  perDay: credits.default(10_000),
  /** Credits where the event names none. */
  amount: credits.optional(),
  /** Sub-account id → e-mail, where the event names only the id. */
  emails: z.record(z.string(), email).default({}),
  /** Where the event's fields stand, before the usual places: dotted paths. */
  fields: z.strictObject({ email: paths, subAccount: paths, amount: paths }).default({}),
  billing: z.strictObject({ url: address, secret: z.string().min(1) }).optional(),
});

/** How leads of a site become contacts (R-201, C9 to C11). */
export const leadRules = z.strictObject({
  /** Two letters: the country of phone numbers without a country code. */
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters like DE")
    .optional(),
  /** Lists that every lead is added to. */
  lists: z.array(z.string().min(1).max(200)).max(20).default([]),
  /** Also create a contact for the phone of somebody who chats; the service may hold two contacts then. */
  phoneContact: z.boolean().default(false),
});

/** What the owner's backend can be told. */
export const EVENT_TYPES = [
  "message.visitor",
  "message.reply",
  "lead.captured",
  "conversation.rated",
  "delivery.failed",
  "recharge.requested",
  "credits.granted",
  "budget.reached",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Where the owner's backend hears of events, in the Standard Webhooks form. */
export const webhookRules = z.strictObject({
  url: address,
  secret: z.string().min(1),
  /** Only these events; absent: all. */
  events: z.array(z.enum(EVENT_TYPES)).optional(),
});

/** Who judges visitors that have never written, before their first message is taken (C24). */
export const guardRules = z.strictObject({
  url: address,
  secret: z.string().min(1),
  /** What counts when the judge does not answer in time. */
  onFailure: z.enum(["allow", "refuse"]).default("allow"),
});

/** Which campaign answers (C7): the first rule whose conditions all hold. Without conditions it always does. */
export const routeRule = z.strictObject({
  campaign: z.string().min(1).max(128),
  /** What the page's button or tag asks for (`data-campaign`). */
  name: z.string().min(1).max(64).optional(),
  /** Path, or path and query, of the page; `*` stands for anything. */
  page: z.string().min(1).max(512).optional(),
  /** Language of the chat, as "pt" or "pt-BR". */
  language: z.string().min(2).max(35).optional(),
  /** Claims of the visitor's signed identity. */
  claim: z.record(z.string().min(1).max(64), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

/** The sub-account's e-mail by its id, where the rules map it. */
export const mappedEmail = ({ emails }: CreditRules, subAccount: string | undefined): string | undefined =>
  subAccount !== undefined && Object.hasOwn(emails, subAccount) ? emails[subAccount] : undefined;

export type RouteRule = z.infer<typeof routeRule>;
export type CreditRules = z.infer<typeof creditRules>;
export type LeadRules = z.infer<typeof leadRules>;
export type GuardRules = z.infer<typeof guardRules>;
export type WebhookRules = z.infer<typeof webhookRules>;

export const NO_CREDITS: CreditRules = creditRules.parse({});
export const NO_LEADS: LeadRules = leadRules.parse({});
