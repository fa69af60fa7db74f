import { z } from "zod";
import { isAmount } from "./amount.ts";
import { EVENT_TYPES } from "./owner-events.ts";

/** The rules of the configuration file for credits, leads, guard, routes and webhook. Secrets are `env:NAME` or `file:PATH`. */

const address = z.url({ protocol: /^https?$/, error: "must be an address like https://billing.example.com/recharge" });
const email = z
  .string()
  .regex(/^[^\s@]+@[^\s@]+$/, "must be an email address")
  .transform((text) => text.toLowerCase());
const credits = z.number().refine(isAmount, "must be above 0, at most 1000000000, with at most two decimals");
const paths = z.array(z.string().min(1).max(100)).max(20).optional();

/** How an account handles auto-recharge events, and the limits of every grant. */
export const creditRules = z.strictObject({
  /**
   * manual: a person approves. auto: approved automatically within `allow` and the limits. webhook: `billing` decides within
   * the limits.
   */
  mode: z.enum(["manual", "auto", "webhook"]).default("manual"),
  /** Sub-accounts that mode `auto` may grant to. */
  allow: z.array(email).default([]),
  /** Most credits of one grant. */
  perGrant: credits.default(10_000),
  /** Most credits per UTC day without a person's approval. */
  perDay: credits.default(10_000),
  /** Credits when the event names no amount. */
  amount: credits.optional(),
  /** Sub-account id → email, for events that contain only the id. */
  emails: z.record(z.string(), email).default({}),
  /** Dotted paths of the event's fields. They are tried before the usual ones. */
  fields: z.strictObject({ email: paths, subAccount: paths, amount: paths }).default({}),
  billing: z.strictObject({ url: address, secret: z.string().min(1) }).optional(),
});

/** How a site's leads become contacts (R-201, C9 to C11). */
export const leadRules = z.strictObject({
  /** Two letters: the country of phone numbers without a country code. */
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters like DE")
    .optional(),
  /** Lists that every lead is added to. */
  lists: z.array(z.string().min(1).max(200)).max(20).default([]),
  /** Also create a contact for the phone number of a visitor who chats. The service may then hold two contacts. */
  phoneContact: z.boolean().default(false),
});

/** The webhook to the owner's backend, in the Standard Webhooks format. */
export const webhookRules = z.strictObject({
  url: address,
  secret: z.string().min(1),
  /** Event types to send. Default: all. */
  events: z.array(z.enum(EVENT_TYPES)).optional(),
});

const days = z.int().min(1).max(36_500).optional();

/** Days after which a site's data is deleted. Without a number it is kept. */
export const retentionRules = z.strictObject({
  /** Since the newest message of the conversation. Everything about the visitor is deleted with it. */
  conversations: days,
  /** Since the upload. The message stays, without its file. */
  files: days,
  /** Since the form was sent; leads that still wait are kept. */
  leads: days,
  /** Since the mail was written; mails that still wait are kept. */
  mails: days,
});

/** The owner's guard: approves new visitors before their first message is accepted (C24). */
export const guardRules = z.strictObject({
  url: address,
  secret: z.string().min(1),
  /** The decision when the guard does not answer in time. */
  onFailure: z.enum(["allow", "refuse"]).default("allow"),
});

/** Selects the campaign (C7): the first rule with all conditions true. A rule without conditions always matches. */
export const routeRule = z.strictObject({
  campaign: z.string().min(1).max(128),
  /** The campaign that the page requests (`data-campaign`). */
  name: z.string().min(1).max(64).optional(),
  /** Path of the page, or path and query, with `*` wildcards. */
  page: z.string().min(1).max(512).optional(),
  /** Language of the chat, as "pt" or "pt-BR". */
  language: z.string().min(2).max(35).optional(),
  /** Claims of the visitor's signed identity. */
  claim: z.record(z.string().min(1).max(64), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

/** The email of a sub-account, if the rules map its id. */
export const mappedEmail = ({ emails }: CreditRules, subAccount: string | undefined): string | undefined =>
  subAccount !== undefined && Object.hasOwn(emails, subAccount) ? emails[subAccount] : undefined;

export type RouteRule = z.infer<typeof routeRule>;
export type CreditRules = z.infer<typeof creditRules>;
export type LeadRules = z.infer<typeof leadRules>;
export type GuardRules = z.infer<typeof guardRules>;
export type RetentionRules = z.infer<typeof retentionRules>;
export type WebhookRules = z.infer<typeof webhookRules>;

/** The rules of an account that sets none: a person approves every grant. */
export const NO_CREDITS: CreditRules = creditRules.parse({});
/** The rules of a site that sets none. */
export const NO_LEADS: LeadRules = leadRules.parse({});
