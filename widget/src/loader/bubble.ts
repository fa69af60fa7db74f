/** A small bubble beside the launcher: a line that opens the chat, and a button that puts it away. Never in the way of the focus. */

import css from "./bubble.css?inline";
import type { Parts } from "./contract.ts";
import type { element as Element } from "./dom.ts";
import { covers } from "./rect-overlap.ts";

export type BubbleOptions = {
  /** What is read in it. */
  content: (Node | string)[];
  /** Name of the button that puts it away, in the visitor's language. */
  close: string;
  /** The visitor has put it away. */
  onAway?: () => void;
};

/**
 * Shows the bubble. Answers what takes it away; once the chat was opened and closed again it goes by itself.
 * @param element the caller's own, because the teaser is fetched alone
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
  // Whoever walks through the page by keyboard must see where he is (WCAG 2.2, 2.4.11).
  const ended = new AbortController();
  const giveWay = ({ target }: Event): void => {
    if (!made.isConnected) return ended.abort();
    // A moment later it has been scrolled to.
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
    // The next thing there is. Who only puts the line away has not reached for the chat, whose code stays where it is.
    const { onfocus } = launcher;
    launcher.onfocus = null;
    launcher.focus();
    launcher.onfocus = onfocus;
  };
  // Who has opened the chat needs no invitation; until it is closed again the style sheet hides the bubble.
  dialog.addEventListener("close", remove, { once: true, signal: ended.signal });
  root.append(made);
  return remove;
}
