/** How a conversation ends in this tab: by a logout or a deletion, here, in another tab, or at the relay. */

import { type ChatState, hasWritten, sendFrame, show } from "./chat-state.ts";
import type { LinkEnding } from "./connection.ts";

/** Ends the session and removes the visitor. Keeps the connection when there is no visitor and no message. */
export function logout(chat: ChatState): void {
  const { session, undo } = chat;
  const nobody = !undo[0] || session.isNobody(hasWritten(chat));
  // Clear the storage first: other tabs read it when the relay ends their session, and must find nothing.
  if (session.logout()) sendFrame(chat, { t: "logout" });
  if (chat.deletionPending || nobody) wipe(chat, true);
  else leave(chat, "normal");
}

/** Deletes the chat. Resolves when the relay has confirmed it. */
export function forget(chat: ChatState): Promise<void> {
  const { session, connection, deletionWaiters } = chat;
  const done = new Promise<void>((resolve) => deletionWaiters.push(resolve));
  chat.deletionPending = session.forget();
  wipe(chat, true);
  if (!chat.deletionPending) leave(chat, "gone");
  else {
    chat.start();
    chat.shouldRestart = false;
    connection.send({ t: "forget" });
    chat.onlyDeletes = true;
    // The `hello` of this attempt may have named another visitor.
    if (connection.link.value === "connecting") connection.reconnect("now");
  }
  return done;
}

/** Called when the chat is deleted. Messages written since then start the next chat. */
export function onErased(chat: ChatState): void {
  const next = chat.deletionPending && (chat.shouldRestart || hasWritten(chat));
  leave(chat, "gone");
  // Let the current connection end first.
  if (next) queueMicrotask(chat.start);
}

/** Ends the connection, and empties this tab. */
export function leave(chat: ChatState, why: LinkEnding): void {
  chat.connection.end(why);
  // After a deletion this tab holds only messages for the next chat.
  if (!chat.deletionPending) wipe(chat, true);
  removeListeners(chat);
  finishDeletion(chat);
}

/**
 * Empties this tab.
 * @param nobody whether the browser belongs to no visitor now. Then unsent messages, forms and the draft are dropped too
 */
export function wipe(chat: ChatState, nobody: boolean): void {
  const { session, working, notice, forms, outbox, draft, storage } = chat;
  const { refused, rating, email } = forms;
  session.wipe();
  working.value = notice.value = refused.value = rating.value = email.value = undefined;
  if (nobody) {
    outbox.clear();
    forms.clear();
    draft.text.value = "";
  } else outbox.keepOnly(storage.read().unsent);
  show(chat);
}

/** Called when no deletion waits for the relay any longer. */
export function finishDeletion(chat: ChatState): void {
  chat.deletionPending = false;
  for (const resolve of chat.deletionWaiters.splice(0)) resolve();
}

/** Removes the listeners of a started chat; `start` adds them again. */
export function removeListeners({ undo }: ChatState): void {
  for (const off of undo.splice(0)) off();
}
