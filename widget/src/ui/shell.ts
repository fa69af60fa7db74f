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
export const pageLink = (relay: string, site: string, text: string): HTMLElement =>
  element("a", { href: `${relay}/c/${site}`, target: "_blank" }, text);

/** A whole number as a setting has it, below a thousand; what is none is passed over: 20 is the default of all. */
const pixels = (value: unknown): unknown => (/^\d{1,3}$/.test(value as string) ? value : 20);

/** The place that settings decide. Sides are physical: the owner means the corner that he sees. */
export function placeCss({ offsetX, offsetY, position, zIndex, radius, icon }: RawSettings): string {
  const side = position === "left" ? position : "right";
  return (
    // Of two values the later one counts that is one.
    `:host{z-index:2147483000!important;z-index:${zIndex}!important;--_radius:${pixels(radius)}px!important;` +
    `--_y:max(${pixels(offsetY)}px,env(safe-area-inset-bottom))!important}` +
    `.at{${side}:max(${pixels(offsetX)}px,env(safe-area-inset-${side}))}` +
    (icon ? `b{clip-path:path(${JSON.stringify(icon)})}` : "")
  );
}
