/** What a conversation does with the relay's frames, and when its connection begins or is lost. */

import { CLOSE_CODE } from "@porchlight/shared/close";
import type { ErrorCode, ErrorFrame, Hello, Message, RelayFrame } from "@porchlight/shared/protocol";
import { finishDeletion, onErased } from "./chat-endings.ts";
import type { ChatState } from "./chat-state.ts";
import type { Notice } from "./chat-types.ts";

/** Errors of the frame in flight, by the close code that it causes. Sending it again would end the next connection too. */
const FRAME_ERRORS: Record<number, ErrorCode> = { [CLOSE_CODE.protocol]: "bad_frame", [CLOSE_CODE.tooBig]: "too_long" };

/** The first frame of a connection. */
export function hello(chat: ChatState): Hello {
  chat.onlyDeletes = chat.storage.read().forget;
  // Another tab has completed the deletion.
  if (!chat.onlyDeletes) finishDeletion(chat);
  return chat.session.hello();
}

/** Applies a frame of the relay to the chat. */
export function onFrame(chat: ChatState, frame: RelayFrame): void {
  const { delivery, working, session, forms, connection, page } = chat;
  if (frame.t === "welcome") delivery.value = frame.delivery;
  if (chat.onlyDeletes) return frame.t === "welcome" ? connection.send({ t: "forget" }) : undefined;
  if (frame.t === "typing") {
    working.value = frame.on ? (working.value ?? { since: page.now() }) : undefined;
  } else if (frame.t === "status") {
    delivery.value = frame.delivery ?? delivery.value;
    session.markRead(frame.read ?? 0);
  } else if (frame.t === "error") onError(chat, frame);
  else if (frame.t !== "lead" && frame.t !== "mailed" && frame.t !== "bye") session.onFrame(frame);
  forms.onFrame(frame);
}

/** Called when a message has its place in the thread: removes it from the outbox; a reply ends the typing indicator. */
export function onPlaced(
  { thread, outbox, notice, working, events }: ChatState,
  message: Message,
  fresh: boolean,
): void {
  const item = thread.get(message.id);
  if (!item) return;
  if (message.from === "visitor") {
    if (!outbox.stored(message)) return;
    notice.value = undefined;
    events.emit("sent", item);
  } else if (fresh) {
    working.value = undefined;
    events.emit("message", item);
  }
}

function onError({ forms, notice, outbox, events }: ChatState, frame: ErrorFrame): void {
  if (forms.ownsError(frame)) return;
  const { code, id, retryAfter } = frame;
  const detail: Notice = { code, ...(retryAfter !== undefined && { retryAfter }) };
  if (id === undefined || retryAfter !== undefined) notice.value = detail;
  outbox.refused(frame);
  events.emit("error", detail);
}

/** Called when the connection is lost. */
export function onLost(chat: ChatState, code: number): void {
  const { session, working, outbox } = chat;
  session.lost();
  working.value = undefined;
  outbox.close(FRAME_ERRORS[code]);
  if (code === CLOSE_CODE.gone || (chat.onlyDeletes && code === CLOSE_CODE.badToken)) {
    session.erase();
    onErased(chat);
  }
}

/** Called when the relay refused the last `hello`. @returns whether another one may be accepted */
export function onRefused({ session, events }: ChatState): boolean {
  const what = session.refused();
  if (what === "identity") events.emit("error", { code: "not_allowed" });
  return what !== undefined;
}
