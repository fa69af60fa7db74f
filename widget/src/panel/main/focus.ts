/** The focus never falls out of the thread: what has it may be drawn no more, because it was pressed or because of news. */

import { options } from "preact";

/** From now on, when a focused control of the thread is gone, its row's next one has the focus, else the thread itself. */
export function keepFocus(root: ShadowRoot): void {
  options.debounceRendering = (draw) =>
    queueMicrotask(() => {
      const had = root.activeElement;
      const thread = had?.closest<HTMLElement>(".thread");
      const row = had?.closest("[data-row]");
      draw();
      if (!thread || had?.isConnected || root.activeElement) return;
      const next = row?.isConnected && row.querySelector("button");
      (next || thread).focus({ preventScroll: true });
    });
}
