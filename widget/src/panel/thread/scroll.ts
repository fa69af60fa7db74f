/**
 * Keeps the scroll position: at the end if the visitor was at the end, else on the message being read. Browsers' scroll
 * anchoring is not enough: it does nothing at the very top, does not follow at the bottom, and is missing in Safari.
 */

/** Pixels from the end that count as the end, and from either edge that count as near it. */
const END_PX = 32;
const NEAR_PX = 240;

export type Scroller = {
  /** Goes to the newest message. */
  toEnd(): void;
  /** Restores the position after a change of rows that did not change the size. */
  settle(): void;
  /** The last row that is at least half visible. */
  lastInSight(): HTMLElement | undefined;
  /** Scrolls an element to near the top. */
  toElement(element: Element): void;
  stop(): void;
};

export type ScrollEvents = {
  /** The visitor scrolled near an edge, beyond which more messages may be. */
  near(edge: "start" | "end"): void;
  /** The box reached the end or left it. */
  end(atEnd: boolean): void;
  /** The visible rows may have changed. */
  sight(): void;
};

/**
 * @param box the element that scrolls
 * @param content its content, whose rows have the attribute `data-row`
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
  /**
   * The position set by this class, so that its own scroll event is ignored. The event comes late, perhaps after more
   * changes.
   */
  #ownPosition = -1;
  /** Height of the box when last settled. */
  #height = 0;
  /** The first visible row, which must keep its place. */
  #anchor: { row: Element; end: number } | undefined;

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
    const anchor = this.#anchor;
    this.#height = box.clientHeight;
    if (this.#isEmpty()) return;
    if (this.#atEnd) box.scrollTop = box.scrollHeight;
    else if (anchor?.row.isConnected) {
      const drift = this.#endOf(anchor.row) - anchor.end;
      if (Math.abs(drift) > 0.5) box.scrollTop += drift;
    }
    this.#ownPosition = box.scrollTop;
    this.#events.sight();
  }

  lastInSight(): HTMLElement | undefined {
    const rows = this.#rows();
    const isBelow = (row: Element): boolean => this.#endOf(row) - row.clientHeight / 2 > this.#box.clientHeight;
    return rows[firstOf(rows, isBelow) - 1];
  }

  toElement(element: Element): void {
    this.#box.scrollTop += this.#endOf(element) - 40;
    this.#update();
  }

  stop = (): void => {
    this.#observer.disconnect();
    this.#box.removeEventListener("scroll", this.#scrolled);
  };

  #rows(): HTMLElement[] {
    return [...this.#content.querySelectorAll<HTMLElement>("[data-row]")];
  }

  /**
   * An empty thread is read from the top. It still counts as at the end, so that the first message is scrolled into
   * view.
   */
  #isEmpty(): boolean {
    return !this.#content.querySelector("[data-row]");
  }

  /**
   * Position of a row's lower edge in the box. The upper edge would move: older messages that join the group take the
   * author's name away from there.
   */
  #endOf(row: Element): number {
    return row.getBoundingClientRect().bottom - this.#box.getBoundingClientRect().top;
  }

  #scrolled = (): void => {
    // After a resize the browser scrolls by itself. `settle` runs in the same frame.
    if (!this.#atEnd || this.#height === this.#box.clientHeight) this.#update();
  };

  #update(): void {
    const box = this.#box;
    const events = this.#events;
    if (box.scrollTop === this.#ownPosition) return;
    this.#ownPosition = -1;
    const gap = box.scrollHeight - box.scrollTop - box.clientHeight;
    const now = gap <= END_PX || this.#isEmpty();
    if (now !== this.#atEnd) events.end(now);
    this.#atEnd = now;
    this.#keepAnchor();
    events.sight();
    if (gap < NEAR_PX) events.near("end");
    if (box.scrollTop < NEAR_PX && box.scrollHeight > box.clientHeight) events.near("start");
  }

  #keepAnchor(): void {
    const rows = this.#rows();
    const row = rows[firstOf(rows, (one) => this.#endOf(one) > 0)];
    this.#anchor = row && { row, end: this.#endOf(row) };
  }
}
