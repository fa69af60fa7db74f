/**
 * A small bubble beside the launcher: a text that opens the chat, and a button that closes the bubble. Never covers the focus.
 */

import css from "./bubble.css?inline";
import type { Parts } from "./contract.ts";
import type { element as Element } from "./dom.ts";
import { covers } from "./rect-overlap.ts";

export type BubbleOptions = {
  /** The bubble's text. */
  content: (Node | string)[];
  /** Name of the close button, in the visitor's language. */
  close: string;
  /** Called when the visitor closes the bubble. */
  onAway?: () => void;
};

/**
 * Shows the bubble. It disappears once the chat was opened and closed again.
 * @param element the caller's function, because the teaser's file is fetched alone
 * @returns a function that removes the bubble
 */
export function bubble(
  element: typeof Element,
  { root, launcher, dialog }: Parts,
  { content, close, onAway }: BubbleOptions,
): () => void {
  const line = element("button", { type: "button" }, ...content);
  const away = element("button", { type: "button", "aria-label": close });
  const made = element("div", { class: "at teaser" }, line, away);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  // Keyboard users must see the focused control (WCAG 2.2, 2.4.11).
  const ended = new AbortController();
  const giveWay = ({ target }: Event): void => {
    if (!made.isConnected) return ended.abort();
    // Wait a moment: the browser may still scroll to the control.
    requestAnimationFrame(() => {
      const hides = covers(made.getBoundingClientRect(), (target as Element).getBoundingClientRect());
      made.style.visibility = hides ? "hidden" : "";
    });
  };
  addEventListener("focusin", giveWay, ended);
  const remove = (): void => {
    ended.abort();
    made.remove();
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
  line.onclick = () => launcher.click();
  away.onclick = () => {
    const within = made.contains(root.activeElement);
    remove();
    onAway?.();
    if (!within) return;
    // Move the focus to the launcher. Closing the bubble is no reason to fetch the panel's code.
    const { onfocus } = launcher;
    launcher.onfocus = null;
    launcher.focus();
    launcher.onfocus = onfocus;
  };
  // After the chat was opened the bubble is not needed. While it is open the style sheet hides the bubble.
  dialog.addEventListener("close", remove, { once: true, signal: ended.signal });
  root.append(made);
  return remove;
}
