/** The interface of a conversation for the user interface. Types only; `createChat` makes one. */

import type { Delivery, ErrorCode, Media, Rating } from "@porchlight/shared/protocol";
import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { LinkEnding, LinkState, OpenTransport } from "./connection.ts";
import type { Form, Refused } from "./form-frames.ts";
import type { Page } from "./page.ts";
import type { MessageContext, Storage, StoragePort } from "./storage.ts";
import type { Item } from "./thread.ts";

export type { Refused } from "./form-frames.ts";

export type ChatOptions = {
  site: string;
  /** Origin of the relay. */
  relay: string;
  /** Called when a message is sent. @returns details to send with it; texts above the relay's limit are cut */
  context?: () => MessageContext;
  /** Whether the visitor wants notifications of replies while the page is hidden. If so, the connection stays open. */
  stays?: () => boolean;
  page?: Page;
  storage?: StoragePort;
  connect?: OpenTransport;
};

export type Notice = { code: ErrorCode; retryAfter?: number };

/** A finished upload: the relay's key for it, and what to show until the relay's own message arrives. */
export type Attachment = { key: string; media: Media };

export type ChatEvents = {
  /** A reply that is new to this browser: live, or stored while the page was closed. Not sent for history. */
  message: Item;
  /** The relay stored a message that the visitor typed here. */
  sent: Item;
  unread: number;
  /** The relay accepted the visitor's identity. */
  identify: undefined;
  error: Notice;
};

export interface Chat {
  /** In display order: by `pos`. Messages that the relay has not stored come last, in the order typed. */
  readonly items: ReadonlySignal<readonly Item[]>;
  readonly link: ReadonlySignal<LinkState>;
  /** Set while `link` is `ended`: the name in `CLOSE_CODE`; `normal` after a logout, `gone` after a deletion. */
  readonly ending: ReadonlySignal<LinkEnding | undefined>;
  readonly delivery: ReadonlySignal<Delivery>;
  /** Set while the service has accepted the newest message and not answered: since when, by this browser's clock. */
  readonly working: ReadonlySignal<{ since: number } | undefined>;
  readonly unread: ReadonlySignal<number>;
  /** Id of the first unread reply. */
  readonly firstUnread: ReadonlySignal<string | undefined>;
  /** Whether there is older history to load with `loadOlder`. */
  readonly older: ReadonlySignal<boolean>;
  /** The relay's newest error that does not concern a single message. Cleared when the next message is stored. */
  readonly notice: ReadonlySignal<Notice | undefined>;
  /** An accepted form of which the service later refused a field. */
  readonly refused: Signal<Refused | undefined>;
  /** The thread is up to date with the relay. */
  readonly ready: ReadonlySignal<boolean>;
  /** First name of a visitor whose identity the relay has verified. */
  readonly name: ReadonlySignal<string | undefined>;
  /** The visitor's rating; without a score the visitor declined. Undefined before they were asked. */
  readonly rating: ReadonlySignal<Rating | undefined>;
  /** Whether the visitor's email address is known, from a form or a signed identity. If so, do not ask again (WCAG 3.3.7). */
  readonly email: ReadonlySignal<boolean | undefined>;
  /** The draft; saved to storage while the visitor types. */
  readonly draft: Signal<string>;
  /** What this browser stores of the conversation. A logout or a deletion empties it. */
  readonly storage: Pick<Storage, "read" | "change">;
  /** Reads the storage and connects. Nothing happens before this call. After an ending it starts again. */
  start(): void;
  /** Closes the connection and keeps all state. */
  stop(): void;
  /**
   * Queues a message.
   * @param choice what the visitor chose with it, instead of what the page says
   * @returns its id; an empty string when the text is empty or the queue is full (see `notice`)
   */
  send(text: string, attachment?: Attachment, choice?: MessageContext): string;
  retry(id: string): void;
  /** Removes a message that the relay has not stored. */
  remove(id: string): void;
  /** Marks everything up to this position as read; without an argument, everything. */
  markRead(upTo?: number): void;
  loadOlder(): void;
  /** Sets a reaction; an empty string removes it. Does nothing while not online. */
  react(id: string, emoji: string): void;
  typing(): void;
  /**
   * Sends a form. Resolves when the relay has stored it, or with the relay's error. Send the same `id` again to correct a
   * form.
   */
  submit(form: Form, id?: string): Promise<ErrorCode | undefined>;
  /** Deletes the chat: here at once, at the relay as soon as it can be reached. Resolves when both have happened. */
  forget(): Promise<void>;
  /** Ends the session and removes the visitor in every tab. Keeps the connection when there is no visitor and no message. */
  logout(): void;
  /** Reconnects with the identity that the owner signed. */
  identify(token: string): void;
  /** The token for the `Authorization` header of an upload. Never put it into a URL. Empty before the first welcome. */
  token(): string;
  /** Removes all timers, listeners and connections. */
  destroy(): void;
  /** @returns a function that removes the listener */
  on<Name extends keyof ChatEvents>(event: Name, listener: (detail: ChatEvents[Name]) => void): () => void;
}
