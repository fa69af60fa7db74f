/** Moves the chat into the page's native modal windows and out again. Fetched when the page shows one, or replaces its body. */

import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";
import { fitWidth } from "./viewport.ts";

/**
 * A native modal makes everything outside of it inert: an open panel moves in with it, and out again. One that is opened
 * there moves in too; one that is closed there stays until the modal goes.
 * @param held what had the focus last
 * @param tops where everything stood
 */
export function follow(shell: Shell, held: HTMLElement | null, tops: ReadonlyMap<Element, number>): void {
  const { host, root, dialog } = shell;
  const { body } = pageDocument;
  const restore = (active: HTMLElement | null): void => {
    for (const [box, top] of tops) box.scrollTop = top;
    active?.focus({ preventScroll: true });
  };
  // A page that replaces its body takes what is modal out of the window's top layer; `host.ts` has put it in again.
  if (dialog.matches("[open].full:not(:modal)")) {
    fitWidth(shell);
    restore(held);
  }
  if (!dialog.open && host.parentNode === body) return;
  const modals = pageDocument.querySelectorAll("dialog:modal");
  const home = modals[modals.length - 1] ?? body;
  if (!home || host.parentNode === home || (!dialog.open && modals[0])) return;
  const active = root.activeElement as HTMLElement | null;
  // `moveBefore` keeps the most state. It throws where it is not allowed, and Safari lacks it.
  try {
    (home as { moveBefore?: (node: Node, before: null) => void }).moveBefore?.(host, null);
  } catch {}
  if (host.parentNode !== home) home.append(host);
  restore(active);
}
