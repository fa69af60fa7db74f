/**
 * Types for two ids that the interface's field names confuse: `toId` is the business in incoming messages and the
 * contact in callbacks; `fromId` is the sender of incoming messages and the recipient of sent ones. The compiler refuses
 * one in place of the other. Plain strings are accepted for both.
 */
interface Brand<Name extends string> {
  readonly brand?: Name;
}

/** A visitor's id: `fromId` in our requests, `toId` in callbacks. */
export type ContactExternalId = string & Brand<"contact">;
/** The label of the business: `toId` of incoming messages. */
export type BusinessLabel = string & Brand<"business">;
