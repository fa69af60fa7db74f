/**
 * The session: which visitor this browser is, and how much of that visitor's log it holds. Token, epoch, newest number and read
 * mark are in the storage that all tabs of the site share, so one browser is one visitor.
 *
 * There is one way to catch up: send `hello` with the last number held, and read on. Every gap is closed this way.
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
import { createTimer, type Page } from "./page.ts";
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
  hello(): Hello;
  /** Handles the relay's frames about the thread. */
  heard(frame: Welcome | MessageFrame | History | Pong): void;
  lost(): void;
  /** Asks for the newest number of the log. `ready` stays false until everything up to it has arrived. */
  catchUp(): void;
  loadOlder(): void;
  typing(): void;
  /** Marks everything up to number `n` as read. @returns whether this changed the read mark */
  saw(n: number): boolean;
  /** Whether the stored state belongs to the visitor that this tab shows. */
  owns(saved: Saved): boolean;
  /** Compares with what another tab stored. @returns whether it belongs to the same visitor */
  compare(saved: Saved): boolean;
  /** The session token of the visitor that this tab shows. */
  token(): string;
  identify(token: string): void;
  /** Called when the last `hello` was refused. Drops its identity, else its token. @returns which; undefined if it had neither */
  refused(): "identity" | "token" | undefined;
  /** Stores that the relay must delete the visitor. Later messages belong to the next one. @returns whether there is a visitor */
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
  again(at?: "now"): void;
  /** A message has its place in the thread. `fresh`: this browser never showed it before. */
  placed(message: Message, fresh: boolean): void;
  /** Called after every frame that leaves no gap in the thread. */
  upToDate(): void;
  /** The relay accepted the identity. */
  identified(): void;
  /** The browser no longer belongs to this tab's visitor. `nobody`: it belongs to no visitor. */
  departed(nobody: boolean): void;
};

/** The relay has announced entries but not sent them for this long: ask again. */
const BEHIND_MS = 5_000;
/** After this time a page of history is requested again. */
const ANSWER_MS = 10_000;
const MINUTE_MS = 60_000;
/** Tells the relay at most this often that the visitor types. */
const TYPING_MS = 3_000;

export function createSession(options: SessionOptions): Session {
  const { site, page, storage, thread, send, again, placed, upToDate, identified, departed } = options;
  const read = signal(0);
  const ready = signal(false);
  const name = signal<string | undefined>();
  const behind = createTimer(page);
  let identity: string | undefined;
  let greeting: Hello | undefined;
  /** The visitor whose log `thread` holds. The epoch alone is not enough: it is the same for all logs of a database. */
  let owner: { token: string; epoch: string } | undefined;
  /** `top`: the newest number that this browser has ever shown. `head`: the newest number that the relay has announced. */
  let top = 0;
  let head = 0;
  /** When the pending page of history was requested. */
  let askedAt = 0;
  let typedAt = 0;

  function welcome(frame: Welcome): void {
    const { token = "", identity: given, since } = greeting ?? {};
    // Two new tabs connected at the same time, and the other one got its token first.
    if (!token && !given && storage.read().token) return again("now");
    if (given === identity) identity = undefined;
    // The relay sends the name only for an identity. It stays valid until the identity changes.
    if (given) {
      name.value = frame.name;
      identified();
    }
    // Rounded to minutes, so that network delay does not count as a difference.
    thread.ahead = Math.round((frame.now - page.now()) / MINUTE_MS) * MINUTE_MS;
    if (frame.reset || since === undefined) thread.reset(frame.after, frame.older);
    // Own property only: the page may have set `token` on Object.prototype.
    owner = { token: (Object.hasOwn(frame, "token") && frame.token) || token, epoch: frame.epoch };
    if (greeting) greeting.token = owner.token;
    adopt(frame);
    if (read.value > frame.read) send({ t: "read", n: read.value });
    head = frame.head;
    askedAt = 0;
    settle();
  }

  /** Stores the token. Keeps this browser's marks if they belong to this visitor's log. */
  function adopt({ epoch, token, head: newest, read: mark }: Welcome): void {
    storage.change((saved) => {
      if (saved.epoch !== epoch || (token && !isSameVisitor(saved.token, token)))
        Object.assign(saved, { epoch, n: newest, read: mark });
      if (token) saved.token = token;
      read.value = saved.read = Math.max(saved.read, mark);
      top = saved.n;
    });
  }

  function message(frame: MessageFrame): void {
    const taken = thread.take(frame);
    if (taken === "gap") return again();
    const { pos, n } = frame.message;
    placed(frame.message, taken === "new" && pos > top);
    top = Math.max(top, n);
    settle();
  }

  function history(frame: History): void {
    askedAt = 0;
    thread.history(frame);
    for (const entry of frame.messages) placed(entry, false);
    settle();
  }

  function settle(): void {
    if (thread.held < head) return behind.on() ? undefined : behind.set(BEHIND_MS, again);
    behind.off();
    ready.value = true;
    if (storage.read().n < top)
      storage.change((saved) => {
        saved.n = top;
      });
    upToDate();
  }

  const session: Session = {
    read,
    ready,
    name,
    hello() {
      const { token, forget } = storage.read();
      // Another tab logged out or changed its visitor while this one got no events.
      if (owner && !session.owns(storage.read())) departed(!token);
      greeting = {
        t: "hello",
        v: PROTOCOL,
        site,
        ...(token && { token }),
        // A pending deletion always uses the stored token.
        ...(identity && !forget && { identity }),
        ...(owner && { epoch: owner.epoch, since: thread.held }),
      };
      return greeting;
    },
    heard(frame) {
      if (frame.t === "welcome") return welcome(frame);
      // A frame arrived, so the relay has not stopped sending.
      behind.off();
      if (frame.t === "message") message(frame);
      else if (frame.t === "history") history(frame);
      else {
        head = frame.head;
        settle();
      }
    },
    lost: behind.off,
    catchUp() {
      head = Number.POSITIVE_INFINITY;
      send({ t: "ping" });
    },
    loadOlder() {
      const now = page.now();
      if (now - askedAt < ANSWER_MS || !thread.older) return;
      askedAt = now;
      send({ t: "older", before: thread.floor });
    },
    typing() {
      if (page.now() - typedAt < TYPING_MS) return;
      typedAt = page.now();
      send({ t: "typing" });
    },
    saw(n) {
      if (n <= read.value) return false;
      read.value = n;
      storage.change((saved) => {
        saved.read = Math.max(saved.read, n);
      });
      return true;
    },
    owns: ({ token }) => isSameVisitor(token, owner?.token),
    compare(saved) {
      if (!owner) return true;
      const same = session.owns(saved);
      if (same) {
        // The relay may have replaced the token. It will soon refuse the old one.
        owner.token = saved.token;
        read.value = Math.max(read.value, saved.read);
      }
      // The page identified the visitor in the other tab.
      else if (saved.token) again("now");
      return same;
    },
    token: () => owner?.token ?? storage.read().token,
    identify(token) {
      identity = token;
    },
    refused() {
      const { identity: given, token } = greeting ?? {};
      if (given) {
        if (identity === given) identity = undefined;
        return "identity";
      }
      if (!token) return undefined;
      owner = name.value = undefined;
      storage.change((saved) => {
        if (saved.token === token) saved.token = saved.epoch = "";
      });
      return "token";
    },
    forget() {
      const token = session.token();
      if (token)
        storage.change((saved) => Object.assign(saved, { token, forget: true, unsent: [], draft: "", kept: "" }));
      else storage.clear();
      return !!token;
    },
    isNobody: (wrote) => !wrote && !identity && !session.token(),
    logout() {
      const { token, forget } = storage.read();
      storage.clear();
      // An identity that is not confirmed yet must not become the next visitor.
      identity = "";
      // The pending deletion needs the token.
      if (forget) storage.change((saved) => Object.assign(saved, { token, forget }));
      return !forget;
    },
    erase() {
      const { token, forget, unsent, draft } = storage.read();
      if (!isSameVisitor(token, greeting?.token)) return;
      storage.clear();
      if (forget && (unsent[0] || draft)) storage.change((saved) => Object.assign(saved, { unsent, draft }));
    },
    wipe() {
      owner = name.value = undefined;
      top = head = read.value = 0;
      ready.value = false;
      thread.reset(0, false);
    },
  };
  return session;
}
