import type { Callback } from "../../service/callbacks.ts";

/** A callback that contains a reply. */
export type ReplyCallback = Extract<Callback, { kind: "reply" }>;

/** A reply as the database and the spool keep it. */
export type Reply = {
  /** The id in the callback: a visitor's id, or an id that a visitor had before the login. */
  visitor: string;
  /** The account in the callback's address, where it names one. */
  named?: string;
  /** Unique per account: a second callback with the same key writes nothing. */
  key: string;
  /** Only without a message id: the beginning that the keys of all callbacks with this body share. */
  bodyKey?: string;
  id: string;
  text: string;
  /** The file that came with the reply, as a data: URL. */
  file?: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The service's contact id. */
  contact: string | null;
};
