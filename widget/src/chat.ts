/** The conversation as the page sees it: a numbered thread from the relay, the visitor's unsent messages at its tail. */

import { CLOSE } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import type { ClientFrame, Delivery, ErrorCode, ErrorFrame, Message, RelayFrame } from "@porchlight/shared/protocol";
import { isBlank } from "@porchlight/shared/text";
import { batch, computed, signal } from "@preact/signals-core";
import { createConnection, type LinkEnding, type OpenTransport } from "./connection.ts";
import type { Chat, ChatEvents, Notice } from "./conversation.ts";
import { createDraft } from "./draft.ts";
import { createEvents } from "./events.ts";
import { createForms } from "./forms.ts";
import { createOutbox } from "./outbox.ts";
import { browserPage, type Page } from "./page.ts";
import { createSession } from "./session.ts";
import { openSocket } from "./socket.ts";
import { type Context, fitting, openStorage, type Saved, type StoragePort } from "./storage.ts";
import { createThread } from "./thread.ts";
import { createTransports, type Transports } from "./transports.ts";

export type { Link, LinkEnding } from "./connection.ts";
export type { Attachment, Chat, ChatEvents, Notice, Refused } from "./conversation.ts";
export { hasConversation } from "./storage.ts";
export type { Item, ItemState } from "./thread.ts";

export type ChatOptions = {
  site: string;
  /** Origin of the relay. */
  relay: string;
  /** Asked when a message is sent. Longer texts than the relay takes are cut. */
  context?: () => Context;
  page?: Page;
  storage?: StoragePort;
  connect?: OpenTransport;
};

/** Tells the relay at most this often that the visitor types. */
const TYPING_MS = 3_000;
/** Closes of which the frame under way was the cause: sending it again would end the next connection too. */
const BLAME: Record<number, ErrorCode> = { [CLOSE.protocol.code]: "bad_frame", [CLOSE.tooBig.code]: "too_long" };

export function createChat(options: ChatOptions): Chat {
  const { site, relay, context, page = browserPage, storage: port, connect } = options;
  const version = signal(0);
  const delivery = signal<Delivery>("ok");
  const working = signal<{ since: number } | undefined>();
  const older = signal(false);
  const notice = signal<Notice | undefined>();
  const { on, emit, silence } = createEvents<ChatEvents>();
  let undo: (() => void)[] = [];
  const forgotten: (() => void)[] = [];
  let forgetting = false;
  let destroyed = false;
  let typedAt = 0;

  const storage = openStorage(site, page, port);
  const thread = createThread();
  const draft = createDraft({ page, storage });
  const send = (frame: ClientFrame) => connection.send(frame);
  const forms = createForms(send);
  const outbox = createOutbox({ site, page, storage, send, changed: show });
  const session = createSession({
    site,
    page,
    storage,
    thread,
    send,
    again: (at) => connection.again(at),
    placed,
    upToDate: () => {
      show();
      outbox.open();
    },
    identified: () => emit("identify", undefined),
    departed: wipe,
  });
  const connection = createConnection({
    page,
    ...(connect ? { open: connect } : waysTo(relay, page)),
    hello: () => batch(session.hello),
    heard: (frame) => batch(() => heard(frame)),
    lost: (code) => batch(() => lost(code)),
    refused,
  });

  const items = computed(() => {
    version.value;
    return outbox.after(thread.items());
  });
  const news = computed(() => items.value.filter(({ from, pos = 0 }) => from === "reply" && pos > session.read.value));
  const unread = computed(() => news.value.length);

  function show(): void {
    older.value = thread.older;
    version.value++;
  }

  // ── what the relay says ───────────────────────────────────────────────────────────────────────────────────────

  function heard(frame: RelayFrame): void {
    if (frame.t === "welcome") delivery.value = frame.delivery;
    if (forgetting) return frame.t === "welcome" ? send({ t: "forget" }) : undefined;
    if (frame.t === "typing") {
      working.value = frame.on ? (working.value ?? { since: page.now() }) : undefined;
    } else if (frame.t === "status") {
      delivery.value = frame.delivery ?? delivery.value;
      session.saw(frame.read ?? 0);
    } else if (frame.t === "error") complain(frame);
    else if (frame.t !== "lead" && frame.t !== "mailed" && frame.t !== "bye") session.heard(frame);
    forms.heard(frame);
  }

  /** What was ours to send leaves the line; a reply ends the waiting. */
  function placed(message: Message, fresh: boolean): void {
    const item = thread.get(message.id);
    if (!item) return;
    if (message.from === "visitor") {
      if (!outbox.wrote(message)) return;
      notice.value = undefined;
      emit("sent", item);
    } else if (fresh) {
      working.value = undefined;
      emit("message", item);
    }
  }

  function complain(frame: ErrorFrame): void {
    if (forms.complained(frame)) return;
    const { code, id, retryAfter } = frame;
    const detail: Notice = { code, ...(retryAfter !== undefined && { retryAfter }) };
    if (id === undefined || retryAfter !== undefined) notice.value = detail;
    outbox.refused(frame);
    emit("error", detail);
  }

  function lost(code: number): void {
    session.lost();
    working.value = undefined;
    outbox.close(BLAME[code]);
    if (code === CLOSE.gone.code || (forgetting && code === CLOSE.badToken.code)) over("gone");
  }

  function refused(): boolean {
    const what = session.refused();
    if (what === "identity") emit("error", { code: "not_allowed" });
    return what !== undefined;
  }

  // ── beginnings and endings ────────────────────────────────────────────────────────────────────────────────────

  function start(): void {
    if (destroyed) return;
    if (!undo.length) {
      forgetting = storage.read().forget;
      undo = [draft.start(), storage.watch((saved) => batch(() => compare(saved))), countUnread()];
    }
    outbox.load();
    connection.start();
  }

  function countUnread(): () => void {
    let last = 0;
    return unread.subscribe((now) => {
      if (now !== last) emit("unread", now);
      last = now;
    });
  }

  /** Another tab wrote to the storage, or cleared it. */
  function compare(saved: Saved | undefined): void {
    if (saved?.forget && !forgetting) return leave("gone");
    if (!saved) return leave(forgetting ? "gone" : "normal");
    session.compare(saved);
    outbox.compare(saved.unsent);
  }

  /** Empties this tab; what was not sent only when it belongs to somebody who left. */
  function wipe(nobody: boolean): void {
    session.wipe();
    working.value = notice.value = forms.refused.value = forms.rating.value = undefined;
    if (nobody) {
      outbox.clear();
      draft.text.value = "";
    }
    show();
  }

  function leave(why: LinkEnding): void {
    connection.end(why);
    wipe(true);
    unplug();
    forgetting = false;
    for (const resolve of forgotten.splice(0)) resolve();
  }

  function unplug(): void {
    for (const off of undo.splice(0)) off();
  }

  function over(why: LinkEnding): void {
    storage.clear();
    leave(why);
  }
  return {
    items,
    link: connection.link,
    ending: connection.ending,
    delivery,
    working,
    unread,
    firstUnread: computed(() => news.value[0]?.id),
    older,
    notice,
    refused: forms.refused,
    ready: session.ready,
    name: session.name,
    rating: forms.rating,
    draft: draft.text,
    start,
    stop: connection.stop,
    send(text, attachment) {
      if (destroyed || forgetting || (isBlank(text) && !attachment)) return "";
      const id = randomId();
      if (!outbox.add({ id, text, at: page.now(), ...attachment, ...(context && { context: fitting(context()) }) })) {
        notice.value = { code: "rate_limited" };
        return "";
      }
      working.value = undefined;
      return id;
    },
    retry: (id) => outbox.retry(id, thread.get(id)?.n),
    remove: outbox.remove,
    seen() {
      const n = news.value.at(-1)?.pos ?? 0;
      if (session.saw(n)) send({ t: "read", n });
    },
    loadOlder: session.loadOlder,
    react: (id, emoji) => send({ t: "react", id, emoji }),
    submit: forms.submit,
    typing() {
      if (page.now() - typedAt < TYPING_MS) return;
      typedAt = page.now();
      send({ t: "typing" });
    },
    forget() {
      const done = new Promise<void>((resolve) => forgotten.push(resolve));
      if (!storage.read().token) over("gone");
      else {
        forgetting = true;
        wipe(true);
        storage.change((saved) => Object.assign(saved, { forget: true, unsent: [], draft: "" }));
        start();
        send({ t: "forget" });
      }
      return done;
    },
    logout() {
      if (forgetting) return;
      // First the storage: when the relay ends the session in the other tabs, they must find nothing there.
      storage.clear();
      // Nor may who was said to be here, and not heard of yet, be the next one.
      session.identify("");
      send({ t: "logout" });
      leave("normal");
    },
    identify(token) {
      session.identify(token);
      if (connection.ending.value === "badToken") start();
      else connection.again("now");
    },
    token: session.token,
    destroy() {
      destroyed = true;
      connection.stop();
      unplug();
      silence();
    },
    on,
  };
}

/** The ways to the relay; the code of the rarer one is fetched when it is needed. */
function waysTo(relay: string, page: Page): Transports {
  const socket = openSocket(relay);
  let lines: OpenTransport | undefined;
  return createTransports({
    page,
    socket,
    async fallback() {
      lines ??= (await import("./lines.ts")).openLines({ relay, page, socket });
      return lines;
    },
    reachable: () =>
      fetch(`${relay}/healthz`, { cache: "no-store", credentials: "omit" }).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
}
