/** What stands on the page before the panel's code is there: the launcher and the panel's empty frame. */

import type { RawSettings } from "../settings/options.ts";
import { element } from "./dom.ts";

/** Where the panel fills the window: phones upright and on their side, and pages zoomed to the size of one. */
export const PHONE = "(max-width:599px),(max-height:449px)";

/** The button without its name and its state, which come with the settings: see `dressLauncher`. */
export const createLauncher = (): HTMLButtonElement =>
  element("button", { class: "at launcher", "aria-haspopup": "dialog", "aria-controls": "panel" }, element("b"), "");
/** The panel's frame, closed and empty. */
export const createDialog = (): HTMLDialogElement => element("dialog", { id: "panel", class: "at panel" });

/** Visible or not, with its name written on it or only spoken. */
export function dressLauncher(launcher: HTMLButtonElement, now: RawSettings, word: string, unread: string): void {
  const name = now.label || word;
  launcher.ariaLabel = name + unread;
  launcher.hidden = now.launcher === "none" || now.mode === "page";
  // A text, or what a translation of the page has put in its place.
  (launcher.childNodes[1] as Node).textContent = now.launcher === "text" ? `\u2002${name}\u2002` : "";
}

/** The way to the chat that always works: its own page. */
export const pageLink = (relay: string, site: string, text: string): HTMLElement =>
  element("a", { href: `${relay}/c/${site}`, target: "_blank" }, text);

/** A whole number as a setting has it, below a thousand; what is none is passed over: 20 is the default of all. */
const pixels = (value: unknown): unknown => (/^\d{1,3}$/.test(value as string) ? value : 20);

/** The place that settings decide. Sides are physical: the owner means the corner that he sees. */
export function placeCss(now: RawSettings): string {
  const side = now.position === "left" ? "left" : "right";
  return (
    // Of two values the later one counts that is one.
    `:host{z-index:2147483000!important;z-index:${now.zIndex}!important;` +
    `--_radius:${pixels(now.radius)}px!important;--_y:max(${pixels(now.offsetY)}px,env(safe-area-inset-bottom))!important}` +
    `.at{${side}:max(${pixels(now.offsetX)}px,env(safe-area-inset-${side}))}` +
    (now.icon ? `b{clip-path:path(${JSON.stringify(now.icon)})}` : "")
  );
}
