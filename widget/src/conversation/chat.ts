/** The conversation as the page shows it: the numbered thread from the relay, followed by the visitor's unsent messages. */

import { CLOSE_CODE } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import type {
  ClientFrame,
  Delivery,
  ErrorCode,
  ErrorFrame,
  Hello,
  Message,
  RelayFrame,
} from "@porchlight/shared/protocol";
import { isBlank } from "@porchlight/shared/text";
import { batch, computed, signal } from "@preact/signals-core";
import type { Chat, ChatEvents, ChatOptions, Notice } from "./chat-types.ts";
import { createConnection, type LinkEnding } from "./connection.ts";
import { createDraft } from "./draft.ts";
import { createEvents } from "./events.ts";
import { createForms } from "./form-frames.ts";
import { createOutbox } from "./outbox.ts";
import { browserPage } from "./page.ts";
import { createSession } from "./session.ts";
import { fitting, openStorage, type Saved } from "./storage.ts";
import { createThread } from "./thread.ts";
import { waysTo } from "./transports.ts";

export type { Attachment, Chat, ChatEvents, Notice, Refused } from "./chat-types.ts";
export type { Link, LinkEnding } from "./connection.ts";
export type { Item } from "./thread.ts";

/** Close codes that the frame in flight caused. Sending it again would end the next connection too. */
const BLAME: Record<number, ErrorCode> = { [CLOSE_CODE.protocol]: "bad_frame", [CLOSE_CODE.tooBig]: "too_long" };

export function createChat(options: ChatOptions): Chat {
  const { site, relay, context, stays, page = browserPage, storage: port, connect } = options;
  const version = signal(0);
  const delivery = signal<Delivery>("ok");
  const working = signal<{ since: number } | undefined>();
  const older = signal(false);
  const notice = signal<Notice | undefined>();
  const { on, emit, silence } = createEvents<ChatEvents>();
  let undo: (() => void)[] = [];
  const forgotten: (() => void)[] = [];
  /** The visitor deleted the chat and the relay has not confirmed it. New messages belong to the next chat. */
  let forgetting = false;
  /** The visitor continued to write meanwhile, so the next chat starts automatically. */
  let goesOn = false;
  /** This connection's `hello` named the visitor to be deleted: send nothing else over it. */
  let erasing = false;
  let destroyed = false;
  const storage = openStorage(site, page, port);
  const thread = createThread();
  const draft = createDraft({ page, storage });
  const send = (frame: ClientFrame) => (erasing ? undefined : connection.send(frame));
  const forms = createForms(send);
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
  const outbox = createOutbox({ site, page, storage, send, catchUp: session.catchUp, changed: show });
  const connection = createConnection({
    page,
    ...(connect ? { open: connect } : waysTo(relay, page)),
    hello: () => batch(hello),
    heard: (frame) => batch(() => heard(frame)),
    lost: (code) => batch(() => lost(code)),
    refused,
    ...(stays && { stays }),
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

  // ── frames from the relay ───────────────────────────────────────────────────────────────────────────────────────

  function hello(): Hello {
    erasing = storage.read().forget;
    // Another tab has completed the deletion.
    if (!erasing) forgot();
    return session.hello();
  }

  function heard(frame: RelayFrame): void {
    if (frame.t === "welcome") delivery.value = frame.delivery;
    if (erasing) return frame.t === "welcome" ? connection.send({ t: "forget" }) : undefined;
    if (frame.t === "typing") {
      working.value = frame.on ? (working.value ?? { since: page.now() }) : undefined;
    } else if (frame.t === "status") {
      delivery.value = frame.delivery ?? delivery.value;
      session.saw(frame.read ?? 0);
    } else if (frame.t === "error") complain(frame);
    else if (frame.t !== "lead" && frame.t !== "mailed" && frame.t !== "bye") session.heard(frame);
    forms.heard(frame);
  }

  /** Called when a message has its place in the thread: removes it from the outbox; a reply ends the typing indicator. */
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
    if (code === CLOSE_CODE.gone || (erasing && code === CLOSE_CODE.badToken)) {
      session.erase();
      over();
    }
  }

  function refused(): boolean {
    const what = session.refused();
    if (what === "identity") emit("error", { code: "not_allowed" });
    return what !== undefined;
  }

  // ── start and end ────────────────────────────────────────────────────────────────────────────────────

  function start(): void {
    if (destroyed) return;
    goesOn = undo.length > 0;
    if (!goesOn) {
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
    if (forgetting) {
      if (!storage.read().forget) return over();
      // The other tab logged out.
      if (!saved) return wipe(true);
    } else if (saved?.forget) return leave("gone");
    // A late event: ignore it if the storage now holds the visitor that this tab shows.
    else if (!saved) return session.owns(storage.read()) ? undefined : leave("normal");
    if (session.compare(saved)) outbox.compare(saved.unsent);
  }

  /** Empties this tab. @param nobody also drop unsent messages, because their visitor has left */
  function wipe(nobody: boolean): void {
    session.wipe();
    working.value = notice.value = forms.refused.value = forms.rating.value = forms.email.value = undefined;
    if (nobody) {
      outbox.clear();
      forms.clear();
      draft.text.value = "";
    } else outbox.keepOnly(storage.read().unsent);
    show();
  }

  function leave(why: LinkEnding): void {
    connection.end(why);
    // After a deletion this tab holds only messages for the next chat.
    if (!forgetting) wipe(true);
    unplug();
    forgot();
  }

  function forgot(): void {
    forgetting = false;
    for (const resolve of forgotten.splice(0)) resolve();
  }

  const unplug = (): void => undo.splice(0).forEach((off) => void off());

  /** Called when the chat is deleted. Messages written since then start the next chat. */
  function over(): void {
    const next = forgetting && (goesOn || items.value.length > 0 || forms.waiting());
    leave("gone");
    // Let the current connection end first.
    if (next) queueMicrotask(start);
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
    email: forms.email,
    draft: draft.text,
    storage,
    start,
    stop: connection.stop,
    send(text, attachment) {
      if (destroyed || (isBlank(text) && !attachment)) return "";
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
    seen(upTo = Number.POSITIVE_INFINITY) {
      const n = news.value.findLast(({ pos = 0 }) => pos <= upTo)?.pos ?? 0;
      if (session.saw(n)) send({ t: "read", n });
    },
    loadOlder: session.loadOlder,
    react: (id, emoji) => send({ t: "react", id, emoji }),
    submit: forms.submit,
    typing: session.typing,
    forget() {
      const done = new Promise<void>((resolve) => forgotten.push(resolve));
      forgetting = session.forget();
      wipe(true);
      if (!forgetting) leave("gone");
      else {
        start();
        goesOn = false;
        connection.send({ t: "forget" });
        erasing = true;
        // Its `hello` may have named another visitor.
        if (connection.link.value === "connecting") connection.again("now");
      }
      return done;
    },
    logout() {
      const nobody = !undo[0] || session.isNobody(items.value.length > 0 || forms.waiting());
      // Clear the storage first: other tabs read it when the relay ends their session, and must find nothing.
      if (session.logout()) send({ t: "logout" });
      if (forgetting || nobody) wipe(true);
      else leave("normal");
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
