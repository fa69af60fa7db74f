/**
 * The session: which visitor this browser is, and how much of that visitor's log it holds. Token, epoch, newest number and read
 * mark are in the storage that all tabs of the site share, so one browser is one visitor.
 *
 * There is one way to get missing changes: send `hello` with the last number that this browser has. It closes every gap.
 */

import {
  type ClientFrame,
  type Hello,
  type History,
  type Message,
  type MessageFrame,
  type Pong,
  PROTOCOL,
  type Welcome,
} from "@porchlight/shared/protocol";
import { type ReadonlySignal, signal } from "@preact/signals-core";
import { createTimer, type Page, type Timer } from "./page.ts";
import type { Saved, Storage } from "./storage.ts";
import type { Thread } from "./thread.ts";
import { isSameVisitor } from "./token.ts";

export type Session = {
  /** Everything up to this number was read. */
  readonly read: ReadonlySignal<number>;
  /** The thread is up to date with the relay. */
  readonly ready: ReadonlySignal<boolean>;
  /** First name of a visitor whose identity the relay has accepted. */
  readonly name: ReadonlySignal<string | undefined>;
  /** Makes the first frame of a new connection. If another tab has changed the visitor, calls `departed` first. */
  hello(): Hello;
  /** Handles the relay's frames about the thread. */
  onFrame(frame: Welcome | MessageFrame | History | Pong): void;
  /** Called when the connection is lost. */
  lost(): void;
  /** Asks for the newest number of the log. `ready` stays false until everything up to it has arrived. */
  catchUp(): void;
  /** Requests the page of history before the oldest loaded message. One page at a time. */
  loadOlder(): void;
  /** Tells the relay that the visitor types, at most every three seconds. */
  typing(): void;
  /** Marks everything up to number `n` as read. @returns whether this changed the read mark */
  markRead(n: number): boolean;
  /** Whether the stored state belongs to the visitor that this tab shows. */
  owns(saved: Saved): boolean;
  /** Applies the state that another tab has stored. @returns whether it belongs to the same visitor */
  sync(saved: Saved): boolean;
  /** The session token of the visitor that this tab shows. */
  token(): string;
  /** Keeps the owner's signed identity for the next `hello`. */
  identify(token: string): void;
  /**
   * Called when the last `hello` was refused. Drops its identity, else its token.
   * @returns which; undefined if it had neither
   */
  refused(): "identity" | "token" | undefined;
  /**
   * Stores that the relay must delete the visitor. Later messages belong to the next one.
   * @returns whether there is a visitor
   */
  forget(): boolean;
  /** Whether there is no visitor, no identity and no message. @param wrote whether this tab holds any message or form */
  isNobody(wrote: boolean): boolean;
  /** Clears the storage, except for a pending deletion. @returns whether the relay may end the session */
  logout(): boolean;
  /** Called after the relay deleted this connection's visitor: clears the storage, but keeps messages for the next visitor. */
  erase(): void;
  /** Clears all state in memory. */
  wipe(): void;
};

export type SessionOptions = {
  site: string;
  page: Page;
  storage: Storage;
  thread: Thread;
  send(frame: ClientFrame): void;
  /** Drops the connection and connects again: at once with `now`, otherwise after a delay. */
  reconnect(at?: "now"): void;
  /** A message has its place in the thread. `fresh`: this browser never showed it before. */
  placed(message: Message, fresh: boolean): void;
  /** Called after every frame that leaves no gap in the thread. */
  upToDate(): void;
  /** The relay accepted the identity. */
  identified(): void;
  /** The browser no longer belongs to this tab's visitor. `nobody`: it belongs to no visitor. */
  departed(nobody: boolean): void;
};

/** Reconnects when announced entries have not arrived after this time. */
const BEHIND_MS = 5_000;
/** After this time a page of history is requested again. */
const ANSWER_MS = 10_000;
const MINUTE_MS = 60_000;
/** Tells the relay at most this often that the visitor types. */
const TYPING_MS = 3_000;

/** The session of one tab. */
export const createSession = (options: SessionOptions): Session => new BrowserSession(options);

class BrowserSession implements Session {
  readonly read = signal(0);
  readonly ready = signal(false);
  readonly name = signal<string | undefined>();
  readonly #options: SessionOptions;
  readonly #behind: Timer;
  #identity: string | undefined;
  /** The last `hello`. */
  #lastHello: Hello | undefined;
  /** The visitor whose log `thread` holds. The epoch alone is not enough: it is the same for all logs of a database. */
  #owner: { token: string; epoch: string } | undefined;
  /** The newest number that this browser has ever shown. */
  #top = 0;
  /** The newest number that the relay has announced. */
  #head = 0;
  /** When the pending page of history was requested. */
  #askedAt = 0;
  #typedAt = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#behind = createTimer(options.page);
  }

  // ── connecting ──────────────────────────────────────────────────────────────────────────────────────────────────

  hello(): Hello {
    const { site, storage, thread, departed } = this.#options;
    const { token, forget } = storage.read();
    // Another tab logged out or changed its visitor while this one got no events.
    if (this.#owner && !this.owns(storage.read())) departed(!token);
    const [identity, owner] = [this.#identity, this.#owner];
    this.#lastHello = {
      t: "hello",
      v: PROTOCOL,
      site,
      ...(token && { token }),
      // A pending deletion always uses the stored token.
      ...(identity && !forget && { identity }),
      ...(owner && { epoch: owner.epoch, since: thread.held }),
    };
    return this.#lastHello;
  }

  refused(): "identity" | "token" | undefined {
    const { identity, token } = this.#lastHello ?? {};
    if (identity) {
      if (this.#identity === identity) this.#identity = undefined;
      return "identity";
    }
    if (!token) return undefined;
    this.#owner = this.name.value = undefined;
    this.#options.storage.change((saved) => {
      if (saved.token === token) saved.token = saved.epoch = "";
    });
    return "token";
  }

  lost(): void {
    this.#behind.off();
  }

  #welcome(frame: Welcome): void {
    const { storage, thread, page, send, reconnect, identified } = this.#options;
    const { token = "", identity, since } = this.#lastHello ?? {};
    // Two new tabs connected at the same time, and the other one got its token first.
    if (!token && !identity && storage.read().token) return reconnect("now");
    if (identity === this.#identity) this.#identity = undefined;
    // The relay sends the name only for an identity. It stays valid until the identity changes.
    if (identity) {
      this.name.value = frame.name;
      identified();
    }
    // Rounded to minutes, so that network delay does not count as a difference.
    thread.ahead = Math.round((frame.now - page.now()) / MINUTE_MS) * MINUTE_MS;
    if (frame.reset || since === undefined) thread.reset(frame.after, frame.older);
    this.#adopt(frame, token);
    const { value: read } = this.read;
    if (read > frame.read) send({ t: "read", n: read });
    this.#head = frame.head;
    this.#askedAt = 0;
    this.#settle();
  }

  /**
   * Makes the visitor of a welcome the one that this tab shows, and stores the token. Keeps this browser's marks if they
   * belong to this visitor's log.
   * @param sent token of the `hello`
   */
  #adopt(frame: Welcome, sent: string): void {
    const { epoch, head, read } = frame;
    // Own property only: the page may have set `token` on Object.prototype.
    const token = Object.hasOwn(frame, "token") && frame.token;
    this.#owner = { token: token || sent, epoch };
    if (this.#lastHello) this.#lastHello.token = this.#owner.token;
    this.#options.storage.change((saved) => {
      if (saved.epoch !== epoch || (token && !isSameVisitor(saved.token, token)))
        Object.assign(saved, { epoch, n: head, read });
      if (token) saved.token = token;
      this.read.value = saved.read = Math.max(saved.read, read);
      this.#top = saved.n;
    });
  }

  // ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────

  onFrame(frame: Welcome | MessageFrame | History | Pong): void {
    if (frame.t === "welcome") return this.#welcome(frame);
    // A frame arrived, so the relay has not stopped sending.
    this.#behind.off();
    if (frame.t === "message") this.#message(frame);
    else if (frame.t === "history") this.#history(frame);
    else {
      this.#head = frame.head;
      this.#settle();
    }
  }

  #message(frame: MessageFrame): void {
    const { thread, placed, reconnect } = this.#options;
    const taken = thread.take(frame);
    if (taken === "gap") return reconnect();
    const { pos, n } = frame.message;
    placed(frame.message, taken === "new" && pos > this.#top);
    this.#top = Math.max(this.#top, n);
    this.#settle();
  }

  #history(frame: History): void {
    const { thread, placed } = this.#options;
    this.#askedAt = 0;
    thread.history(frame);
    for (const entry of frame.messages) placed(entry, false);
    this.#settle();
  }

  /** Waits while announced entries are missing; otherwise reports that the thread is up to date. */
  #settle(): void {
    const { storage, thread, reconnect, upToDate } = this.#options;
    const behind = this.#behind;
    if (thread.held < this.#head) return behind.on() ? undefined : behind.set(BEHIND_MS, reconnect);
    behind.off();
    this.ready.value = true;
    if (storage.read().n < this.#top)
      storage.change((saved) => {
        saved.n = this.#top;
      });
    upToDate();
  }

  catchUp = (): void => {
    this.#head = Number.POSITIVE_INFINITY;
    this.#options.send({ t: "ping" });
  };

  loadOlder = (): void => {
    const { page, thread, send } = this.#options;
    const now = page.now();
    if (now - this.#askedAt < ANSWER_MS || !thread.older) return;
    this.#askedAt = now;
    send({ t: "older", before: thread.floor });
  };

  typing = (): void => {
    const { page, send } = this.#options;
    if (page.now() - this.#typedAt < TYPING_MS) return;
    this.#typedAt = page.now();
    send({ t: "typing" });
  };

  markRead(n: number): boolean {
    if (n <= this.read.value) return false;
    this.read.value = n;
    this.#options.storage.change((saved) => {
      saved.read = Math.max(saved.read, n);
    });
    return true;
  }

  // ── the visitor ─────────────────────────────────────────────────────────────────────────────────────────────────

  owns({ token }: Saved): boolean {
    return isSameVisitor(token, this.#owner?.token);
  }

  sync(saved: Saved): boolean {
    const owner = this.#owner;
    if (!owner) return true;
    const same = this.owns(saved);
    if (same) {
      // The relay may have replaced the token. It will soon refuse the old one.
      owner.token = saved.token;
      this.read.value = Math.max(this.read.value, saved.read);
    }
    // The page identified the visitor in the other tab.
    else if (saved.token) this.#options.reconnect("now");
    return same;
  }

  token = (): string => this.#owner?.token ?? this.#options.storage.read().token;

  identify(token: string): void {
    this.#identity = token;
  }

  isNobody(wrote: boolean): boolean {
    return !wrote && !this.#identity && !this.token();
  }

  forget(): boolean {
    const { storage } = this.#options;
    const token = this.token();
    if (token)
      storage.change((saved) => Object.assign(saved, { token, forget: true, unsent: [], draft: "", kept: "" }));
    else storage.clear();
    return !!token;
  }

  logout(): boolean {
    const { storage } = this.#options;
    const { token, forget } = storage.read();
    storage.clear();
    // An identity that is not confirmed yet must not become the next visitor.
    this.#identity = "";
    // The pending deletion needs the token.
    if (forget) storage.change((saved) => Object.assign(saved, { token, forget }));
    return !forget;
  }

  erase(): void {
    const { storage } = this.#options;
    const { token, forget, unsent, draft } = storage.read();
    if (!isSameVisitor(token, this.#lastHello?.token)) return;
    storage.clear();
    if (forget && (unsent[0] || draft)) storage.change((saved) => Object.assign(saved, { unsent, draft }));
  }

  wipe(): void {
    this.#owner = this.name.value = undefined;
    this.#top = this.#head = this.read.value = 0;
    this.ready.value = false;
    this.#options.thread.reset(0, false);
  }
}
