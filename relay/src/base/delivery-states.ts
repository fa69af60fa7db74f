/** States of a message that the service has not accepted. */
export const DELIVERY_STATES = ["waiting", "failed"] as const;
/** A state of a message that the service has not accepted. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];
