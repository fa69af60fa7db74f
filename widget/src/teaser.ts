/**
 * A line in a small bubble beside the launcher: once, easily put away, and never in the way of the focus. A file of its
 * own, because most sites have no teaser.
 */

import { covers } from "./cover.ts";
import type { Parts, Shell } from "./ui/contract.ts";
import type { element as Element } from "./ui/dom.ts";
import css from "./ui/teaser.css?inline";

const KEY = "porchlight:teaser";

/**
 * Shows the line, unless the visitor has put it away or opened the chat before, or has to agree to it first. See `bubble`.
 */
export function tease(element: typeof Element, shell: Parts & Pick<Shell, "settings">, text: string): void {
  const { dialog } = shell;
  // Before consent the launcher is all there is. The setting is as the page gave it: an empty attribute switches on.
  if (["", "true"].includes(`${shell.settings().requireConsent}`)) return;
  // Named by the panel once it has started: then the visitor has been here.
  if (!dialog.hasAttribute("aria-labelledby") && !dialog.open && !putAway("getItem")) bubble(element, shell, text);
}

/**
 * The line itself. Answers what takes it away.
 * @param element the loader's own: this file is fetched alone
 */
export function bubble(element: typeof Element, { root, launcher, dialog }: Parts, text: string): () => void {
  const line = element("button", {}, text);
  const away = element("button", { "aria-label": `✕ ${text}` }, "✕");
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
    putAway("setItem");
    if (!within) return;
    // The next thing there is. Who only puts the line away has not reached for the chat, whose code stays where it is.
    const { onfocus } = launcher;
    launcher.onfocus = null;
    launcher.focus();
    launcher.onfocus = onfocus;
  };
  // Who has opened the chat needs no invitation; until it is closed again the style sheet hides the bubble.
  dialog.addEventListener("close", remove, { once: true });
  root.append(made);
  return remove;
}

/** That the visitor put it away is his own choice and may be kept. Storage throws where cookies are blocked. */
function putAway(how: "getItem" | "setItem"): unknown {
  try {
    return sessionStorage[how](KEY, "1");
  } catch {
    return null;
  }
}
