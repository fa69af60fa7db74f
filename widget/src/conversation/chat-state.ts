/** The state of a conversation: its parts, and what the functions over them share. */

import type { ClientFrame, Delivery } from "@porchlight/shared/protocol";
import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { ChatEvents, ChatOptions, Notice } from "./chat-types.ts";
import type { Connection } from "./connection.ts";
import type { Draft } from "./draft.ts";
import type { Events } from "./events.ts";
import type { Forms } from "./form-frames.ts";
import type { Outbox } from "./outbox.ts";
import type { Page } from "./page.ts";
import type { Session } from "./session.ts";
import type { Storage } from "./storage.ts";
import type { Item, Thread } from "./thread.ts";

export type ChatState = {
  readonly context: ChatOptions["context"];
  readonly page: Page;
  readonly storage: Storage;
  readonly thread: Thread;
  readonly draft: Draft;
  readonly forms: Forms;
  readonly session: Session;
  readonly outbox: Outbox;
  readonly connection: Connection;
  readonly events: Events<ChatEvents>;
  readonly delivery: Signal<Delivery>;
  readonly working: Signal<{ since: number } | undefined>;
  readonly older: Signal<boolean>;
  readonly notice: Signal<Notice | undefined>;
  /** Counts the changes of thread and outbox. */
  readonly version: Signal<number>;
  readonly items: ReadonlySignal<readonly Item[]>;
  /** Unread replies. */
  readonly unread: ReadonlySignal<readonly Item[]>;
  /** Starts the conversation; see `chat-start.ts`. */
  readonly start: () => void;
  /** Removes the listeners of a started chat. */
  readonly undo: (() => void)[];
  /** Resolves the promises of `forget`. */
  readonly deletionWaiters: (() => void)[];
  /** The relay has not confirmed the deletion yet. New messages belong to the next chat. */
  deletionPending?: boolean;
  /** `start` was called during a deletion: start the next chat once the relay has confirmed it. */
  shouldRestart?: boolean;
  /** This connection's `hello` named the visitor to delete: send only `forget` over it. */
  onlyDeletes?: boolean;
  destroyed?: boolean;
};

/** Shows the changes of thread and outbox. */
export function show({ older, thread, version }: ChatState): void {
  older.value = thread.older;
  version.value++;
}

/** Sends a frame, unless this connection only deletes. */
export function sendFrame(chat: ChatState, frame: ClientFrame): void {
  if (!chat.onlyDeletes) chat.connection.send(frame);
}

/** Whether this tab holds any message or form. */
export const hasWritten = ({ items, forms }: ChatState): boolean => items.value.length > 0 || forms.waiting();
