/**
 * A small bubble beside the launcher: a text that opens the chat, and a button that closes the bubble. It never covers the focused
 * control of the page.
 */

import css from "./bubble.css?inline";
import type { LoaderNodes } from "./contract.ts";
import type { element as Element } from "./dom.ts";
import { covers } from "./rect-overlap.ts";

export type BubbleOptions = {
  /** The bubble's text. */
  content: (Node | string)[];
  /** Name of the close button, in the visitor's language. */
  close: string;
  /** Called when the visitor closes the bubble. */
  onClose?: () => void;
};

/**
 * Shows the bubble. It is hidden while the chat is open, and removed when the chat closes.
 * @param element of `dom.ts`. Not imported here, because the bundler would put the import into a second file of the teaser
 * @returns a function that removes the bubble
 */
export function bubble(
  element: typeof Element,
  { root, launcher, dialog }: LoaderNodes,
  { content, close, onClose }: BubbleOptions,
): () => void {
  const textButton = element("button", { type: "button" }, ...content);
  const closeButton = element("button", { type: "button", "aria-label": close });
  const box = element("div", { class: "at teaser" }, textButton, closeButton);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  // Keyboard users must see the focused control (WCAG 2.2, 2.4.11).
  const ended = new AbortController();
  const hideIfCovering = ({ target }: Event): void => {
    if (!box.isConnected) return ended.abort();
    // Wait a moment: the browser may still scroll to the control.
    requestAnimationFrame(() => {
      const hides = covers(box.getBoundingClientRect(), (target as Element).getBoundingClientRect());
      box.style.visibility = hides ? "hidden" : "";
    });
  };
  addEventListener("focusin", hideIfCovering, ended);
  const remove = (): void => {
    ended.abort();
    box.remove();
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
  textButton.onclick = () => launcher.click();
  closeButton.onclick = () => {
    const within = box.contains(root.activeElement);
    remove();
    onClose?.();
    if (!within) return;
    // Move the focus to the launcher. Closing the bubble is no reason to fetch the panel's code.
    const { onfocus } = launcher;
    launcher.onfocus = null;
    launcher.focus();
    launcher.onfocus = onfocus;
  };
  // After the chat was opened the bubble is not needed. While it is open the style sheet hides the bubble.
  dialog.addEventListener("close", remove, { once: true, signal: ended.signal });
  root.append(box);
  fitToLines(textButton);
  return remove;
}

/**
 * Narrows a button to its longest line. The style sheet balances the lines, but CSS keeps the width of the unbalanced text, which
 * leaves an empty strip between the text and the cross. The strip is measured as a share of the width, because pages may zoom.
 */
function fitToLines(button: HTMLElement): void {
  const lines = new Range();
  lines.selectNodeContents(button);
  const [box, text] = [button.getBoundingClientRect(), lines.getBoundingClientRect()];
  const strip = Math.abs(text.left - box.left - (box.right - text.right));
  button.style.maxWidth = `${Math.ceil(button.offsetWidth * (1 - strip / box.width)) + 1}px`;
}
