/**
 * The queue of messages that the relay has not stored yet. Each message is saved in the browser before it is sent. One is in
 * flight at a time, so the typed order stays. Every repeat carries the same id. Only the relay's `message` frame with that id
 * removes it from the queue.
 *
 * queued → sending → (stored: removed) | queued again (connection lost, slow down) | failed → queued (retry)
 */

import { TEXT_MAX } from "@porchlight/shared/limits";
import type { ClientFrame, ErrorCode, ErrorFrame, VisitorMessage } from "@porchlight/shared/protocol";
import { createTimer, type Page } from "./page.ts";
import type { Storage, Unsent } from "./storage.ts";
import type { Item, Written } from "./thread.ts";

type Entry = Unsent & {
  state: "queued" | "sending" | "failed";
  /** Loaded from the storage: another tab may be sending it too. */
  found?: boolean;
  /** Set for a message that the relay already holds, in state number `n`, and must send to the service again. */
  n?: number;
};

export type Outbox = {
  /** @returns the thread for display: the relay's messages first, then the unsent ones */
  after(written: readonly Written[]): Item[];
  /** @returns whether the queue had room */
  add(entry: Unsent): boolean;
  /** Retries a failed entry, or asks the relay to retry a message that it holds in state number `n`. */
  retry(id: string, n?: number): void;
  remove(id: string): void;
  /** Loads the messages that earlier pages left unsent. */
  load(): void;
  /** Applies what another tab wrote to the storage. */
  compare(unsent: Unsent[]): void;
  /** Called when the visitor changed: keeps only the entries that are still in the storage. */
  keepOnly(unsent: Unsent[]): void;
  /** Called when the thread is up to date: starts sending. */
  open(): void;
  /** Called when the connection is lost. @param why set when the frame in flight caused it */
  close(why?: ErrorCode): void;
  /** Called when the relay stored this message. @returns whether it was in this queue */
  wrote(message: VisitorMessage): boolean;
  refused(error: ErrorFrame): void;
  clear(): void;
};

export type OutboxOptions = {
  site: string;
  page: Page;
  storage: Storage;
  send(frame: ClientFrame): void;
  /** Asks the relay for the newest number. `open` follows when everything up to it has arrived. */
  catchUp(): void;
  /** The queue changed. */
  changed(): void;
};

/** Unsent messages that a browser keeps at most (WIDGET 3.5). */
export const ROOM = 50;
/** Older unsent messages are dropped at load. */
const KEEP_MS = 24 * 3_600_000;
/** Older unsent messages are not sent automatically after a load: the visitor decides. */
const STALE_MS = 2 * 60_000;
/** After this time without an answer the frame is sent again. */
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

  /** Saves one entry to the storage, or removes it from there. */
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
   * Lets only one tab send what earlier pages left. The relay would drop duplicates, so this only saves work. The tab that held
   * the lock before may have sent everything already, and the relay's frames about it may not have arrived here yet.
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

  /** Marks a text above the size limit as failed: the relay could not parse its frame. */
  function measure(entry: Entry): void {
    if (entry.text.length > TEXT_MAX) Object.assign(entry, { state: "failed", reason: "too_long" });
  }

  /** Marks an entry as failed and keeps it until the visitor decides. A message that the relay holds stays failed there. */
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
      // A retried message in history that is not loaded must not appear at the end.
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
        // A stale message also holds back the messages typed after it, to keep their order.
        stale ||= age > STALE_MS && !unsent.reason;
        const reason = unsent.reason ?? (stale ? "stale" : undefined);
        line.push({ ...unsent, ...(reason && { reason }), state: reason ? "failed" : "queued", found: true });
      }
      changed();
    },
    compare(unsent) {
      const kept = new Set(unsent.map(({ id }) => id));
      // Failed entries missing in the storage were deleted in the other tab, or retried there and delivered.
      line = line.filter(({ id, state }) => kept.has(id) || state !== "failed");
      // Two tabs wrote at the same moment, and the other one overwrote our entry.
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
      // The error about an unreadable frame has no id: it concerns the frame in flight.
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
