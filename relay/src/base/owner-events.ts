/** Events that the webhook can send to the owner's backend. */
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
/** The type of an event for the owner's backend. */
export type EventType = (typeof EVENT_TYPES)[number];

/** States of an event in the delivery log. */
export const EVENT_STATES = ["waiting", "delivered", "failed"] as const;
