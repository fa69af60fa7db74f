/**
 * Keeps the scroll position: at the end if the visitor was at the end, else on the message being read. Browsers' scroll anchoring
 * is not enough: it does nothing at the very top, does not follow at the bottom, and is missing in Safari.
 */

/** Pixels from the end that count as the end, and from either edge that count as near it. */
const AT = 32;
const NEAR = 240;

export type Scroller = {
  /** Goes to the newest message. */
  toEnd(): void;
  /** Stays where the visitor is, after rows came and went that were equally high. */
  settle(): void;
  /** The last row of which half is in sight. */
  lastInSight(): HTMLElement | undefined;
  /** Puts an element near the top. */
  toElement(element: Element): void;
  stop(): void;
};

export type ScrollEvents = {
  /** The visitor scrolled close to what is not shown yet. */
  near(edge: "start" | "end"): void;
  /** The end came into reach, or went out of it. */
  end(atEnd: boolean): void;
  /** Other rows may be in sight. */
  sight(): void;
};

/**
 * @param box scrolls
 * @param content what is in it; rows carry `data-row`
 */
export const createScroller = (box: Element, content: Element, events: ScrollEvents): Scroller =>
  new RowKeeper(box, content, events);

/** Index of the first row for which `isBelow` holds, by bisection; the number of rows if there is none. */
function firstOf(rows: readonly Element[], isBelow: (row: Element) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && isBelow(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}

class RowKeeper implements Scroller {
  readonly #box: Element;
  readonly #content: Element;
  readonly #events: ScrollEvents;
  readonly #observer: ResizeObserver;
  #atEnd = true;
  /** The position that we scrolled to. Its scroll event comes late, perhaps after more changes. */
  #ours = -1;
  /** Height of the box when last settled. */
  #height = 0;
  /** The first visible row, which must not move. */
  #held: { row: Element; end: number } | undefined;

  constructor(box: Element, content: Element, events: ScrollEvents) {
    this.#box = box;
    this.#content = content;
    this.#events = events;
    this.#observer = new ResizeObserver(() => this.settle());
    this.#observer.observe(box);
    this.#observer.observe(content);
    box.addEventListener("scroll", this.#scrolled, { passive: true });
  }

  toEnd(): void {
    if (!this.#atEnd) this.#events.end(true);
    this.#atEnd = true;
    this.settle();
  }

  /** Called after any change of size: of a message, of the window, of the keyboard. */
  settle(): void {
    const box = this.#box;
    const held = this.#held;
    this.#height = box.clientHeight;
    if (this.#isEmpty()) return;
    if (this.#atEnd) box.scrollTop = box.scrollHeight;
    else if (held?.row.isConnected) {
      const drift = this.#endOf(held.row) - held.end;
      if (Math.abs(drift) > 0.5) box.scrollTop += drift;
    }
    this.#ours = box.scrollTop;
    this.#events.sight();
  }

  lastInSight(): HTMLElement | undefined {
    const rows = this.#rows();
    const isBelow = (row: Element): boolean => this.#endOf(row) - row.clientHeight / 2 > this.#box.clientHeight;
    return rows[firstOf(rows, isBelow) - 1];
  }

  toElement(element: Element): void {
    this.#box.scrollTop += this.#endOf(element) - 40;
    this.#look();
  }

  stop = (): void => {
    this.#observer.disconnect();
    this.#box.removeEventListener("scroll", this.#scrolled);
  };

  #rows(): HTMLElement[] {
    return [...this.#content.querySelectorAll<HTMLElement>("[data-row]")];
  }

  /** Before anything was said one reads from the top, and what comes first is still brought into sight. */
  #isEmpty(): boolean {
    return !this.#content.querySelector("[data-row]");
  }

  /** A row is held by its lower edge: at its upper one the author's name goes when older messages join it. */
  #endOf(row: Element): number {
    return row.getBoundingClientRect().bottom - this.#box.getBoundingClientRect().top;
  }

  #scrolled = (): void => {
    // In a box of another height the browser scrolls by itself. `settle` follows in the same frame.
    if (!this.#atEnd || this.#height === this.#box.clientHeight) this.#look();
  };

  #look(): void {
    const box = this.#box;
    const events = this.#events;
    if (box.scrollTop === this.#ours) return;
    this.#ours = -1;
    const gap = box.scrollHeight - box.scrollTop - box.clientHeight;
    const now = gap <= AT || this.#isEmpty();
    if (now !== this.#atEnd) events.end(now);
    this.#atEnd = now;
    this.#hold();
    events.sight();
    if (gap < NEAR) events.near("end");
    if (box.scrollTop < NEAR && box.scrollHeight > box.clientHeight) events.near("start");
  }

  #hold(): void {
    const rows = this.#rows();
    const row = rows[firstOf(rows, (one) => this.#endOf(one) > 0)];
    this.#held = row && { row, end: this.#endOf(row) };
  }
}
