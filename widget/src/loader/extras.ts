/**
 * What the tag's script does not bring, because most pages never need it: the header of the frame while the panel's code is on its
 * way, the teaser, launchers of the page's own, and what pages do to the widget's element. Fetched when it is first needed.
 */

import type { Options } from "../settings/options.ts";
import type { Shell } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { element } from "./dom.ts";
import css from "./frame.css?inline";
import { covers } from "./rect-overlap.ts";
import { isSelector } from "./shell.ts";

const sheet = new CSSStyleSheet();

/**
 * Draws the frame's header, and quiet shapes where the thread and the text field will be.
 * Does nothing when the frame shows something else by now: the panel, or that it could not be loaded.
 */
export function drawFrame({ dialog, root, settings, spoken }: Shell, close: () => void): void {
  const [title] = dialog.childNodes;
  if (!dialog.open || !(title instanceof Text) || title.nextSibling) return;
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((other) => other !== sheet), sheet];
  const { avatar, header } = settings();
  const cross = element("button", { type: "button", "aria-label": spoken?.close ?? "Close chat" });
  cross.onclick = close;
  const name = element("h2", {}, title);
  const picture = letterOf(title.data);
  if (avatar) showPicture(avatar, picture);
  dialog.replaceChildren(
    element("header", { class: header === "accent" ? "filled" : "" }, picture, name, cross),
    element("i"),
    element("i"),
  );
}

const letterOf = (title: string): HTMLElement =>
  element("span", { "aria-hidden": "true" }, ([...title][0] ?? "").toLocaleUpperCase());

/** Puts the picture in the place of the letter once it is loaded. */
function showPicture(src: string, letter: HTMLElement): void {
  const picture = element("img", { src, alt: "" });
  picture.onload = () => letter.replaceWith(picture);
}

/** Milliseconds within which a removal belongs to the ones before. */
const REMOVAL_MS = 2_000;
/** Removals in a row after which the widget gives up. */
const REMOVALS_MAX = 9;
/** By how many milliseconds the element comes back later after each removal in a row. */
const STEP_MS = 50;
let removals = 0;
let removedAt = 0;

/**
 * Puts the widget's element back after the page has removed it: frameworks replace the body or its content. Where the page removes
 * it again and again, it gives up.
 * @param putIn puts the element into the page and watches it
 */
export function heal(shell: Shell, putIn: () => void): void {
  if (shell.host.isConnected) return;
  // `document.open()` removes the listeners of all elements.
  if (!shell.launcher.onclick) return void startAnew(shell);
  const now = performance.now();
  removals = now - removedAt < REMOVAL_MS ? removals + 1 : 0;
  removedAt = now;
  if (removals < REMOVALS_MAX) setTimeout(putIn, removals * STEP_MS);
  else if (removals === REMOVALS_MAX) console.warn("Porchlight: this page keeps removing the chat, so it stays away");
}

/** Runs the tag's script again, with the settings as they are now. */
async function startAnew({ relay, site, settings }: Shell): Promise<void> {
  const now = settings() as Options;
  await window.Porchlight?.("destroy");
  await import(/* @vite-ignore */ `${relay}/w/${site.id}.js?${Math.random()}`);
  await window.Porchlight?.("update", now);
}

/**
 * Shows the element in the browser's top layer: a transform, a filter or containment above it makes its corner another than the
 * window's. Only then, because the top layer is above everything of the page, whatever its z-index.
 */
export function raise({ host }: Shell): void {
  host.popover = "manual";
  // Insert it again, because WebKit does not move what it has already drawn.
  pageDocument.body.append(host);
  host.showPopover?.();
}

/**
 * Moves the launcher away when it covers the focused control, which keyboard users must see (WCAG 2.2, 2.4.11). It is moved, not
 * hidden, so it can still be seen, focused and pressed, and nothing on the page shifts.
 */
export function uncoverFocus({ launcher }: Shell): void {
  let active: Element = launcher;
  // Web components of the page hold the focused element in their own shadow roots.
  for (let tree: DocumentOrShadowRoot | null = pageDocument; tree?.activeElement; tree = active.shadowRoot)
    active = tree.activeElement;
  // Do not move it while it is pressed: the click would miss.
  if (active === launcher) return;
  launcher.style.translate = "";
  if (covers(launcher.getBoundingClientRect(), active.getBoundingClientRect())) launcher.style.translate = "0 -100%";
}

/** Whether the listeners of `watchFocus` are there. */
let watched: Shell | undefined;

/** Keeps the launcher away from the focused control from now on: the visitor uses the keyboard. */
export function watchFocus(shell: Shell): void {
  uncoverFocus(shell);
  if (watched === shell) return;
  watched = shell;
  const ended = new AbortController();
  const look = (): void => {
    if (watched === shell && shell.host.isConnected) uncoverFocus(shell);
    else ended.abort();
  };
  // Within one shadow root of the page the focus moves unheard, but not the key that moves it; it goes to nothing by the
  // mouse (`click` comes from scripts too, many at once); and smooth scrolling ends later. Caught on the way in, because
  // pages keep events to themselves.
  for (const type of ["focusin", "keyup", "mouseup", "scrollend"])
    addEventListener(type, look, { capture: true, signal: ended.signal });
}

/** Lets elements of the page open the chat, and shows the teaser. */
export function attend(shell: Shell, open: (byHand: boolean) => unknown): void {
  const { launcher, teaser } = shell.settings();
  if (isSelector(launcher)) openFrom(shell, launcher as string, open);
  if (teaser) void import("./teaser.ts").then(({ tease }) => tease(element, shell, teaser));
}

function openFrom({ host, root }: Shell, selector: string, open: (byHand: boolean) => unknown): void {
  const ended = new AbortController();
  addEventListener(
    "click",
    ({ target }) => {
      if (!root.isConnected && !host.isConnected) return ended.abort();
      if (target instanceof Element && target.closest(selector)) open(true);
    },
    { signal: ended.signal },
  );
}
