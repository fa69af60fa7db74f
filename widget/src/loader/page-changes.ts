/** Handles pages that remove the widget's element, move its corner, or focus a control behind the launcher. */

import type { Options } from "../settings/options.ts";
import type { Shell } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { pageSettings } from "./page-api.ts";
import { covers } from "./rect-overlap.ts";

/** A removal within this time after the previous one counts as repeated, in milliseconds. */
const REMOVAL_MS = 2_000;
/** Number of repeated removals after which the widget gives up. */
const REMOVALS_MAX = 9;
/** Additional delay before each return of the element, per repeated removal, in milliseconds. */
const STEP_MS = 50;
let removals = 0;
let removedAt = 0;

/**
 * Puts the widget's element back after the page has removed it: frameworks replace the body or its content. Gives up when the
 * page removes it again and again.
 * @param insert puts the element into the page and watches it
 */
export function restoreHost(shell: Shell, insert: () => void): void {
  // `document.open()` removes the listeners of all elements; the panel may have put the element back by now.
  if (!shell.launcher.onclick) return void restart(shell);
  if (shell.host.isConnected) return;
  // Give up, because the page keeps removing the chat.
  if (removals > REMOVALS_MAX) return;
  const now = performance.now();
  removals = now - removedAt < REMOVAL_MS ? removals + 1 : 0;
  removedAt = now;
  if (removals <= REMOVALS_MAX) setTimeout(insert, removals * STEP_MS);
  else console.warn("Porchlight: this page keeps removing the chat, so it stays away");
}

/** Launchers of widgets that were replaced by a new one. */
const replaced = new WeakSet<HTMLElement>();

/** Runs the tag's script again, with the settings as they are now. */
async function restart({ launcher, relay, site, settings }: Shell): Promise<void> {
  if (replaced.has(launcher)) return;
  replaced.add(launcher);
  const now = settings() as Options;
  const own = pageSettings();
  await window.Porchlight?.("destroy");
  // The script finds no tag any more, so it reads the relay's origin from these settings.
  window.PorchlightSettings = { ...now, relay };
  await import(/* @vite-ignore */ `${relay}/w/${site.id}.js?${Math.random()}`);
  window.PorchlightSettings = own;
  await window.Porchlight?.("update", now);
}

/**
 * Shows the element in the browser's top layer, because a transform, a filter or containment of an ancestor moves its corner
 * away from the window's. Do not call it otherwise, because the top layer is above every z-index of the page.
 */
export function moveToTopLayer({ host }: Shell): void {
  host.popover = "manual";
  // Insert it again, because WebKit does not move what it has already drawn.
  pageDocument.body.append(host);
  host.showPopover?.();
}

/**
 * Moves the launcher away when it covers the focused control, which keyboard users must see (WCAG 2.2, 2.4.11). It is moved,
 * not hidden, so it can still be seen, focused and pressed, and nothing on the page shifts.
 */
function uncoverFocus({ launcher }: Shell): void {
  let active: Element = launcher;
  // Web components of the page hold the focused element in their own shadow roots.
  for (let tree: DocumentOrShadowRoot | null = pageDocument; tree?.activeElement; tree = active.shadowRoot)
    active = tree.activeElement;
  // Do not move it while it is pressed: the click would miss.
  if (active === launcher) return;
  launcher.style.translate = "";
  if (covers(launcher.getBoundingClientRect(), active.getBoundingClientRect())) launcher.style.translate = "0 -100%";
}

/** Whether the listeners of `watchFocus` are installed. */
let watched: Shell | undefined;

/** Keeps the launcher away from the focused control from now on: the visitor uses the keyboard. */
export function watchFocus(shell: Shell): void {
  uncoverFocus(shell);
  if (watched === shell) return;
  watched = shell;
  const ended = new AbortController();
  const update = (): void => {
    if (watched === shell && shell.host.isConnected) uncoverFocus(shell);
    else ended.abort();
  };
  // Focus moves within a shadow root of the page fire no event here, but the key does. The mouse can remove the focus. `click`
  // is not used, because scripts fire many at once. Smooth scrolling ends later. Listen in the capture phase, because pages may
  // stop events.
  for (const type of ["focusin", "keyup", "mouseup", "scrollend"])
    addEventListener(type, update, { capture: true, signal: ended.signal });
}
