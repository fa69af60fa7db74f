/**
 * The widget's only element in the page: `<porch-light>` at the end of the body, with an open shadow root. The root is open,
 * because assistive tools, tests and shortcut libraries look inside, and a closed root would not protect anything.
 */

import type { CallExtra } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { element } from "./dom.ts";

/** Creates the element. React Aria makes everything outside its modals inert, except elements with this attribute. */
export const createHost = (): HTMLElement => element("porch-light", { "data-react-aria-top-layer": "true" });

/**
 * How often the element is put back at once, before the browser draws the next frame. Later returns wait, because the page may
 * keep removing the element. Turbo replaces the body up to twice for each page.
 */
const REMOVALS_MAX = 10;

/**
 * Puts the element into the page and keeps it there.
 * @param extra calls code for rare pages: those that remove the element, move its corner, or focus a control behind the
 *   launcher
 * @returns a function that removes the element for good
 */
export function keepInPage(host: HTMLElement, launcher: HTMLElement, extra: CallExtra): () => void {
  const insert = (): void => {
    addEventListener("keyup", onKeyup, true);
    const { body, documentElement } = pageDocument;
    for (const node of [document, documentElement, body]) if (node) removalObserver.observe(node, { childList: true });
    body?.append(host);
    // Measure the launcher; the host itself has no size.
    positionObserver.observe(launcher);
  };
  // The visitor uses the keyboard, so the launcher must not cover the focus. Listen in the capture phase, because pages may
  // stop events.
  const onKeyup = (event: KeyboardEvent): unknown => event.key === "Tab" && extra("watchFocus");
  let removals = 0;
  // Frameworks may replace the body or its content. Put the same element back, with its state.
  // After `document.open()` the element has no listeners and is useless.
  const removalObserver = new MutationObserver(
    () => host.isConnected || (launcher.onclick && removals++ < REMOVALS_MAX ? insert() : extra("restoreHost", insert)),
  );
  const positionObserver = new IntersectionObserver(() => {
    const { right, bottom } = host.getBoundingClientRect();
    // A hidden element has no position. Allow for the width of scroll bars.
    if (right && Math.hypot(right - innerWidth, bottom - innerHeight) > 40) extra("moveToTopLayer");
  });
  insert();
  return () => {
    removalObserver.disconnect();
    positionObserver.disconnect();
    removeEventListener("keyup", onKeyup, true);
    host.remove();
  };
}
