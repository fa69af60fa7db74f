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
import type { Attachment, Chat, ChatEvents, ChatOptions, Notice } from "./chat-types.ts";
import { type Connection, createConnection, type LinkEnding } from "./connection.ts";
import { createDraft, type Draft } from "./draft.ts";
import { createEvents } from "./events.ts";
import { createForms, type Forms } from "./form-frames.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { browserPage, type Page } from "./page.ts";
import { createSession, type Session } from "./session.ts";
import { type Context, openStorage, type Saved, type Storage, withinLimits } from "./storage.ts";
import { createThread, type Thread } from "./thread.ts";
import { transportsTo } from "./transports.ts";

export type { Attachment, Chat, ChatEvents, Notice, Refused } from "./chat-types.ts";
export type { Link, LinkEnding } from "./connection.ts";
export type { Item } from "./thread.ts";

/** Errors of the frame in flight, by the close code that it causes. Sending it again would end the next connection too. */
const FRAME_ERRORS: Record<number, ErrorCode> = { [CLOSE_CODE.protocol]: "bad_frame", [CLOSE_CODE.tooBig]: "too_long" };

/** A conversation of one site in one tab. Nothing is read, stored or sent before `start`. */
export const createChat = (options: ChatOptions): Chat => new Conversation(options);

class Conversation implements Chat {
  readonly delivery = signal<Delivery>("ok");
  readonly working = signal<{ since: number } | undefined>();
  readonly older = signal(false);
  readonly notice = signal<Notice | undefined>();
  readonly storage: Storage;
  readonly #options: ChatOptions;
  readonly #page: Page;
  readonly #thread: Thread = createThread();
  readonly #draft: Draft;
  readonly #forms: Forms;
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #connection: Connection;
  readonly #events = createEvents<ChatEvents>();
  /** Counts the changes of thread and outbox. */
  readonly #version = signal(0);
  /** Removes the listeners of a started chat. */
  #undo: (() => void)[] = [];
  /** Resolves the promises of `forget`. */
  readonly #deletionWaiters: (() => void)[] = [];
  /** The relay has not confirmed the deletion yet. New messages belong to the next chat. */
  #deletionPending = false;
  /** `start` was called during a deletion: start the next chat once the relay has confirmed it. */
  #shouldRestart = false;
  /** This connection's `hello` named the visitor to delete: send only `forget` over it. */
  #onlyDeletes = false;
  #destroyed = false;

  constructor(options: ChatOptions) {
    const { site, page = browserPage, storage: port } = options;
    this.#options = options;
    this.#page = page;
    const storage = openStorage(site, page, port);
    this.storage = storage;
    this.#draft = createDraft({ page, storage });
    const send = this.#send;
    this.#forms = createForms(send);
    this.#session = createSession({
      site,
      page,
      storage,
      send,
      thread: this.#thread,
      reconnect: (at) => this.#connection.reconnect(at),
      placed: this.#placed,
      upToDate: () => {
        this.#show();
        this.#outbox.open();
      },
      identified: () => this.#events.emit("identify", undefined),
      departed: this.#wipe,
    });
    const { catchUp } = this.#session;
    this.#outbox = createOutbox({ site, page, storage, send, catchUp, changed: this.#show });
    this.#connection = this.#connect();
  }

  #connect(): Connection {
    const { relay, connect, stays } = this.#options;
    const page = this.#page;
    return createConnection({
      page,
      ...(connect ? { open: connect } : transportsTo(relay, page)),
      hello: () => batch(() => this.#hello()),
      onFrame: (frame) => batch(() => this.#onFrame(frame)),
      lost: (code) => batch(() => this.#lost(code)),
      refused: () => this.#refused(),
      ...(stays && { stays }),
    });
  }

  // ── what is shown ───────────────────────────────────────────────────────────────────────────────────────────────

  readonly items = computed(() => {
    this.#version.value;
    return this.#outbox.merge(this.#thread.items());
  });
  /** Unread replies. */
  readonly #unreadReplies = computed(() =>
    this.items.value.filter(({ from, pos = 0 }) => from === "reply" && pos > this.#session.read.value),
  );
  readonly unread = computed(() => this.#unreadReplies.value.length);
  readonly firstUnread = computed(() => this.#unreadReplies.value[0]?.id);

  get link() {
    return this.#connection.link;
  }
  get ending() {
    return this.#connection.ending;
  }
  get ready() {
    return this.#session.ready;
  }
  get name() {
    return this.#session.name;
  }
  get refused() {
    return this.#forms.refused;
  }
  get rating() {
    return this.#forms.rating;
  }
  get email() {
    return this.#forms.email;
  }
  get draft() {
    return this.#draft.text;
  }
  get on() {
    return this.#events.on;
  }

  #show = (): void => {
    this.older.value = this.#thread.older;
    this.#version.value++;
  };

  // ── frames ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #send = (frame: ClientFrame): void => {
    if (!this.#onlyDeletes) this.#connection.send(frame);
  };

  #hello(): Hello {
    this.#onlyDeletes = this.storage.read().forget;
    // Another tab has completed the deletion.
    if (!this.#onlyDeletes) this.#finishDeletion();
    return this.#session.hello();
  }

  #onFrame(frame: RelayFrame): void {
    const { delivery, working } = this;
    if (frame.t === "welcome") delivery.value = frame.delivery;
    if (this.#onlyDeletes) return frame.t === "welcome" ? this.#connection.send({ t: "forget" }) : undefined;
    if (frame.t === "typing") {
      working.value = frame.on ? (working.value ?? { since: this.#page.now() }) : undefined;
    } else if (frame.t === "status") {
      delivery.value = frame.delivery ?? delivery.value;
      this.#session.markRead(frame.read ?? 0);
    } else if (frame.t === "error") this.#onError(frame);
    else if (frame.t !== "lead" && frame.t !== "mailed" && frame.t !== "bye") this.#session.onFrame(frame);
    this.#forms.onFrame(frame);
  }

  /** Called when a message has its place in the thread: removes it from the outbox; a reply ends the typing indicator. */
  #placed = (message: Message, fresh: boolean): void => {
    const item = this.#thread.get(message.id);
    if (!item) return;
    if (message.from === "visitor") {
      if (!this.#outbox.stored(message)) return;
      this.notice.value = undefined;
      this.#events.emit("sent", item);
    } else if (fresh) {
      this.working.value = undefined;
      this.#events.emit("message", item);
    }
  };

  #onError(frame: ErrorFrame): void {
    if (this.#forms.ownsError(frame)) return;
    const { code, id, retryAfter } = frame;
    const detail: Notice = { code, ...(retryAfter !== undefined && { retryAfter }) };
    if (id === undefined || retryAfter !== undefined) this.notice.value = detail;
    this.#outbox.refused(frame);
    this.#events.emit("error", detail);
  }

  #lost(code: number): void {
    this.#session.lost();
    this.working.value = undefined;
    this.#outbox.close(FRAME_ERRORS[code]);
    if (code === CLOSE_CODE.gone || (this.#onlyDeletes && code === CLOSE_CODE.badToken)) {
      this.#session.erase();
      this.#erased();
    }
  }

  #refused(): boolean {
    const what = this.#session.refused();
    if (what === "identity") this.#events.emit("error", { code: "not_allowed" });
    return what !== undefined;
  }

  // ── what the visitor does ───────────────────────────────────────────────────────────────────────────────────────

  send(text: string, attachment?: Attachment, choice?: Context): string {
    if (this.#destroyed || (isBlank(text) && !attachment)) return "";
    const { context } = this.#options;
    const id = randomId();
    const at = this.#page.now();
    if (
      !this.#outbox.add({
        id,
        text,
        at,
        ...attachment,
        context: context && withinLimits({ ...context(), ...choice }),
      })
    ) {
      this.notice.value = { code: "rate_limited" };
      return "";
    }
    this.working.value = undefined;
    return id;
  }

  retry = (id: string): void => this.#outbox.retry(id, this.#thread.get(id)?.n);

  seen = (upTo = Number.POSITIVE_INFINITY): void => {
    const n = this.#unreadReplies.value.findLast(({ pos = 0 }) => pos <= upTo)?.pos ?? 0;
    if (this.#session.markRead(n)) this.#send({ t: "read", n });
  };

  react(id: string, emoji: string): void {
    this.#send({ t: "react", id, emoji });
  }

  get remove() {
    return this.#outbox.remove;
  }
  get loadOlder() {
    return this.#session.loadOlder;
  }
  get typing() {
    return this.#session.typing;
  }
  get submit() {
    return this.#forms.submit;
  }
  get token() {
    return this.#session.token;
  }

  // ── start and end ───────────────────────────────────────────────────────────────────────────────────────────────

  start = (): void => {
    if (this.#destroyed) return;
    const { storage } = this;
    this.#shouldRestart = this.#undo.length > 0;
    if (!this.#shouldRestart) {
      this.#deletionPending = storage.read().forget;
      const unwatch = storage.watch((saved) => batch(() => this.#onStorageChange(saved)));
      this.#undo = [this.#draft.start(), unwatch, this.#countUnread()];
    }
    this.#outbox.load();
    this.#connection.start();
  };

  get stop() {
    return this.#connection.stop;
  }

  destroy = (): void => {
    this.#destroyed = true;
    this.#connection.stop();
    this.#removeListeners();
    this.#events.clear();
  };

  #countUnread(): () => void {
    let last = 0;
    return this.unread.subscribe((now) => {
      if (now !== last) this.#events.emit("unread", now);
      last = now;
    });
  }

  identify(token: string): void {
    this.#session.identify(token);
    if (this.#connection.ending.value === "badToken") this.start();
    else this.#connection.reconnect("now");
  }

  logout(): void {
    const nobody = !this.#undo[0] || this.#session.isNobody(this.#hasWritten());
    // Clear the storage first: other tabs read it when the relay ends their session, and must find nothing.
    if (this.#session.logout()) this.#send({ t: "logout" });
    if (this.#deletionPending || nobody) this.#wipe(true);
    else this.#leave("normal");
  }

  forget(): Promise<void> {
    const done = new Promise<void>((resolve) => this.#deletionWaiters.push(resolve));
    this.#deletionPending = this.#session.forget();
    this.#wipe(true);
    if (!this.#deletionPending) this.#leave("gone");
    else {
      this.start();
      this.#shouldRestart = false;
      const connection = this.#connection;
      connection.send({ t: "forget" });
      this.#onlyDeletes = true;
      // Its `hello` may have named another visitor.
      if (connection.link.value === "connecting") connection.reconnect("now");
    }
    return done;
  }

  /** Whether this tab holds any message or form. */
  #hasWritten(): boolean {
    return this.items.value.length > 0 || this.#forms.waiting();
  }

  /** Another tab wrote to the storage, or cleared it. */
  #onStorageChange(saved: Saved | undefined): void {
    const now = this.storage.read();
    if (this.#deletionPending) {
      if (!now.forget) return this.#erased();
      // The other tab logged out.
      if (!saved) return this.#wipe(true);
    } else if (saved?.forget) return this.#leave("gone");
    // A late event: ignore it if the storage now holds the visitor that this tab shows.
    else if (!saved) return this.#session.owns(now) ? undefined : this.#leave("normal");
    if (this.#session.sync(saved)) this.#outbox.sync(saved.unsent);
  }

  /** Empties this tab. @param nobody also drop unsent messages, because their visitor has left */
  #wipe = (nobody: boolean): void => {
    const { refused, rating, email } = this.#forms;
    this.#session.wipe();
    this.working.value = this.notice.value = refused.value = rating.value = email.value = undefined;
    if (nobody) {
      this.#outbox.clear();
      this.#forms.clear();
      this.#draft.text.value = "";
    } else this.#outbox.keepOnly(this.storage.read().unsent);
    this.#show();
  };

  #leave(why: LinkEnding): void {
    this.#connection.end(why);
    // After a deletion this tab holds only messages for the next chat.
    if (!this.#deletionPending) this.#wipe(true);
    this.#removeListeners();
    this.#finishDeletion();
  }

  #finishDeletion(): void {
    this.#deletionPending = false;
    for (const resolve of this.#deletionWaiters.splice(0)) resolve();
  }

  #removeListeners(): void {
    for (const off of this.#undo.splice(0)) off();
  }

  /** Called when the chat is deleted. Messages written since then start the next chat. */
  #erased(): void {
    const next = this.#deletionPending && (this.#shouldRestart || this.#hasWritten());
    this.#leave("gone");
    // Let the current connection end first.
    if (next) queueMicrotask(this.start);
  }
}
