/**
 * Who this browser is to the relay, and how far it follows that visitor's log. Token, epoch, newest number and read mark
 * live in the storage that the site's tabs share: one browser is one visitor.
 *
 * There is one way to catch up: greet with the last number held, and read on. Whatever looks like a hole leads there.
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
  /** Everything up to this number was seen. */
  readonly read: ReadonlySignal<number>;
  /** The thread is what the relay says it is. */
  readonly ready: ReadonlySignal<boolean>;
  /** First name of a visitor whose identity the relay has accepted. */
  readonly name: ReadonlySignal<string | undefined>;
  hello(): Hello;
  /** What the relay says of the thread. */
  heard(frame: Welcome | MessageFrame | History | Pong): void;
  lost(): void;
  /** Asks how far the log has come: nothing counts as up to date until it is known, and here. */
  catchUp(): void;
  loadOlder(): void;
  typing(): void;
  /** Everything up to number `n` was seen, here or elsewhere. Answers whether that was news. */
  saw(n: number): boolean;
  /** Whether the storage is of whom this tab shows. */
  owns(saved: Saved): boolean;
  /** What another tab wrote. Answers whether it is of the same visitor. */
  compare(saved: Saved): boolean;
  /** What proves to the relay who this browser is: whoever this tab shows. */
  token(): string;
  identify(token: string): void;
  /** The last `hello` was refused: forgets its identity, else its token, and answers which; nothing if it had neither. */
  refused(): "identity" | "token" | undefined;
  /** Writes down that the relay shall delete the visitor; answers whether there is one. What is written from then on is for the next. */
  forget(): boolean;
  /** Whether nobody is or was said to be here, and nothing was begun. @param wrote whether this tab holds anything of anybody */
  isNobody(wrote: boolean): boolean;
  /** Takes everything out of the storage, but for a deletion that waits. Answers whether the relay may end the session. */
  logout(): boolean;
  /** The relay has deleted whom this connection greeted as: takes them out of the storage, and leaves what is for the next. */
  erase(): void;
  /** Holds nothing of anybody any more. */
  wipe(): void;
};

export type SessionOptions = {
  site: string;
  page: Page;
  storage: Storage;
  thread: Thread;
  send(frame: ClientFrame): void;
  again(at?: "now"): void;
  /** A message has its place in the thread; `fresh`: this browser never showed it. */
  placed(message: Message, fresh: boolean): void;
  /** Nothing is missing. Called after every frame that leaves it so. */
  upToDate(): void;
  /** The relay accepted the identity that it was told. */
  identified(): void;
  /** The visitor of this tab is no longer this browser's; `nobody`: nor is anybody else. */
  departed(nobody: boolean): void;
};

/** The relay knew of more than it sent for so long: it forgot to. */
const BEHIND_MS = 5_000;
/** A page of history that has not come for so long is asked for again. */
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
  /** Whose log `thread` holds. The epoch alone does not say it: it names all logs of one database. */
  let owner: { token: string; epoch: string } | undefined;
  /** The newest number that this browser has shown, ever; that the relay has, as far as it told. */
  let top = 0;
  let head = 0;
  /** When a page of history was asked for that has not come. */
  let askedAt = 0;
  let typedAt = 0;

  function welcome(frame: Welcome): void {
    const { token = "", identity: given, since } = greeting ?? {};
    // Two fresh tabs greeted at the same time, and the other one was answered first.
    if (!token && !given && storage.read().token) return again("now");
    if (given === identity) identity = undefined;
    // Said with an identity only, and true until somebody else greets.
    if (given) {
      name.value = frame.name;
      identified();
    }
    // In minutes: what the way here takes is no difference.
    thread.ahead = Math.round((frame.now - page.now()) / MINUTE_MS) * MINUTE_MS;
    if (frame.reset || since === undefined) thread.reset(frame.after, frame.older);
    // Own only: a page may have put a name of ours into Object.prototype.
    owner = { token: (Object.hasOwn(frame, "token") && frame.token) || token, epoch: frame.epoch };
    if (greeting) greeting.token = owner.token;
    adopt(frame);
    if (read.value > frame.read) send({ t: "read", n: read.value });
    head = frame.head;
    askedAt = 0;
    settle();
  }

  /** Stores the token, and keeps the marks of this browser as long as they count in this visitor's log. */
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
      // Another tab logged out, or became somebody else, while this one could not hear it.
      if (owner && !session.owns(storage.read())) departed(!token);
      greeting = {
        t: "hello",
        v: PROTOCOL,
        site,
        ...(token && { token }),
        // Who is deleted is whose token this is, whoever is here by now.
        ...(identity && !forget && { identity }),
        ...(owner && { epoch: owner.epoch, since: thread.held }),
      };
      return greeting;
    },
    heard(frame) {
      if (frame.t === "welcome") return welcome(frame);
      // Whatever moves is not stuck.
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
        // The relay may have replaced the token: the old one is soon refused.
        owner.token = saved.token;
        read.value = Math.max(read.value, saved.read);
      }
      // The owner of the page told that tab who the visitor is.
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
      // Nor may who was said to be here, and not heard of yet, be the next one.
      identity = "";
      // The deletion needs the session.
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
