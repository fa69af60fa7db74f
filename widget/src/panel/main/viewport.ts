/** Switches the panel between modal (it fills a phone's window) and floating. */

import type { Shell } from "../../loader/contract.ts";
import { PHONE_QUERY } from "../../loader/shell.ts";

/**
 * Makes the panel modal if it fills a phone's window, and not modal if it floats or is a full page. Call it when the panel has
 * opened, and when the window's width has passed the limit of phones.
 */
export function fitWidth({ root, dialog, settings }: Shell): void {
  const full = matchMedia(PHONE_QUERY).matches && settings().mode !== "page";
  if (!dialog.open || dialog.matches(":modal") === full) return;
  const focused = root.activeElement as HTMLElement | null;
  dialog.classList.toggle("full", full);
  dialog.close();
  if (full) dialog.showModal();
  else dialog.open = true;
  focused?.focus({ preventScroll: true });
}

/**
 * Calls `fitWidth` when the window passes the width of phones. It ignores the height: on a tablet the keyboard changes the
 * height, and the focused field must stay visible.
 * @returns a function that stops it
 */
export function followWidth(shell: Shell): () => void {
  const narrow = matchMedia("(max-width:599px)");
  narrow.onchange = () => fitWidth(shell);
  return () => {
    narrow.onchange = null;
  };
}

/**
 * Fits the panel to a keyboard that covers the page without resizing it: on touch screens, and where the panel fills the
 * window.
 * @returns a function that stops it
 */
export function followKeyboard(shell: Shell): () => void {
  if (!matchMedia(`(any-pointer:coarse),${PHONE_QUERY}`).matches) return () => {};
  const fitted = import("./keyboard.ts").then(({ fitViewport }) => fitViewport(shell), console.warn);
  return () => void fitted.then((stop) => stop?.());
}
