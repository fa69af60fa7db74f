/**
 * On phones the keyboard covers the page, and only the visual viewport reports it (`dvh` does not). This code fits the panel
 * into the visible part, and moves the launcher away while the visitor types into the page. Fetched only where such a keyboard
 * is possible.
 */

import type { Shell } from "../../loader/contract.ts";

/** Milliseconds after the keyboard has disappeared in which iOS may still report its position. */
const SETTLE_MS = 300;

/** Follows the visual viewport until it is stopped. Does nothing where the browser has none. @returns a function that stops it */
export function fitViewport({ dialog, launcher }: Shell): () => void {
  const view = window.visualViewport;
  if (!view) return () => {};
  const fit = (): void => {
    const covered = innerHeight - view.height;
    launcher.style.display = view.height * view.scale < innerHeight * 0.75 ? "none" : "";
    // While the visitor has zoomed in with two fingers, nothing must move.
    const fits = dialog.open && dialog.classList.contains("full") && view.scale < 1.05 && covered >= 1;
    // A CSS zoom of the page also applies to the panel.
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
  // The keyboard may have appeared while this code was loading.
  fit();
  return () => ended.abort();
}
