/** Keeps the focus inside the thread when the focused control disappears. */

import { options } from "preact";

/** When a focused control of the thread disappears, focuses the next control of its row, else the thread itself. */
export function keepFocus(root: ShadowRoot): void {
  options.debounceRendering = (draw) =>
    queueMicrotask(() => {
      const focused = root.activeElement;
      const thread = focused?.closest<HTMLElement>(".thread");
      const row = focused?.closest("[data-row]");
      draw();
      if (!thread || focused?.isConnected || root.activeElement) return;
      const next = row?.isConnected && row.querySelector<HTMLElement>("button:not(.copy)");
      (next || thread).focus({ preventScroll: true });
    });
}
