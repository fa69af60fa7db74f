/** What lies beneath what: a control of the page that has the focus, and what the widget has standing above it. */

/** Whether all of `under` lies where `over` is; both as they stand in the window. */
export function covers(over: DOMRect, under: DOMRect): boolean {
  return over.x <= under.x && over.y <= under.y && over.right >= under.right && over.bottom >= under.bottom;
}
