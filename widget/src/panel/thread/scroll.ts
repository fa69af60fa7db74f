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

/**
 * @param box scrolls
 * @param content what is in it; rows carry `data-row`
 * @param onNear the visitor scrolled close to what is not shown yet
 * @param onEnd told when the end comes into reach or goes out of it
 * @param onSight told when other rows may be in sight
 */
export function createScroller(
  box: Element,
  content: Element,
  onNear: (edge: "start" | "end") => void,
  onEnd: (atEnd: boolean) => void,
  onSight: () => void,
): Scroller {
  let atEnd = true;
  /** The position that we scrolled to. Its scroll event comes late, perhaps after more changes. */
  let ours = -1;
  /** Height of the box when last settled. */
  let height = 0;
  let held: { row: Element; end: number } | undefined;

  /** Before anything was said one reads from the top, and what comes first is still brought into sight. */
  const isEmpty = (): boolean => !content.querySelector("[data-row]");
  /** A row is held by its lower edge: at its upper one the author's name goes when older messages join it. */
  const endOf = (row: Element): number => row.getBoundingClientRect().bottom - box.getBoundingClientRect().top;
  /** Rows in the order in which they stand. Answers the place of the first one that `isBelow`; their number if there is none. */
  const firstOf = (rows: readonly Element[], isBelow: (row: Element) => boolean): number => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = rows[middle];
      if (row && isBelow(row)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const rowsNow = (): HTMLElement[] => [...content.querySelectorAll<HTMLElement>("[data-row]")];
  /** The first visible row, which must not move. */
  const hold = (): void => {
    const rows = rowsNow();
    const row = rows[firstOf(rows, (one) => endOf(one) > 0)];
    held = row && { row, end: endOf(row) };
  };
  const look = (): void => {
    if (box.scrollTop === ours) return;
    ours = -1;
    const gap = box.scrollHeight - box.scrollTop - box.clientHeight;
    const now = gap <= AT || isEmpty();
    if (now !== atEnd) onEnd(now);
    atEnd = now;
    hold();
    onSight();
    if (gap < NEAR) onNear("end");
    if (box.scrollTop < NEAR && box.scrollHeight > box.clientHeight) onNear("start");
  };
  const scrolled = (): void => {
    // In a box of another height the browser scrolls by itself. `settle` follows in the same frame.
    if (!atEnd || height === box.clientHeight) look();
  };
  /** After any change of size: of a message, of the window, of the keyboard. */
  const settle = (): void => {
    height = box.clientHeight;
    if (isEmpty()) return;
    if (atEnd) box.scrollTop = box.scrollHeight;
    else if (held?.row.isConnected) {
      const drift = endOf(held.row) - held.end;
      if (Math.abs(drift) > 0.5) box.scrollTop += drift;
    }
    ours = box.scrollTop;
    onSight();
  };
  const observer = new ResizeObserver(settle);
  observer.observe(box);
  observer.observe(content);
  box.addEventListener("scroll", scrolled, { passive: true });
  return {
    toEnd() {
      if (!atEnd) onEnd(true);
      atEnd = true;
      settle();
    },
    settle,
    lastInSight() {
      const rows = rowsNow();
      const isBelow = (row: Element): boolean => endOf(row) - row.clientHeight / 2 > box.clientHeight;
      return rows[firstOf(rows, isBelow) - 1];
    },
    toElement(element) {
      box.scrollTop += endOf(element) - 40;
      look();
    },
    stop() {
      observer.disconnect();
      box.removeEventListener("scroll", scrolled);
    },
  };
}
