/** Closes the panel by key, by button or by the browser, and returns the focus to where it came from. */

import type { Signal } from "@preact/signals-core";
import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";

export type DialogControl = {
  /** Remembers the focused element. */
  opening(): void;
  close(): void;
  stop(): void;
};

/**
 * Controls the shell's dialog.
 * @param isFixed whether the panel fills the page and cannot be closed
 */
export function controlDialog(
  { root, dialog, launcher }: Shell,
  isOpen: Signal<boolean>,
  isFixed: () => boolean,
): DialogControl {
  let opener: HTMLElement | null = null;
  const close = (): void => {
    if (!dialog.open || isFixed()) return;
    const inside = dialog.contains(root.activeElement);
    dialog.close();
    isOpen.value = false;
    if (!inside) return;
    const target = opener?.isConnected && opener !== pageDocument.body ? opener : launcher;
    target.focus({ preventScroll: true });
  };
  /** The browser closes a modal panel by itself: Esc, the back button of Android. */
  const onClose = (): void => {
    if (dialog.open) return;
    isOpen.value = false;
    // From now on the panel has its content when it opens, so its opening is animated.
    dialog.classList.add("moves");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // 229: an input method is composing (WebKit bug 165004).
    if (event.key !== "Escape" || event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  dialog.addEventListener("close", onClose);
  onClose();
  dialog.addEventListener("keydown", onKeyDown);
  return {
    opening() {
      if (!isOpen.peek()) opener = (root.activeElement ?? pageDocument.activeElement) as HTMLElement | null;
    },
    close,
    stop() {
      dialog.removeEventListener("close", onClose);
      dialog.removeEventListener("keydown", onKeyDown);
      dialog.close();
    },
  };
}
