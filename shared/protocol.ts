/**
 * The protocol: every frame that either side may send, over any transport. Types only.
 *
 * A thread is a numbered log. Each change of a thread (a message, a later state of a message) takes the next number `n`
 * of its visitor, without gaps. The relay streams the changes after the number that a client knows. Each `message`
 * frame says in `after` which number it continues from. A client that reads an `after` greater than its own number has
 * missed a change, and sends `hello` again. A client catches up only in this way.
 */

/** Increases only when old widgets cannot talk to a new relay. */
export const PROTOCOL = 1;

/** How far a visitor's message got. `sent`: durable in the relay. `delivered`: the service answered 200. */
export type SentState = "sent" | "delivered" | "failed";

/** Why a message failed, as a code; the widget says it in the visitor's language. */
export type FailReason =
  | "rejected" // the service refused this message (400, 413, 415, 422)
  | "expired" // not deliverable within the horizon
  | "not-configured"; // the site's campaign or account refuses it, see the relay's log

/** A file that belongs to a message. `url` is absolute or relative to the relay's origin. */
export type Media = {
  url: string;
  /** MIME type, detected from the file's bytes and never taken from the sender. */
  type: string;
  name: string;
  /** Bytes. */
  size: number;
  /** Pixels, for pictures only, so that the layout does not shift while they load. */
  width?: number;
  height?: number;
};

type Entry = {
  /** The client's id for a visitor's message, the relay's for a reply. Stable over all states. */
  id: string;
  /** Place in the thread: the number the message took when it was written. Never changes; messages sort by it. */
  pos: number;
  /** Number of its newest state: equal to `pos`, or greater after a change. */
  n: number;
  /** Milliseconds since 1970 by the relay's clock. */
  at: number;
  text: string;
  media?: Media;
};

export type VisitorMessage = Entry & { from: "visitor"; state: SentState; reason?: FailReason };
/** The author whom the first line of a reply names. */
export type ReplyAuthor = {
  name: string;
  /** Address of a picture. The text names it, so it may be on any host. */
  picture?: string;
  /** Where the text after the name begins, in UTF-16 units. */
  end: number;
};

export type Reply = Entry & {
  from: "reply";
  author?: ReplyAuthor;
  /** The visitor's own emoji on this reply, if any. */
  reaction?: string;
  /**
   * The part of `text` that replaces a file that is not available here, in UTF-16 units. It is in English, for
   * clients that show only text; the widget replaces it with the visitor's language.
   */
  noFile?: [from: number, to: number];
};
export type Message = VisitorMessage | Reply;

/** A conversation's rating, given once (WIDGET 8.5). */
export type Rating = {
  /** From 1, the worst, to `of`. Absent: the visitor was asked and did not want to answer. */
  score?: number;
  of: 2 | 5;
  comment?: string;
};

/** Whether the service can be reached. `delayed`: messages are stored and will be delivered later. */
export type Delivery = "ok" | "delayed";

// ── client → relay ────────────────────────────────────────────────────────────────────────────────────────────────

/** First frame of every connection. Without `token` and `identity` the relay makes a new visitor. */
export type Hello = {
  t: "hello";
  v: number;
  site: string;
  token?: string;
  /** The owner's signed JWT. With the `token` of an anonymous visitor, that visitor's thread becomes the user's, once. */
  identity?: string;
  /** Epoch of the log that the client holds, and the newest number that it has. Absent: it holds nothing. */
  epoch?: string;
  since?: number;
};
export type Send = {
  t: "send";
  /** Made by the client, unique per visitor; a repeat is answered with the stored message. */
  id: string;
  /** May be empty when there is a file. */
  text: string;
  /** Key of a finished upload. */
  media?: string | undefined;
  /**
   * Milliseconds since the visitor wrote the message or last pressed Retry, by the browser's clock. Negative when that clock was
   * set back meanwhile.
   */
  age?: number;
  /** Where it was written; the site's routes use it once per conversation. Path and query of the page. */
  page?: string | undefined;
  /** Title of that page, for the owner's backend. */
  title?: string | undefined;
  /** BCP 47. */
  locale?: string | undefined;
  /** Name that the page gives (`data-campaign`); the site's routes translate it. */
  campaign?: string | undefined;
  /** The visitor has chosen `campaign`, so the routes apply it even within a conversation. */
  chosen?: boolean | undefined;
};
/** Sends a failed message again. */
export type Retry = { t: "retry"; id: string };
/** The visitor has seen everything up to number `n`. */
export type Read = { t: "read"; n: number };
/** The visitor's emoji on the newest reply; an empty string removes it. */
export type React = { t: "react"; id: string; emoji: string };
export type Typing = { t: "typing" };
/**
 * A form with the visitor's contact details. Answered with `lead` once it is durable, or with an `error` that names the
 * field. The same `id` again corrects the form.
 */
export type Lead = {
  t: "lead";
  id: string;
  /**
   * True: the form belongs to a chat, and the service gets the details with the next message. False: the visitor asks
   * to be contacted.
   */
  chat: boolean;
  firstName?: string;
  lastName?: string;
  email?: string;
  /** As dialled. */
  phone?: string;
  /** The sentence that the visitor agreed to. */
  consent?: string;
  /** Whether replies that arrive while the visitor is away are mailed, to this or the known email address. */
  reply?: boolean;
  /** Path to which these mails link. `title` as in `Send`; `locale` is the language of the mails (BCP 47). */
  page?: string | undefined;
  title?: string | undefined;
  locale?: string | undefined;
};
/** Asks for the conversation by email, at the known address. Answered with `mailed`, or an `error`. */
export type Transcript = { t: "transcript"; id: string; page?: string; locale?: string };
/** The visitor's rating of the conversation. Counts once; answered like a lead. */
export type Rate = { t: "rate"; id: string } & Rating;
/** Asks for the messages before position `before`. */
export type Older = { t: "older"; before: number };
/** Deletes the visitor and the thread from the relay. */
export type Forget = { t: "forget" };
/** Ends this session on every connection that has it: each is closed with `badToken`, this one too. */
export type Logout = { t: "logout" };
export type Ping = { t: "ping" };
export type ClientFrame =
  | Hello
  | Send
  | Retry
  | Read
  | React
  | Typing
  | Lead
  | Rate
  | Transcript
  | Older
  | Forget
  | Logout
  | Ping;

// ── relay → client ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Answer to `hello`. With `reset` the client drops its messages: the thread starts again at `after`. If `older` is
 * true, earlier messages can be requested with an `older` frame.
 */
export type Welcome = {
  t: "welcome";
  v: number;
  /** Milliseconds since 1970 by the relay's clock, like every `at`. A browser's own clock may be wrong by a day. */
  now: number;
  /** A new token, which the client must keep. */
  token?: string;
  epoch: string;
  /** The `message` frames that follow continue from this number. */
  after: number;
  /** The newest number. The client has caught up when it reaches this number. */
  head: number;
  reset: boolean;
  older: boolean;
  /** The number up to which the visitor has seen everything, on any device. */
  read: number;
  delivery: Delivery;
  /** The person's first name, for the greeting. Only in the answer to a signed `identity`. */
  name?: string;
  /**
   * Present once an email address of the visitor's is known, from a form or signed, so that the visitor is not asked
   * again.
   */
  email?: boolean;
  /** Present once the visitor was asked for a rating. */
  rating?: Rating;
};
export type MessageFrame = { t: "message"; after: number; message: Message };
export type History = { t: "history"; before: number; messages: Message[]; older: boolean };
/** State that has no number: the read position on other devices, the delivery state, the rating. */
export type Status = { t: "status"; read?: number; delivery?: Delivery; rating?: Rating };
/** The service accepted the newest message and may be working on an answer; `false` ends it. */
export type Working = { t: "typing"; on: boolean };
/**
 * `id` names the frame's message or form when the error is about one, `field` the form's field; `retryAfter` in
 * milliseconds. An error that the service finds in a form may come after its `lead`, also on a later connection.
 */
export type ErrorFrame = { t: "error"; code: ErrorCode; id?: string; field?: "email" | "phone"; retryAfter?: number };
export type ErrorCode =
  | "bad_frame"
  | "empty"
  | "too_long"
  | "rate_limited"
  | "try_later"
  | "unknown_message"
  | "unknown_media"
  | "invalid_email"
  | "invalid_phone"
  | "not_allowed"
  /** The owner has blocked this visitor: the connection ends with `notAllowed`. */
  | "blocked";
/** A form, or a rating, is durable. */
export type Captured = { t: "lead"; id: string };
/** The conversation is on its way to this address. */
export type Mailed = { t: "mailed"; id: string; email: string };
/** The connection will be closed. Reconnect after a random time in `retry` (milliseconds, from–to). */
export type Bye = { t: "bye"; retry: [number, number] };
/**
 * Heartbeat, also sent without a `ping`. A client whose newest number is below `head`, and that expects no frames, has missed a
 * change.
 */
export type Pong = { t: "pong"; head: number };
export type RelayFrame =
  | Welcome
  | MessageFrame
  | History
  | Status
  | Working
  | ErrorFrame
  | Captured
  | Mailed
  | Bye
  | Pong;
