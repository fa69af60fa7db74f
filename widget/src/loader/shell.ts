/** The elements on the page before the panel's code is loaded: the launcher and the panel's frame. */

import type { RawSettings } from "../settings/options.ts";
import { element } from "./dom.ts";

/** Media query for windows that the panel fills: phones in both orientations, and pages zoomed to that size. */
export const PHONE_QUERY = "(max-width:599px),(max-height:449px)";

/** The launcher button. Its name and its text follow the settings. */
export const createLauncher = (): HTMLButtonElement =>
  element("button", { class: "at launcher", "aria-haspopup": "dialog" }, element("b"), "");
/** The panel's frame, closed and empty. */
export const createDialog = (): HTMLDialogElement => element("dialog", { class: "at panel" });

/**
 * Whether the setting `launcher` selects elements of the page, by `#id` or `.class`. They open the chat instead of the
 * launcher.
 */
export const isSelector = (launcher: unknown): boolean => /^\W/.test(launcher as string);

/** Reads a whole number below 1,000 from a setting. Invalid values fall back to 20. */
const pixels = (value: unknown): unknown => (/^\d{1,3}$/.test(value as string) ? value : 20);

/** The launcher's glyph, a speech bubble: an SVG path on 24 by 24 pixels. */
const BUBBLE = "M6 3h12a3 3 0 013 3v8a3 3 0 01-3 3h-7l-6 5v-5a3 3 0 01-2-3V6a3 3 0 013-3";

/** The position and the glyph from the settings. Sides are physical (left, right), also on pages in right-to-left languages. */
export function placeCss(now: RawSettings): string {
  const side = now.position === "left" ? "left" : "right";
  return (
    // CSS ignores an invalid setting, so the default before it stays.
    `:host{z-index:2147483000!important;z-index:${now.zIndex}!important;` +
    `--_radius:${pixels(now.radius)}px!important;--_y:max(${pixels(now.offsetY)}px,env(safe-area-inset-bottom))!important}` +
    `.at{${side}:max(${pixels(now.offsetX)}px,env(safe-area-inset-${side}))}` +
    `b{clip-path:path("${now.icon || BUBBLE}")}`
  );
}
