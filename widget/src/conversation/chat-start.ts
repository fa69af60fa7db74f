/** Starts a conversation, follows what other tabs store, and removes everything at the end. */

import { batch } from "@preact/signals-core";
import { leave, onErased, removeListeners, wipe } from "./chat-endings.ts";
import type { ChatState } from "./chat-state.ts";
import type { Saved } from "./storage.ts";

/** Reads the storage and connects. During a deletion: starts the next chat once the relay has confirmed it. */
export function start(chat: ChatState): void {
  if (chat.destroyed) return;
  const { storage, draft, outbox, connection, undo } = chat;
  chat.shouldRestart = undo.length > 0;
  if (!chat.shouldRestart) {
    chat.deletionPending = storage.read().forget;
    const unwatch = storage.watch((saved) => batch(() => onStorageChange(chat, saved)));
    undo.push(draft.start(), unwatch, countUnread(chat));
  }
  outbox.load();
  connection.start();
}

/** Ends the chat on this page: closes its connection, and removes all listeners. */
export function destroy(chat: ChatState): void {
  chat.destroyed = true;
  chat.connection.stop();
  removeListeners(chat);
  chat.events.clear();
}

function countUnread({ unread, events }: ChatState): () => void {
  let last = 0;
  return unread.subscribe(({ length }) => {
    if (length !== last) events.emit("unread", length);
    last = length;
  });
}

/** Another tab wrote to the storage, or cleared it. */
function onStorageChange(chat: ChatState, saved: Saved | undefined): void {
  const { storage, session, outbox } = chat;
  const now = storage.read();
  if (chat.deletionPending) {
    if (!now.forget) return onErased(chat);
    // The other tab logged out.
    if (!saved) return wipe(chat, true);
  } else if (saved?.forget) return leave(chat, "gone");
  // A late event: ignore it if the storage now holds the visitor that this tab shows.
  else if (!saved) return session.owns(now) ? undefined : leave(chat, "normal");
  if (session.sync(saved)) outbox.sync(saved.unsent);
}
