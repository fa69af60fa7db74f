/**
 * What the tag's script does not bring: the frame's header while the panel's code is on its way, and the way to what most pages never
 * need. Fetched when it is first needed.
 */

import type { ExtrasModule, Shell } from "./contract.ts";
import { element } from "./dom.ts";
import css from "./frame.css?inline";
import { isSelector, PHONE } from "./shell.ts";

/** Put in by the build: the place of the word for "Close chat" in a language's file. */
declare const CLOSE_AT: number;

const sheet = new CSSStyleSheet();

/**
 * Draws the frame's header. Below it stand quiet shapes where the thread and the text field will be, or what the loader says when the
 * panel could not be loaded. Does nothing once the panel is there.
 */
export function drawFrame({ dialog, root, settings, spoken, relay }: Shell, close: () => void): void {
  const [first, ...others] = dialog.childNodes;
  if (!dialog.open || !(first instanceof Text)) return;
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((other) => other !== sheet), sheet];
  const { avatar, header, title: own } = settings();
  const title = dialog.ariaLabel ?? "";
  const cross = element("button", { type: "button", "aria-label": "Close chat" });
  cross.onclick = close;
  // The panel needs the same file, so it is on its way already.
  if (spoken?.file) void nameInLanguage(cross, relay + spoken.file);
  const picture = pictureOf(own);
  if (avatar) showPicture(avatar, picture);
  dialog.replaceChildren(
    element("header", { class: header === "accent" ? "filled" : "" }, picture, element("h2", {}, title), cross),
    ...(others[0] ? [element("p", { role: "alert" }, first), ...others] : [element("i"), element("i")]),
  );
}

/** Names the close button in the visitor's language. Without the language's file it keeps its English name. */
async function nameInLanguage(button: HTMLElement, file: string): Promise<void> {
  const language: { messages?: readonly string[] } = await import(/* @vite-ignore */ file).catch(() => ({}));
  const name = language.messages?.[CLOSE_AT];
  if (name) button.ariaLabel = name;
}

/** The first letter of the site's own title; without a title the launcher's glyph, as in the panel's header. */
const pictureOf = (title = ""): HTMLElement =>
  element("span", { "aria-hidden": "true" }, [...title][0]?.toLocaleUpperCase() ?? element("b"));

/** Puts the picture in the place of the letter once it is loaded. */
function showPicture(src: string, letter: HTMLElement): void {
  const picture = element("img", { src, alt: "" });
  picture.onload = () => letter.replaceWith(picture);
}

const changes = () => import("./page-changes.ts");

export const heal: ExtrasModule["heal"] = async (shell, putIn) => (await changes()).heal(shell, putIn);
export const raise: ExtrasModule["raise"] = async (shell) => (await changes()).raise(shell);
export const watchFocus: ExtrasModule["watchFocus"] = async (shell) => (await changes()).watchFocus(shell);

/** Lets elements of the page open the chat, and shows the teaser. */
export const attend: ExtrasModule["attend"] = async (shell, open) => {
  const { launcher, teaser } = shell.settings();
  if (isSelector(launcher)) openFrom(shell, launcher as string, open);
  if (!teaser || matchMedia(PHONE).matches) return;
  const [{ whenDue }, { tease }] = await Promise.all([import("./teaser-triggers.ts"), import("./teaser.ts")]);
  whenDue(shell.settings(), () => {
    if (shell.host.isConnected) tease(element, shell, teaser);
  });
};

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
