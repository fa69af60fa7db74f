/**
 * The widget's one element in the page: `<porch-light>` at the end of the body, with an open shadow root. Open, because
 * assistive tools, tests and well-behaved shortcut libraries look inside; a closed root protects nobody.
 */

import css from "./host.css?inline";

export type Host = {
  host: HTMLElement;
  root: ShadowRoot;
  /** Replaces the rules that settings decide: colours, places. */
  restyle(css: string): void;
  /** Puts the element into the page and keeps it there. */
  mount(): void;
  /** Takes it out for good. */
  remove(): void;
};

export function createHost(): Host {
  const host = document.createElement("porch-light");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  root.adoptedStyleSheets = [sheet];

  const mount = (): void => {
    const { body, documentElement } = document;
    const children = { childList: true };
    observer.observe(documentElement, children);
    if (!body) return;
    observer.observe(body, children);
    body.append(host);
    // A transform, filter or containment above us captures `fixed`: then our corner is not the window's. The top layer
    // escapes that, but also every z-index of the page, so only then.
    const { right, bottom } = host.getBoundingClientRect();
    // Scroll bars may stand between.
    if (Math.hypot(right - innerWidth, bottom - innerHeight) < 40) return;
    host.popover = "manual";
    // Put in once more: WebKit leaves what it has drawn already where it was.
    body.append(host);
    host.showPopover?.();
  };
  /** Frameworks replace the body or all that is in it. The same element returns, with all that it holds. */
  const observer = new MutationObserver(() => host.isConnected || mount());
  return {
    host,
    root,
    restyle: (rules) => sheet.replaceSync(css + rules),
    mount,
    remove() {
      observer.disconnect();
      host.remove();
    },
  };
}
