/** Handles pages that remove the widget's element, move its corner, or focus a control behind the launcher. */

import type { Options } from "../settings/options.ts";
import type { Shell } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { pageFunction, pageSettings } from "./page-api.ts";
import { covers } from "./rect-overlap.ts";

/**
 * The waits before the element returns, one for each removal in a row, in milliseconds. After the last wait the widget gives up.
 * The first are 0, because frameworks may replace the body more than once for each page (Turbo: from its cache, then from the
 * server).
 */
export const WAITS_MS: readonly number[] = [0, 0, 0, 400, 800, 1_600, 3_200, 6_400];
/** Once the element has stayed for this time, the waits start again from the first, in milliseconds. */
export const STAYED_MS = 60_000;

/** The removals of one widget's element in a row, on one address of the page. */
type Removals = {
  launcher: HTMLElement;
  /** The root element of the page, which `document.open()` replaces. */
  root: Element;
  address: string;
  count: number;
  /** When the element returned, in milliseconds; infinite while it waits or after the widget has given up. */
  returnedAt: number;
};
let removals: Removals | undefined;

/** Whether the removals so far no longer count, because the page is another one or the element has stayed for long. */
function isOver({ launcher, root, address, returnedAt }: Removals, shell: Shell): boolean {
  if (launcher !== shell.launcher || root !== pageDocument.documentElement) return true;
  // A single-page application may rebuild the body with each of its pages.
  return performance.now() - returnedAt > STAYED_MS || (Number.isFinite(returnedAt) && address !== location.href);
}

/**
 * Puts the widget's element back after the page has removed it: frameworks replace the body or its content. Waits longer after
 * each removal, and gives up when the page keeps removing the element.
 * @param insert puts the element into the page and watches it
 */
export function restoreHost(shell: Shell, insert: () => void): void {
  const { launcher, host } = shell;
  // `document.open()` removes the listeners of all elements; the panel may have put the element back by now.
  if (!launcher.onclick) return void restart(shell);
  if (host.isConnected) return;
  if (!removals || isOver(removals, shell)) {
    const { documentElement: root } = pageDocument;
    removals = { launcher, root, address: location.href, count: 0, returnedAt: 0 };
  }
  const current = removals;
  // The page has changed something else while the element waits.
  if (!Number.isFinite(current.returnedAt)) return;
  current.returnedAt = Number.POSITIVE_INFINITY;
  const wait = WAITS_MS[current.count++];
  if (wait === undefined) return console.warn("Porchlight: this page keeps removing the chat, so it does not return");
  const ownFunction = pageFunction();
  const putBack = (): void => {
    // Meanwhile the page has called `destroy`, has started another widget, or has moved on to another address.
    if (pageFunction() !== ownFunction || removals !== current) return;
    current.returnedAt = performance.now();
    insert();
  };
  if (wait === 0) putBack();
  else setTimeout(putBack, wait);
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
 * away from the window's. Call it only then, because the top layer is above every z-index of the page.
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

/** The shell whose listeners `watchFocus` has installed last. */
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
