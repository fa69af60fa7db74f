/**
 * On phones the keyboard covers the page without telling it (`dvh` does not know it either); only the visual viewport
 * does. The panel is fitted into what can be seen, and while the visitor types into the page the launcher makes room.
 * Fetched only where there may be such a keyboard.
 */

import type { Shell } from "../../loader/contract.ts";

/** After the keyboard has gone, iOS may still report where it was. */
const SETTLE_MS = 300;

/** Returns its stop. */
export function fitViewport({ dialog, launcher }: Shell): () => void {
  const view = window.visualViewport;
  if (!view) return () => {};
  const fit = (): void => {
    const covered = innerHeight - view.height;
    launcher.style.display = view.height * view.scale < innerHeight * 0.75 ? "none" : "";
    // Zoomed with two fingers the visitor looks around; then nothing must move under them.
    const fits = dialog.open && dialog.classList.contains("full") && view.scale < 1.05 && covered >= 1;
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
  // It may have come up while this was on its way.
  fit();
  return () => ended.abort();
}
