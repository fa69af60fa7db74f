/** The part of the visitor's numbered log that this tab holds, and the rule that detects gaps. */

import type { History, Media, Message, MessageFrame, ReplyAuthor } from "@porchlight/shared/protocol";
import type { SendProblem } from "./storage.ts";

/** `queued` and `sending` exist only in this browser; from `sent` on the relay holds the message. */
export type ItemState = "queued" | "sending" | "sent" | "delivered" | "failed" | "received";

/** One bubble. `pos` and `n` are absent until the relay stored the message. */
export type Item = {
  id: string;
  from: "visitor" | "reply";
  text: string;
  /** Milliseconds since 1970 by this browser's clock, so that dates and times match the visitor's device. */
  at: number;
  pos?: number;
  n?: number;
  state: ItemState;
  /** Set only in the state `failed`. */
  reason?: SendProblem | undefined;
  media?: Media | undefined;
  reaction?: string;
  /** Set for a reply that names its author. */
  author?: ReplyAuthor;
  /** Start and end of the part of the text that replaces an unavailable file. */
  noFile?: [from: number, to: number];
};

/** An item that the relay stored. */
export type StoredItem = Item & { pos: number; n: number };

export type Thread = {
  /** Everything up to this number has arrived. */
  readonly held: number;
  /** Messages before this position are requested with `older`. */
  readonly floor: number;
  readonly older: boolean;
  get(id: string): StoredItem | undefined;
  /** Ordered by position, without gaps. */
  items(): StoredItem[];
  /** Milliseconds by which the relay's clock is ahead of this browser's. */
  ahead: number;
  /** Starts again after number `after`. */
  reset(after: number, older: boolean): void;
  /** `gap`: entries before this frame are missing, so it was not applied. `known`: applied before. */
  take(frame: MessageFrame): "gap" | "known" | "new";
  history(frame: History): void;
};

/** An empty thread, at number 0 of the log. */
export function createThread(): Thread {
  const byId = new Map<string, StoredItem>();
  let held = 0;
  let floor = 0;
  let older = false;

  /** History and stream may carry the same message; the newer state wins. */
  const put = (message: Message) => {
    const known = byId.get(message.id);
    if (known && known.n > message.n) return;
    // No prototype: a file, an author or a reaction that the relay left out must not come from a polluted `Object.prototype`.
    const item = { __proto__: null, state: "received", ...message, at: message.at - thread.ahead };
    byId.set(message.id, item as StoredItem);
  };

  const thread: Thread = {
    ahead: 0,
    get held() {
      return held;
    },
    get floor() {
      return floor;
    },
    get older() {
      return older;
    },
    get: (id) => byId.get(id),
    // An old message may change before its neighbours are loaded: it is not shown until then.
    items: () => [...byId.values()].filter(({ pos }) => pos >= floor).sort((a, b) => a.pos - b.pos),
    reset(after, more) {
      byId.clear();
      held = after;
      older = more;
      floor = more ? after + 1 : 0;
    },
    take({ after, message }) {
      if (after > held) return "gap";
      const fresh = message.n > held && !byId.has(message.id);
      put(message);
      held = Math.max(held, message.n);
      return fresh ? "new" : "known";
    },
    history({ before, messages, older: more }) {
      if (before !== floor) return;
      messages.forEach(put);
      older = more;
      floor = more ? Math.min(floor, ...messages.map(({ pos }) => pos)) : 0;
    },
  };
  return thread;
}
