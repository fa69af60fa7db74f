/**
 * The queue of messages that the relay has not stored yet. Each message is saved in the browser before it is sent. One is in
 * flight at a time, so the typed order stays. Every repeat carries the same id. Only the relay's `message` frame with that id
 * removes it from the queue.
 *
 * queued → sending → (stored: removed) | queued again (connection lost, slow down) | failed → queued (retry)
 */

import { TEXT_MAX } from "@porchlight/shared/limits";
import type { ClientFrame, ErrorCode, ErrorFrame, VisitorMessage } from "@porchlight/shared/protocol";
import { createTimer, type Page, type Timer } from "./page.ts";
import type { Storage, Unsent } from "./storage.ts";
import type { Item, StoredItem } from "./thread.ts";

type Entry = Unsent & {
  state: "queued" | "sending" | "failed";
  /** Loaded from the storage: another tab may be sending it too. */
  found?: boolean;
  /** Set for a message that the relay already holds, in state number `n`, and must send to the service again. */
  n?: number;
};

export type Outbox = {
  /** @returns the messages for display: the stored ones first, then the unsent ones */
  merge(stored: readonly StoredItem[]): Item[];
  /** @returns whether the queue had room */
  add(entry: Unsent): boolean;
  /** Retries a failed entry, or asks the relay to retry a message that it holds in state number `n`. */
  retry(id: string, n?: number): void;
  remove(id: string): void;
  /** Loads the messages that earlier pages left unsent. */
  load(): void;
  /** Applies the list that another tab has written to the storage. */
  sync(unsent: Unsent[]): void;
  /** Called when the visitor changed: keeps only the entries that are still in the storage. */
  keepOnly(unsent: Unsent[]): void;
  /** Called when the thread is up to date: starts sending. */
  open(): void;
  /** Called when the connection is lost. @param why set when the frame in flight caused it */
  close(why?: ErrorCode): void;
  /** Called when the relay stored this message. @returns whether it was in this queue */
  stored(message: VisitorMessage): boolean;
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

/** Most unsent messages that a browser keeps (WIDGET 3.5). */
export const UNSENT_MAX = 50;
/** Older unsent messages are dropped at load. */
const DROP_MS = 24 * 3_600_000;
/** Older unsent messages are not sent automatically after a load: the visitor decides. */
const STALE_MS = 2 * 60_000;
/** After this time without an answer the frame is sent again. */
const ANSWER_MS = 10_000;
/** Pause after a temporary refusal, if the relay states none. */
const PAUSE_MS = 2_000;

/** The queue of one tab. */
export const createOutbox = (options: OutboxOptions): Outbox => new Queue(options);

class Queue implements Outbox {
  readonly #options: OutboxOptions;
  readonly #answer: Timer;
  readonly #pause: Timer;
  #entries: Entry[] = [];
  #ready = false;
  #inFlight: Entry | undefined;
  /** Releases the lock of this site's unsent messages. */
  #release: (() => void) | undefined;
  #mayFlush = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#answer = createTimer(options.page);
    this.#pause = createTimer(options.page);
  }

  // ── what the visitor does ───────────────────────────────────────────────────────────────────────────────────────

  add(unsent: Unsent): boolean {
    if (this.#entries.length >= UNSENT_MAX) return false;
    const entry: Entry = { ...unsent, state: "queued" };
    failIfTooLong(entry);
    this.#entries.push(entry);
    this.#save(entry);
    this.#advance();
    return true;
  }

  retry = (id: string, n?: number): void => {
    const known = this.#find(id);
    if (known ? known.state !== "failed" : n === undefined) return;
    const entry: Entry = { id, text: "", ...known, at: this.#options.page.now(), state: "queued" };
    delete entry.reason;
    delete entry.found;
    failIfTooLong(entry);
    if (!known && n !== undefined) entry.n = n;
    this.#entries = [...this.#entries.filter((other) => other !== known), entry];
    if (entry.n === undefined) this.#save(entry);
    this.#advance();
  };

  remove = (id: string): void => {
    const entry = this.#find(id);
    if (!entry || entry.state === "sending") return;
    this.#drop(entry);
    this.#advance();
  };

  /** Shows the changed queue, and sends the next message. */
  #advance(): void {
    this.#options.changed();
    this.#sendNext();
  }

  // ── what the storage holds ──────────────────────────────────────────────────────────────────────────────────────

  load(): void {
    const now = this.#options.page.now();
    let stale = this.#entries.some(({ reason }) => reason === "stale");
    for (const unsent of this.#options.storage.read().unsent) {
      if (this.#find(unsent.id)) continue;
      const age = now - unsent.at;
      if (age > DROP_MS) {
        this.#discard(unsent.id);
        continue;
      }
      // A stale message also holds back the messages typed after it, to keep their order.
      stale ||= age > STALE_MS && !unsent.reason;
      const reason = unsent.reason ?? (stale ? "stale" : undefined);
      this.#entries.push({ ...unsent, reason, state: reason ? "failed" : "queued", found: true });
    }
    this.#options.changed();
  }

  sync(unsent: Unsent[]): void {
    const kept = new Set(unsent.map(({ id }) => id));
    // Failed entries missing in the storage were deleted in the other tab, or retried there and delivered.
    this.#entries = this.#entries.filter(({ id, state }) => kept.has(id) || state !== "failed");
    // Two tabs wrote at the same moment, and the other one overwrote our entry.
    for (const entry of this.#entries)
      if (!entry.found && entry.n === undefined && !kept.has(entry.id)) this.#save(entry);
    this.#options.changed();
  }

  keepOnly(unsent: Unsent[]): void {
    this.#entries = this.#entries.filter((entry) => unsent.some(({ id }) => id === entry.id));
  }

  /** Saves one entry to the storage. */
  #save({ state: _, found: __, n: ___, ...kept }: Entry): void {
    this.#options.storage.change((saved) => {
      const place = saved.unsent.findIndex(({ id }) => id === kept.id);
      if (place < 0) saved.unsent.push(kept);
      else saved.unsent[place] = kept;
    });
  }

  /** Removes one entry from the storage. */
  #discard(id: string): void {
    this.#options.storage.change((saved) => {
      saved.unsent = saved.unsent.filter((entry) => entry.id !== id);
    });
  }

  // ── what the connection says ────────────────────────────────────────────────────────────────────────────────────

  open(): void {
    this.#ready = true;
    this.#sendNext();
  }

  close(why?: ErrorCode): void {
    const cause = this.#inFlight;
    this.#pauseSending();
    if (why && cause) this.#fail(cause, why);
    this.#options.changed();
  }

  stored(message: VisitorMessage): boolean {
    const entry = this.#find(message.id);
    if (!entry || (entry.n !== undefined && message.n <= entry.n)) return false;
    this.#drop(entry);
    this.#sendNext();
    return true;
  }

  refused({ id, code, retryAfter }: ErrorFrame): void {
    // The error about an unreadable frame has no id: it concerns the frame in flight.
    const entry = id !== undefined ? this.#find(id) : code === "bad_frame" ? this.#inFlight : undefined;
    if (!entry) return;
    if (code === "rate_limited" || code === "try_later") {
      if (entry === this.#inFlight) this.#stopWaiting();
      this.#pause.set((retryAfter ?? PAUSE_MS) * (1 + this.#options.page.random() / 4), () => this.#sendNext());
    } else this.#fail(entry, code);
    this.#advance();
  }

  clear(): void {
    this.#pauseSending();
    this.#entries = [];
  }

  /** Sends nothing until `open`. */
  #pauseSending(): void {
    this.#ready = false;
    this.#pause.off();
    this.#yieldFlush();
    this.#stopWaiting();
  }

  // ── one in flight at a time ─────────────────────────────────────────────────────────────────────────────────────

  /** Sends the next queued message, if nothing is in flight. */
  #sendNext(): void {
    if (!this.#ready || this.#inFlight || this.#pause.on()) return;
    const next = this.#entries.find(({ state }) => state === "queued");
    if (!next?.found) this.#yieldFlush();
    else if (!this.#mayFlush) return this.#claim();
    if (!next) return;
    this.#inFlight = next;
    next.state = "sending";
    this.#answer.set(ANSWER_MS, () => this.#repeat());
    const { id, text, key: media, at, context } = next;
    const age = this.#options.page.now() - at;
    this.#options.send(next.n === undefined ? { t: "send", id, text, age, media, ...context } : { t: "retry", id });
    this.#options.changed();
  }

  #repeat(): void {
    this.#stopWaiting();
    this.#sendNext();
  }

  /** The frame in flight, if any, counts as not sent. */
  #stopWaiting(): void {
    this.#answer.off();
    if (this.#inFlight?.state === "sending") this.#inFlight.state = "queued";
    this.#inFlight = undefined;
  }

  /** Removes an entry from the queue and from the storage. */
  #drop(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    if (entry.n === undefined) this.#discard(entry.id);
    if (entry === this.#inFlight) this.#stopWaiting();
  }

  /** Marks an entry as failed and keeps it until the visitor decides. A message that the relay holds stays failed there. */
  #fail(entry: Entry, reason: ErrorCode): void {
    if (entry === this.#inFlight) this.#stopWaiting();
    if (entry.n !== undefined) return this.#drop(entry);
    Object.assign(entry, { state: "failed", reason });
    this.#save(entry);
  }

  /**
   * Lets only one tab send what earlier pages left. The relay would drop duplicates, so this only saves work. The tab that held
   * the lock before may have sent everything already, and the relay's frames about it may not have arrived here yet.
   */
  #claim(): void {
    const { page, site, catchUp } = this.#options;
    this.#release ??= page.lock(`porchlight:${site}:flush`, () => {
      this.#mayFlush = true;
      this.#ready = false;
      catchUp();
    });
  }

  /** Lets another tab send what earlier pages left. */
  #yieldFlush(): void {
    this.#release?.();
    this.#release = undefined;
    this.#mayFlush = false;
  }

  // ── what is shown ───────────────────────────────────────────────────────────────────────────────────────────────

  merge(stored: readonly StoredItem[]): Item[] {
    const ours = new Map(this.#entries.map((entry) => [entry.id, entry]));
    const known = stored.map((item) => {
      const entry = ours.get(item.id);
      if (!entry) return item;
      ours.delete(item.id);
      const { reason: _, ...rest } = item;
      return { ...rest, state: entry.state };
    });
    // A retried message in history that is not loaded must not appear at the end.
    return [...known, ...[...ours.values()].filter(({ n }) => n === undefined).map(toItem)];
  }

  #find(id: string): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }
}

/** Marks a text above the size limit as failed: the relay could not parse its frame. */
function failIfTooLong(entry: Entry): void {
  if (entry.text.length > TEXT_MAX) Object.assign(entry, { state: "failed", reason: "too_long" });
}

function toItem({ id, text, at, state, media, reason }: Entry): Item {
  return { id, from: "visitor", text, at, state, media, reason };
}
