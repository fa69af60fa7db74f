/** The conversation as the page shows it: the numbered thread from the relay, followed by the visitor's unsent messages. */

import { randomId } from "@porchlight/shared/id";
import type { ClientFrame, Delivery } from "@porchlight/shared/protocol";
import { isBlank } from "@porchlight/shared/text";
import { batch, computed, signal } from "@preact/signals-core";
import { forget, logout, wipe } from "./chat-endings.ts";
import { hello, onFrame, onLost, onPlaced, onRefused } from "./chat-frames.ts";
import { destroy, start } from "./chat-start.ts";
import { type ChatState, sendFrame, show } from "./chat-state.ts";
import type { Attachment, Chat, ChatEvents, ChatOptions, Notice } from "./chat-types.ts";
import { createConnection } from "./connection.ts";
import { createDraft } from "./draft.ts";
import { createEvents } from "./events.ts";
import { createForms } from "./form-frames.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { browserPage } from "./page.ts";
import { createSession, type Session } from "./session.ts";
import { type MessageContext, openStorage, withinLimits } from "./storage.ts";
import { createThread, type Thread } from "./thread.ts";
import { transportsTo } from "./transports.ts";

export type { Attachment, Chat, ChatEvents, Notice, Refused } from "./chat-types.ts";
export type { LinkEnding, LinkState } from "./connection.ts";
export type { Item } from "./thread.ts";

/** Makes what the page shows of a conversation. */
function createShown(thread: Thread, outbox: Outbox, { read }: Session) {
  const version = signal(0);
  const items = computed(() => {
    version.value;
    return outbox.merge(thread.items());
  });
  return {
    delivery: signal<Delivery>("ok"),
    working: signal<{ since: number } | undefined>(),
    older: signal(false),
    notice: signal<Notice | undefined>(),
    version,
    items,
    unread: computed(() => items.value.filter(({ from, pos = 0 }) => from === "reply" && pos > read.value)),
  };
}

/** Makes the parts of a conversation and connects them. */
function createState({
  site,
  relay,
  context,
  stays,
  page = browserPage,
  storage: port,
  connect,
}: ChatOptions): ChatState {
  const storage = openStorage(site, page, port);
  const thread = createThread();
  const send = (frame: ClientFrame): void => sendFrame(chat, frame);
  const session = createSession({
    site,
    page,
    storage,
    send,
    thread,
    reconnect: (at) => connection.reconnect(at),
    placed: (message, fresh) => onPlaced(chat, message, fresh),
    upToDate() {
      show(chat);
      outbox.open();
    },
    identified: () => chat.events.emit("identify", undefined),
    departed: (nobody) => wipe(chat, nobody),
  });
  const { catchUp } = session;
  const outbox = createOutbox({ site, page, storage, send, catchUp, changed: () => show(chat) });
  const connection = createConnection({
    page,
    ...(connect ? { open: connect } : transportsTo(relay, page)),
    hello: () => batch(() => hello(chat)),
    onFrame: (frame) => batch(() => onFrame(chat, frame)),
    lost: (code) => batch(() => onLost(chat, code)),
    refused: () => onRefused(chat),
    ...(stays && { stays }),
  });
  const chat: ChatState = {
    context,
    page,
    storage,
    thread,
    draft: createDraft({ page, storage }),
    forms: createForms(send),
    session,
    outbox,
    connection,
    events: createEvents<ChatEvents>(),
    ...createShown(thread, outbox, session),
    start: () => start(chat),
    undo: [],
    deletionWaiters: [],
  };
  return chat;
}

/** Queues a message. @returns its id; an empty string when there is none to send, or no room */
function send(chat: ChatState, text: string, attachment?: Attachment, choice?: MessageContext): string {
  const { context, page, outbox, notice, working } = chat;
  if (chat.destroyed || (isBlank(text) && !attachment)) return "";
  const id = randomId();
  const details = context && withinLimits({ ...context(), ...choice });
  if (!outbox.add({ id, text, at: page.now(), ...attachment, context: details })) {
    notice.value = { code: "rate_limited" };
    return "";
  }
  working.value = undefined;
  return id;
}

/** Marks replies as read, here and at the relay. */
function markRead(chat: ChatState, upTo = Number.POSITIVE_INFINITY): void {
  const n = chat.unread.value.findLast(({ pos = 0 }) => pos <= upTo)?.pos ?? 0;
  if (chat.session.markRead(n)) sendFrame(chat, { t: "read", n });
}

function identify({ session, connection, start }: ChatState, token: string): void {
  session.identify(token);
  if (connection.ending.value === "badToken") start();
  else connection.reconnect("now");
}

/** A conversation of one site in one tab. Nothing is read, stored or sent before `start`. */
export function createChat(options: ChatOptions): Chat {
  const chat = createState(options);
  const { thread, forms, session, outbox, connection, unread } = chat;
  return {
    storage: chat.storage,
    items: chat.items,
    delivery: chat.delivery,
    working: chat.working,
    older: chat.older,
    notice: chat.notice,
    start: chat.start,
    link: connection.link,
    ending: connection.ending,
    stop: connection.stop,
    ready: session.ready,
    name: session.name,
    loadOlder: session.loadOlder,
    typing: session.typing,
    token: session.token,
    refused: forms.refused,
    rating: forms.rating,
    email: forms.email,
    submit: forms.submit,
    draft: chat.draft.text,
    unread: computed(() => unread.value.length),
    firstUnread: computed(() => unread.value[0]?.id),
    on: chat.events.on,
    destroy: () => destroy(chat),
    send: (text, attachment, choice) => send(chat, text, attachment, choice),
    retry: (id) => outbox.retry(id, thread.get(id)?.n),
    remove: outbox.remove,
    markRead: (upTo) => markRead(chat, upTo),
    react: (id, emoji) => sendFrame(chat, { t: "react", id, emoji }),
    identify: (token) => identify(chat, token),
    logout: () => logout(chat),
    forget: () => forget(chat),
  };
}
