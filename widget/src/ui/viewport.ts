/**
 * On phones the keyboard covers the page without telling it (`dvh` does not know it either); only the visual viewport
 * does. The panel is fitted into what can be seen, and while the visitor types into the page the launcher makes room.
 */

import type { Shell } from "./contract.ts";
import { PHONE } from "./shell.ts";

/** After the keyboard has gone, iOS may still report where it was. */
const SETTLE_MS = 300;

/** @param isFull whether the panel fills the window. Returns its stop. */
export function fitViewport({ dialog, launcher }: Shell, isFull: () => boolean): () => void {
  const view = window.visualViewport;
  if (!view) return () => {};
  const fit = (): void => {
    const covered = innerHeight - view.height;
    launcher.style.display = view.height * view.scale < innerHeight * 0.75 ? "none" : "";
    // Zoomed with two fingers the visitor looks around; then nothing must move under them.
    const fits = dialog.open && isFull() && view.scale < 1.05 && covered >= 1;
    // What the page zooms itself is zoomed here too.
    const zoom = dialog.currentCSSZoom ?? 1;
    const top = Math.min(Math.max(0, view.offsetTop), covered) / zoom;
    dialog.style.height = fits ? `${view.height / zoom}px` : "";
    dialog.style.transform = fits ? `translateY(${top}px)` : "";
  };
  const later = (): unknown => setTimeout(fit, SETTLE_MS);
  const ended = new AbortController();
  view.addEventListener("resize", fit, ended);
  view.addEventListener("scroll", fit, ended);
  dialog.addEventListener("focusout", later, ended);
  return () => ended.abort();
}

/**
 * What covers a phone is modal, what floats is not, nor what is a page of its own. To be called when the panel is open, and
 * when a window has become as narrow as a phone's, or no longer is.
 */
export function fitWidth({ root, dialog, settings }: Shell): void {
  const full = matchMedia(PHONE).matches && settings().mode !== "page";
  if (!dialog.open || dialog.matches(":modal") === full) return;
  const held = root.activeElement as HTMLElement | null;
  dialog.classList.toggle("full", full);
  dialog.close();
  if (full) dialog.showModal();
  else dialog.open = true;
  held?.focus({ preventScroll: true });
}

/** Narrow, not low: on a tablet the keyboard makes a window low, and must not find its field gone. Returns the stop. */
export function followWidth(shell: Shell): () => void {
  const narrow = matchMedia("(max-width:599px)");
  narrow.onchange = () => fitWidth(shell);
  return () => {
    narrow.onchange = null;
  };
}
