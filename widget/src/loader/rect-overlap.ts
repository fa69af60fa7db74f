/** Checks whether a part of the widget covers the page's focused control. */

/** Whether `over` covers all of `under`; both in window coordinates. */
export function covers(over: DOMRect, under: DOMRect): boolean {
  return over.x <= under.x && over.y <= under.y && over.right >= under.right && over.bottom >= under.bottom;
}
