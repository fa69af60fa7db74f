/** Which messages of a thread are drawn, and where its box is scrolled to. */

import { PAGE_MESSAGES } from "@porchlight/shared/limits";
import { signal } from "@preact/signals-core";
import type { Chat, Item } from "../../conversation/chat.ts";
import { createScroller, type Scroller } from "./scroll.ts";

/** Most messages drawn at a time. Of a longer thread, only the part around the visitor's position is drawn. */
const SPAN_MAX = 280;
/** `count`: messages drawn. `after`: newer messages that are not drawn. */
type Span = { count: number; after: number };
const NEWEST: Span = { count: 2 * PAGE_MESSAGES, after: 0 };

/** The part of a long thread that is drawn: the newest messages at first, then what the visitor scrolls to. */
export class ThreadView {
  /** Whether the box is scrolled to the end of the thread. */
  readonly atEnd = signal(true);
  /** The box that scrolls. Null until it is drawn. */
  box: HTMLElement | null = null;
  readonly #span = signal(NEWEST);
  readonly #chat: Pick<Chat, "items" | "older" | "loadOlder">;
  readonly #seen: (pos: number) => void;
  #scroller: Scroller | undefined;

  /** @param seen called with the position of the newest visible message */
  constructor(chat: Pick<Chat, "items" | "older" | "loadOlder">, seen: (pos: number) => void) {
    this.#chat = chat;
    this.#seen = seen;
  }

  /** Starts to follow the scrolling of the box. @returns a function that stops it */
  start(): (() => void) | undefined {
    const { box } = this;
    if (!box?.firstElementChild) return undefined;
    this.#scroller = createScroller(box, box.firstElementChild, {
      near: (edge) => this.#near(edge),
      end: (value) => {
        this.atEnd.value = value && this.#span.peek().after === 0;
      },
      sight: this.sight,
    });
    return this.#scroller.stop;
  }

  /** The messages that are drawn. */
  shown(all: readonly Item[]): Item[] {
    const { count, after } = this.#span.value;
    const end = all.length - after;
    return all.slice(Math.max(0, end - count), end);
  }

  hasEarlier(): boolean {
    const { count, after } = this.#span.value;
    return this.#chat.older.value || this.#chat.items.value.length - after > count;
  }

  /** Draws one more page of older messages, and loads a page if too few are left. */
  earlier = (): void => {
    const { count, after } = this.#span.peek();
    if (this.#chat.items.peek().length - after <= count + PAGE_MESSAGES) this.#chat.loadOlder();
    const cut = Math.max(0, count + PAGE_MESSAGES - SPAN_MAX);
    this.#show({ count: count + PAGE_MESSAGES - cut, after: after + cut });
  };

  toNewest = (): void => {
    this.#span.value = NEWEST;
    this.#scroller?.toEnd();
  };

  /** Scrolls to the line above new messages; without one, to the newest message. */
  toNew = (): void => {
    const line = this.box?.querySelector(".new");
    if (line) this.#scroller?.toElement(line);
    else this.toNewest();
  };

  /** Scrolls to the newest message and moves the focus to the thread. */
  jump = (): void => {
    this.toNewest();
    this.box?.focus({ preventScroll: true });
  };

  sight = (): void => this.#seen(Number(this.#scroller?.lastInSight()?.dataset.row));

  #show(part: Span): void {
    this.#span.value = part;
    // Preact has already queued its drawing as a microtask.
    queueMicrotask(() => this.#scroller?.settle());
  }

  #near(edge: "start" | "end"): void {
    const { count, after } = this.#span.peek();
    // Keyboard users scroll to the top by focusing the button, and press it to load more.
    if (edge === "start") {
      if (this.hasEarlier() && !this.box?.querySelector(".older:focus-visible")) this.earlier();
    } else if (after > 0) this.#show({ count, after: Math.max(0, after - PAGE_MESSAGES) });
  }
}
