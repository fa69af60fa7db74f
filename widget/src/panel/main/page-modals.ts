/** Moves the chat into the page's native modal windows and out again. Fetched when the page shows one, or replaces its body. */

import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";
import { fitWidth } from "./viewport.ts";

/**
 * A native modal makes everything outside of it inert. So an open panel moves into the modal, and out again when the modal
 * closes. A panel that is opened while the modal is open also moves in. A panel that is closed stays in until the modal closes.
 * @param lastFocused the element that had the focus last
 * @param scrollTops scroll positions before the move
 */
export function followModals(
  shell: Shell,
  lastFocused: HTMLElement | null,
  scrollTops: ReadonlyMap<Element, number>,
): void {
  const { host, root, dialog } = shell;
  const { body } = pageDocument;
  const restore = (active: HTMLElement | null): void => {
    for (const [box, top] of scrollTops) box.scrollTop = top;
    active?.focus({ preventScroll: true });
  };
  // A page that replaces its body removes modal elements from the top layer; `host.ts` has added the element again.
  if (dialog.matches("[open].full:not(:modal)")) {
    fitWidth(shell);
    restore(lastFocused);
  }
  if (!dialog.open && host.parentNode === body) return;
  const modals = pageDocument.querySelectorAll("dialog:modal");
  const parent = modals[modals.length - 1] ?? body;
  if (!parent || host.parentNode === parent || (!dialog.open && modals[0])) return;
  const active = root.activeElement as HTMLElement | null;
  // `moveBefore` keeps the most state. It throws where it is not allowed, and Safari does not have it.
  try {
    (parent as { moveBefore?: (node: Node, before: null) => void }).moveBefore?.(host, null);
  } catch {}
  if (host.parentNode !== parent) parent.append(host);
  restore(active);
}
