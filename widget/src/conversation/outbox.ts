/**
 * The line of messages that the relay has not written yet. Each is kept in the browser before it is sent, one is under
 * way at a time so that the typed order stays, every repeat carries the same id, and only the relay's own `message` with
 * that id takes it off the line.
 *
 * queued → sending → (written: gone from here) | queued again (connection lost, slow down) | failed → queued (retry)
 */

import { TEXT_MAX } from "@porchlight/shared/limits";
import type { ClientFrame, ErrorCode, ErrorFrame, VisitorMessage } from "@porchlight/shared/protocol";
import { createTimer, type Page } from "./page.ts";
import type { Storage, Unsent } from "./storage.ts";
import type { Item, Written } from "./thread.ts";

type Entry = Unsent & {
  state: "queued" | "sending" | "failed";
  /** Found in the storage: another tab may be sending it too. */
  found?: boolean;
  /** Not a new message: the relay has this one, in state number `n`, and shall send it anew. */
  n?: number;
};

export type Outbox = {
  /** The thread as it shall be shown: with the relay's messages first, then what is not among them yet. */
  after(written: readonly Written[]): Item[];
  /** Answers whether there was room. */
  add(entry: Unsent): boolean;
  /** Tries a failed entry again, or asks the relay to do so with a message it holds in state number `n`. */
  retry(id: string, n?: number): void;
  remove(id: string): void;
  /** Takes in what earlier pages left behind. */
  load(): void;
  /** Compares with what another tab wrote to the storage. */
  compare(unsent: Unsent[]): void;
  /** Another visitor is here: drops what does not stand in the storage any more, which is what the one before took along. */
  keepOnly(unsent: Unsent[]): void;
  /** The thread is up to date: sending may begin. */
  open(): void;
  /** The connection is gone; `why` when the frame under way is to blame. */
  close(why?: ErrorCode): void;
  /** The relay wrote this message. Answers whether it stood in this line. */
  wrote(message: VisitorMessage): boolean;
  refused(error: ErrorFrame): void;
  clear(): void;
};

export type OutboxOptions = {
  site: string;
  page: Page;
  storage: Storage;
  send(frame: ClientFrame): void;
  /** Asks the relay how far the thread has come. `open` follows when all of that is here. */
  catchUp(): void;
  /** The line looks different now. */
  changed(): void;
};

/** Unsent messages that a browser keeps at most (WIDGET 3.5). */
export const ROOM = 50;
const KEEP_MS = 24 * 3_600_000;
/** Nobody wants yesterday's text sent today. */
const STALE_MS = 2 * 60_000;
/** Without an answer for so long the frame is sent again. */
const ANSWER_MS = 10_000;
const PAUSE_MS = 2_000;

export function createOutbox({ site, page, storage, send, catchUp, changed }: OutboxOptions): Outbox {
  let line: Entry[] = [];
  let ready = false;
  let flying: Entry | undefined;
  let release: (() => void) | undefined;
  let mayFlush = false;
  const answer = createTimer(page);
  const pause = createTimer(page);

  const find = (id: string) => line.find((entry) => entry.id === id);

  /** Writes one entry down, or takes it off the record. */
  const keep = ({ state: _, found: __, n: ___, ...kept }: Entry) =>
    storage.change((saved) => {
      const place = saved.unsent.findIndex(({ id }) => id === kept.id);
      if (place < 0) saved.unsent.push(kept);
      else saved.unsent[place] = kept;
    });
  const discard = (id: string) =>
    storage.change((saved) => {
      saved.unsent = saved.unsent.filter((entry) => entry.id !== id);
    });

  function ground(): void {
    answer.off();
    if (flying?.state === "sending") flying.state = "queued";
    flying = undefined;
  }

  /**
   * Only one tab flushes what earlier pages left; the relay would drop the doubles, so this saves work, not messages. The tab
   * that had the lock before may have sent it all, and what the relay made of that may still be on its way here.
   */
  function claim(): void {
    release ??= page.lock(`porchlight:${site}:flush`, () => {
      mayFlush = true;
      ready = false;
      catchUp();
    });
  }

  function yieldFlush(): void {
    release?.();
    release = undefined;
    mayFlush = false;
  }

  function pump(): void {
    if (!ready || flying || pause.on()) return;
    const next = line.find(({ state }) => state === "queued");
    if (!next?.found) yieldFlush();
    else if (!mayFlush) return claim();
    if (!next) return;
    flying = next;
    next.state = "sending";
    answer.set(ANSWER_MS, repeat);
    const { id, text, key, context } = next;
    send(next.n === undefined ? { t: "send", id, text, ...(key && { media: key }), ...context } : { t: "retry", id });
    changed();
  }

  function repeat(): void {
    ground();
    pump();
  }

  function leave(entry: Entry): void {
    line = line.filter((other) => other !== entry);
    if (entry.n === undefined) discard(entry.id);
    if (entry === flying) ground();
  }

  /** The relay could not even read the frame of a text that is longer than it takes. */
  function measure(entry: Entry): void {
    if (entry.text.length > TEXT_MAX) Object.assign(entry, { state: "failed", reason: "too_long" });
  }

  /** Visible and kept, until the visitor decides. What the relay holds simply stays failed there. */
  function fail(entry: Entry, reason: ErrorCode): void {
    if (entry === flying) ground();
    if (entry.n !== undefined) return leave(entry);
    Object.assign(entry, { state: "failed", reason });
    keep(entry);
  }

  return {
    after(written) {
      const ours = new Map(line.map((entry) => [entry.id, entry]));
      const known = written.map((item) => {
        const entry = ours.get(item.id);
        if (!entry) return item;
        ours.delete(item.id);
        const { reason: _, ...rest } = item;
        return { ...rest, state: entry.state };
      });
      // What is tried anew and stands further up than the page that is loaded is not new.
      return [...known, ...[...ours.values()].filter(({ n }) => n === undefined).map(toItem)];
    },
    add(unsent) {
      if (line.length >= ROOM) return false;
      const entry: Entry = { ...unsent, state: "queued" };
      measure(entry);
      line.push(entry);
      keep(entry);
      changed();
      pump();
      return true;
    },
    retry(id, n) {
      const known = find(id);
      if (known ? known.state !== "failed" : n === undefined) return;
      const entry: Entry = { id, text: "", ...known, at: page.now(), state: "queued" };
      delete entry.reason;
      delete entry.found;
      measure(entry);
      if (!known && n !== undefined) entry.n = n;
      line = [...line.filter((other) => other !== known), entry];
      if (entry.n === undefined) keep(entry);
      changed();
      pump();
    },
    remove(id) {
      const entry = find(id);
      if (!entry || entry.state === "sending") return;
      leave(entry);
      changed();
      pump();
    },
    load() {
      const now = page.now();
      let stale = line.some(({ reason }) => reason === "stale");
      for (const unsent of storage.read().unsent) {
        if (find(unsent.id)) continue;
        const age = now - unsent.at;
        if (age > KEEP_MS) {
          discard(unsent.id);
          continue;
        }
        // One that is held back holds back what was typed after it: the order is part of what was said.
        stale ||= age > STALE_MS && !unsent.reason;
        const reason = unsent.reason ?? (stale ? "stale" : undefined);
        line.push({ ...unsent, ...(reason && { reason }), state: reason ? "failed" : "queued", found: true });
      }
      changed();
    },
    compare(unsent) {
      const kept = new Set(unsent.map(({ id }) => id));
      // Deleted in the other tab, or tried again there and delivered.
      line = line.filter(({ id, state }) => kept.has(id) || state !== "failed");
      // Two tabs wrote at the same instant, and the later one had not seen our entry.
      for (const entry of line) if (!entry.found && entry.n === undefined && !kept.has(entry.id)) keep(entry);
      changed();
    },
    keepOnly(unsent) {
      line = line.filter((entry) => unsent.some(({ id }) => id === entry.id));
    },
    open() {
      ready = true;
      pump();
    },
    close(why) {
      const guilty = flying;
      ready = false;
      pause.off();
      yieldFlush();
      ground();
      if (why && guilty) fail(guilty, why);
      changed();
    },
    wrote(message) {
      const entry = find(message.id);
      if (!entry || (entry.n !== undefined && message.n <= entry.n)) return false;
      leave(entry);
      pump();
      return true;
    },
    refused({ id, code, retryAfter }) {
      // A frame that could not be read has no id: it was the one under way.
      const entry = id !== undefined ? find(id) : code === "bad_frame" ? flying : undefined;
      if (!entry) return;
      if (code === "rate_limited" || code === "try_later") {
        if (entry === flying) ground();
        pause.set((retryAfter ?? PAUSE_MS) * (1 + page.random() / 4), pump);
      } else fail(entry, code);
      changed();
      pump();
    },
    clear() {
      ready = false;
      pause.off();
      yieldFlush();
      ground();
      line = [];
    },
  };
}

function toItem({ id, text, at, state, media, reason }: Entry): Item {
  return { id, from: "visitor", text, at, state, ...(media && { media }), ...(reason && { reason }) };
}
