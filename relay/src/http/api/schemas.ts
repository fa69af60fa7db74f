import { z } from "zod";
import { DELIVERY_STATES } from "../../base/delivery-states.ts";
import { EMAIL, EMAIL_MAX, lowerDomain, toMultiLine, toSingleLine } from "../../base/input-text.ts";
import { EVENT_STATES, EVENT_TYPES } from "../../base/owner-events.ts";
import { profile } from "../../hooks/payloads.ts";

/** The schemas of the server API. */

const time = z.iso.datetime().meta({ description: "UTC" });
/** The value of an `Idempotency-Key` header: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;
/** Text that is not blank. */
export const text = (max: number) => z.string().overwrite(toMultiLine).trim().regex(/\S/, "must not be empty").max(max);
/** Text on one line that is not blank. */
export const oneLine = (max: number) => z.string().overwrite(toSingleLine).regex(/\S/, "must not be empty").max(max);
/** An email address on one line; its domain becomes lower case. */
export const email = z
  .string()
  .overwrite(toSingleLine)
  .max(EMAIL_MAX)
  .regex(EMAIL, "must be an email address")
  .overwrite(lowerDomain);
/** A query or a body without fields. */
export const noFields = z.strictObject({});
/** The query of a list: where the page begins, and how many items it has at most. */
export const cursor = { cursor: z.string().optional(), limit: z.coerce.number().int().min(1).max(200).default(50) };
/** The answer of a list: a page of items, and the cursor of the next page; null on the last page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable().meta({ description: "`cursor` of the next page" }) });
/** Why a person made a decision. */
export const reason = text(500).meta({ description: "Reason for the decision; stored in the ledger" });

/** The ledger checks the limits and answers 422 invalid_amount. */
export const amount = z
  .number()
  .positive()
  .meta({ description: "Credits: more than 0, at most two decimals, at most the limit of one grant" });

export const names = { firstName: oneLine(100).optional(), lastName: oneLine(100).optional() };

export const lists = z.array(oneLine(200)).max(20);

export const recipient = z.union([z.strictObject({ visitor: text(64) }), z.strictObject({ user: text(255) })], {
  error: 'must be {"visitor": id} or {"user": your own id of a person}',
});

export const visitor = z
  .object({
    id: z.string(),
    createdAt: time,
    ...profile,
    messages: z.number().int().meta({ description: "Number of messages in the thread, in both directions" }),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    email: z.string().nullable(),
    phone: z
      .string()
      .nullable()
      .meta({ description: "E.164 when it comes from a form; unchanged when it comes from a signed identity" }),
    seen: z.number().int().meta({ description: "Number of the last message that the visitor has seen" }),
    deleting: z.boolean().meta({ description: "A deletion is in progress and continues automatically" }),
  })
  .meta({ id: "Visitor" });

export const message = z
  .object({
    id: z.string(),
    position: z.number().int(),
    at: time,
    from: z.enum(["visitor", "reply"]),
    text: z.string(),
    state: z.enum(["sent", "delivered", "failed"]).nullable().meta({ description: "State of a visitor's message" }),
    reason: z.string().nullable(),
    file: z
      .object({
        url: z.string().meta({
          description: "Valid for at least a week. A path without a host when the relay has no public address",
        }),
        type: z.string().meta({ description: "MIME type, detected from the file's content" }),
        name: z.string(),
        size: z.number().int().meta({ description: "Bytes" }),
      })
      .nullable()
      .meta({ description: "The attached file" }),
  })
  .meta({ id: "Message" });

export const sent = z
  .object({
    key: z.string().meta({ description: "The Idempotency-Key it was sent with" }),
    visitor: z.string(),
    text: z.string(),
    state: z.enum(["queued", "sending", "sent", "unknown", "failed"]),
    reason: z.string().nullable(),
    messageId: z.string().nullable().meta({ description: "The messaging service's id" }),
    createdAt: time,
  })
  .meta({ id: "SentMessage" });

export const contact = z
  .object({
    id: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    phone: z.string().nullable(),
    email: z.string().nullable(),
  })
  .meta({ id: "Contact" });

export const grant = z
  .object({
    key: z.string(),
    email: z.string().nullable(),
    amount: z.number().nullable().meta({ description: "Credits" }),
    note: z.string(),
    source: z.enum(["recharge", "request"]),
    state: z.enum(["waiting", "queued", "calling", "granted", "unknown", "refused", "dismissed"]),
    reason: z.string().nullable(),
    newBalance: z.number().nullable(),
    createdAt: time,
    changedAt: time,
  })
  .meta({ id: "Grant" });

export const lead = z
  .object({
    id: z.string(),
    visitor: z.string(),
    at: time,
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable().meta({ description: "E.164" }),
    consent: z.string().nullable().meta({ description: "The sentence that the person agreed to" }),
    state: z.enum(["open", "done", "refused"]).meta({
      description: "open: under way, and repeated automatically; refused: the service refused it, see problem",
    }),
    problem: z.string().nullable(),
    contactId: z.string().nullable(),
  })
  .meta({ id: "Lead" });

export const rating = z
  .object({
    visitor: z.string(),
    at: time,
    score: z.number().int().meta({ description: "From 1 (worst) to `of` (best)" }),
    of: z.union([z.literal(2), z.literal(5)]),
    comment: z.string().nullable(),
  })
  .meta({ id: "Rating" });

export const event = z
  .object({
    id: z.string().meta({ description: "The request's webhook-id" }),
    type: z.enum(EVENT_TYPES),
    at: time,
    state: z.enum(EVENT_STATES),
    attempts: z.number().int(),
    due: time.nullable().meta({ description: "Next try" }),
    status: z.number().int().nullable().meta({ description: "Status of the last attempt; 0: no answer" }),
    problem: z.string().nullable(),
  })
  .meta({ id: "WebhookEvent" });

export const step = z.object({ state: z.string(), at: time, actor: z.string(), reason: z.string().nullable() });

export const delivery = z
  .object({
    visitor: z.string(),
    message: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.number().int().meta({ description: "Number of attempts" }),
    due: time.nullable().meta({ description: "Next try" }),
    reason: z.string().nullable().meta({ description: "Why it failed: rejected or expired" }),
    error: z.string().nullable().meta({ description: "The service's answer to the last attempt" }),
  })
  .meta({ id: "Delivery" });

export const block = z.object({
  id: z.string(),
  value: z.string().describe("A visitor's id, an IP address, or a network like 192.0.2.0/24"),
  reason: z.string(),
  actor: z.string(),
  at: z.string(),
});

export const visitorExport = z.object({
  visitor,
  messages: z.array(message),
  sent: z.array(sent),
  leads: z.array(lead),
  rating: rating.nullable(),
  complete: z.boolean().meta({
    description: "false: a deletion or a login has moved or removed data while it was read, so parts may be missing",
  }),
});
