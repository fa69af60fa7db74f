/**
 * The widget's one element in the page: `<porch-light>` at the end of the body, with an open shadow root. Open, because
 * assistive tools, tests and well-behaved shortcut libraries look inside; a closed root protects nobody.
 */

import { pageDocument } from "./document.ts";
import { element } from "./dom.ts";
import css from "./host.css?inline";
import { covers } from "./rect-overlap.ts";

/** The element with launcher and dialog in its shadow root, not yet in the page. */
export function createHost(launcher: HTMLElement, dialog: HTMLElement): HTMLElement {
  // React Aria makes everything else inert under its modals, but for elements with this attribute.
  const host = element("porch-light", { "data-react-aria-top-layer": "true" });
  // The page must not react to what is meant for the widget. The panel stops more events, and says why.
  host.onpointerdown = (event: Event) => event.stopPropagation();
  host.addEventListener("focusin", host.onpointerdown as never);
  const root = host.attachShadow({ mode: "open" });
  root.append(launcher, dialog);
  root.adoptedStyleSheets = [new CSSStyleSheet()];
  return host;
}

/** Replaces the rules that the settings decide: colours, places. */
export const replaceRules = ({ adoptedStyleSheets: [first] }: ShadowRoot, rules: string): unknown =>
  first?.replaceSync(css + rules);

/**
 * Moves the launcher off the control that has the focus: keyboard users must see where they are (WCAG 2.2, 2.4.11). Moved
 * and not hidden: it can still be seen, tabbed to and pressed, and nothing of the page shifts.
 */
function uncoverFocus(launcher: HTMLElement): void {
  let active: Element = launcher;
  // Components of the page keep the focus in trees of their own.
  for (let tree: DocumentOrShadowRoot | null = pageDocument; tree?.activeElement; tree = active.shadowRoot)
    active = tree.activeElement;
  // Not from under the pointer that presses it: the click would miss.
  if (active === launcher) return;
  launcher.style.translate = "";
  if (covers(launcher.getBoundingClientRect(), active.getBoundingClientRect())) launcher.style.translate = "0 -100%";
}

/** Puts the element into the page and keeps it there. Returns the function that takes it out for good. */
export function keepInPage(host: HTMLElement, launcher: HTMLElement): () => void {
  const uncover = (): void => uncoverFocus(launcher);
  // Within one shadow root of the page the focus moves unheard, but not the key that moves it; it goes to nothing by the
  // mouse (`click` comes from scripts too, many at once); and smooth scrolling ends later. Caught on the way in, because
  // pages keep events to themselves.
  const listen = (how: typeof addEventListener): unknown =>
    ["focusin", "keyup", "mouseup", "scrollend"].map((type) => how(type, uncover, true));
  const putIn = (): void => {
    listen(addEventListener);
    const { body } = pageDocument;
    removal.observe(pageDocument.documentElement, { childList: true });
    if (!body) return;
    removal.observe(body, { childList: true });
    body.append(host);
    // The launcher; the host itself is a point.
    place.observe(launcher);
  };
  // Frameworks replace the body or all that is in it. The same element returns, with all that it holds.
  const removal = new MutationObserver(() => host.isConnected || putIn());
  // A transform, filter or containment above us captures `fixed`: then our corner is not the window's. The top layer
  // escapes that, but also every z-index of the page, so only then.
  const place = new IntersectionObserver(() => {
    const { right, bottom } = host.getBoundingClientRect();
    // Nowhere while it is hidden. Scroll bars may stand between.
    if (!right || Math.hypot(right - innerWidth, bottom - innerHeight) < 40) return;
    host.popover = "manual";
    // Put in once more: WebKit leaves what it has drawn already where it was.
    pageDocument.body.append(host);
    host.showPopover?.();
  });
  putIn();
  return () => {
    removal.disconnect();
    place.disconnect();
    listen(removeEventListener);
    host.remove();
  };
}
