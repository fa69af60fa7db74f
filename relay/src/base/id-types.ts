/**
 * Two kinds of names that the interface calls by each other's field: `toId` is the business on incoming messages
 * and the contact in callbacks; `fromId` is the sender on incoming messages and the recipient when we send. The compiler
 * refuses one where the other is meant; plain text is good for both.
 */
interface Brand<Name extends string> {
  readonly brand?: Name;
}

/** A visitor's id on our side: `fromId` of what we send, `toId` of what comes back. */
export type ContactExternalId = string & Brand<"contact">;
/** Our label of the business: `toId` of incoming messages. */
export type BusinessLabel = string & Brand<"business">;
