/** Moves the chat into the page's native modal windows and out again. Fetched when the page shows one, or replaces its body. */

import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";
import { fitWidth } from "./viewport.ts";

/**
 * A native modal makes everything outside of it inert. So an open panel moves into the modal, and out again when the modal
 * closes. A panel that is opened while the modal is open also moves in; one that is closed then stays until the modal closes.
 * @param held the element that had the focus last
 * @param tops scroll positions before the move
 */
export function follow(shell: Shell, held: HTMLElement | null, tops: ReadonlyMap<Element, number>): void {
  const { host, root, dialog } = shell;
  const { body } = pageDocument;
  const restore = (active: HTMLElement | null): void => {
    for (const [box, top] of tops) box.scrollTop = top;
    active?.focus({ preventScroll: true });
  };
  // A page that replaces its body removes modal elements from the top layer; `host.ts` has added the element again.
  if (dialog.matches("[open].full:not(:modal)")) {
    fitWidth(shell);
    restore(held);
  }
  if (!dialog.open && host.parentNode === body) return;
  const modals = pageDocument.querySelectorAll("dialog:modal");
  const home = modals[modals.length - 1] ?? body;
  if (!home || host.parentNode === home || (!dialog.open && modals[0])) return;
  const active = root.activeElement as HTMLElement | null;
  // `moveBefore` keeps the most state. It throws where it is not allowed, and Safari does not have it.
  try {
    (home as { moveBefore?: (node: Node, before: null) => void }).moveBefore?.(host, null);
  } catch {}
  if (host.parentNode !== home) home.append(host);
  restore(active);
}
