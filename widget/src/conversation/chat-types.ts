/** What a conversation offers to whoever shows it. Types only; `createChat` makes one. */

import type { Delivery, ErrorCode, Media, Rating } from "@porchlight/shared/protocol";
import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { Link, LinkEnding, OpenTransport } from "./connection.ts";
import type { Form, Refused } from "./form-frames.ts";
import type { Page } from "./page.ts";
import type { Context, Storage, StoragePort } from "./storage.ts";
import type { Item } from "./thread.ts";

export type { Refused } from "./form-frames.ts";

export type ChatOptions = {
  site: string;
  /** Origin of the relay. */
  relay: string;
  /** Asked when a message is sent. Longer texts than the relay takes are cut. */
  context?: () => Context;
  /** Whether the visitor is to be told of replies while he looks elsewhere: then the connection stays. */
  stays?: () => boolean;
  page?: Page;
  storage?: StoragePort;
  connect?: OpenTransport;
};

export type Notice = { code: ErrorCode; retryAfter?: number };

/** A finished upload: the relay's key for it, and what to show until the relay's own word arrives. */
export type Attachment = { key: string; media: Media };

export type ChatEvents = {
  /** A reply that this browser had not seen before: live, or written while the page was away. History does not count. */
  message: Item;
  /** The relay wrote a message of this visitor, typed here. */
  sent: Item;
  unread: number;
  /** The relay accepted who the visitor is said to be. */
  identify: undefined;
  error: Notice;
};

export interface Chat {
  /** Display order: by `pos`; what the relay has not written stands at the tail in typed order. */
  readonly items: ReadonlySignal<readonly Item[]>;
  readonly link: ReadonlySignal<Link>;
  /** Set while `link` is `ended`: the name in `CLOSE_CODE`; `normal` after a logout, `gone` after a deletion. */
  readonly ending: ReadonlySignal<LinkEnding | undefined>;
  readonly delivery: ReadonlySignal<Delivery>;
  /** The service accepted the newest message and has not answered: since when, in this browser's clock. */
  readonly working: ReadonlySignal<{ since: number } | undefined>;
  readonly unread: ReadonlySignal<number>;
  /** Id of the first reply not seen yet. */
  readonly firstUnread: ReadonlySignal<string | undefined>;
  /** Whether `loadOlder` would find more. */
  readonly older: ReadonlySignal<boolean>;
  /** The newest complaint of the relay that is not one message's own; gone with the next message that is written. */
  readonly notice: ReadonlySignal<Notice | undefined>;
  /** A form that was taken, and a field of it that the service refused afterwards. */
  readonly refused: Signal<Refused | undefined>;
  /** The thread is what the relay says it is. */
  readonly ready: ReadonlySignal<boolean>;
  /** First name of a visitor whose identity the relay has seen proven. */
  readonly name: ReadonlySignal<string | undefined>;
  /** What the visitor said of this conversation; without a score they declined. Nothing before they were asked. */
  readonly rating: ReadonlySignal<Rating | undefined>;
  /** An e-mail address of the visitor's is known, from a form or signed: nothing may ask for it again (WCAG 3.3.7). */
  readonly email: ReadonlySignal<boolean | undefined>;
  /** Kept in storage as the visitor types. */
  readonly draft: Signal<string>;
  /** What this browser keeps of the conversation: emptied with a logout and a deletion. */
  readonly storage: Pick<Storage, "read" | "change">;
  /** Reads the storage and connects; before it nothing does. After an ending it begins anew. */
  start(): void;
  /** Closes the connection and keeps everything. */
  stop(): void;
  /** Queues a message and answers its id; an empty string when there is nothing to send, or no room (see `notice`). */
  send(text: string, attachment?: Attachment): string;
  retry(id: string): void;
  /** Drops a message that the relay does not have. */
  remove(id: string): void;
  /** Everything up to this place was seen; without one, everything. */
  seen(upTo?: number): void;
  loadOlder(): void;
  /** An empty string takes the reaction back. Without effect while not online. */
  react(id: string, emoji: string): void;
  typing(): void;
  /**
   * Hands in a form. Resolves when it is durable at the relay, or with what the relay says is wrong. The same `id` again
   * mends one.
   */
  submit(form: Form, id?: string): Promise<ErrorCode | undefined>;
  /** Deletes the chat: here at once, at the relay as soon as it can be reached. Resolves when both are done. */
  forget(): Promise<void>;
  /** Ends the session and drops the visitor here, in every tab; where nobody is, and nothing was begun, the line stays as it is. */
  logout(): void;
  /** Greets anew as the owner's signed user. */
  identify(token: string): void;
  /** For the `Authorization` of an upload, never for an address. Empty before the first welcome. */
  token(): string;
  /** Leaves no timer, listener or connection. */
  destroy(): void;
  /** Returns the off function. */
  on<Name extends keyof ChatEvents>(event: Name, listener: (detail: ChatEvents[Name]) => void): () => void;
}
