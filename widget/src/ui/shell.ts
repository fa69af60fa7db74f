/** What stands on the page before the panel's code is there: the launcher and the panel's empty frame. */

import type { RawSettings } from "../options.ts";
import type { Parts } from "./contract.ts";
import { element } from "./dom.ts";
import type { Host } from "./host.ts";

/** Where the panel fills the window: phones upright and on their side, and pages zoomed to the size of one. */
export const PHONE = "(max-width:599px),(max-height:449px)";

export function createShell({ host, root }: Host): Parts {
  const launcher = element(
    "button",
    { class: "at launcher", "aria-expanded": "false", "aria-haspopup": "dialog", "aria-controls": "panel" },
    element("b"),
    element("span"),
  );
  const dialog = element("dialog", { id: "panel", class: "at panel" });
  root.append(launcher, dialog);
  return { host, root, launcher, dialog };
}

/** Visible or not, with its name written on it or only spoken. */
export function dressLauncher(
  { launcher }: Parts,
  { launcher: kind, label, mode }: RawSettings,
  word: string,
  unread: string,
): void {
  const name = label || word;
  launcher.ariaLabel = name + unread;
  launcher.hidden = kind === "none" || mode === "page";
  (launcher.children[1] as Element).textContent = kind === "text" ? `\u2002${name}\u2002` : "";
}

/** The way to the chat that always works: its own page. */
export function pageLink(relay: string, site: string, text?: string): HTMLElement {
  const href = `${relay}/c/${site}`;
  return element("a", { href, target: "_blank" }, text ?? href);
}

/** The place that settings decide. Sides are physical: the owner means the corner that he sees. */
export function placeCss({
  offsetX = 20,
  offsetY = 20,
  position,
  zIndex = 2147483000,
  radius = 20,
  icon,
}: RawSettings): string {
  const side = position === "left" ? position : "right";
  // What is no number is the edge itself (0), never a launcher out of sight.
  return (
    `:host{z-index:${zIndex}!important;--_radius:${radius}px;--_y:max(${(offsetY as number) | 0}px,env(safe-area-inset-bottom))}` +
    `.at{${side}:max(${(offsetX as number) | 0}px,env(safe-area-inset-${side}))}` +
    (icon ? `b{clip-path:path(${JSON.stringify(icon)})}` : "")
  );
}
