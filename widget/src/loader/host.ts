/**
 * The widget's only element in the page: `<porch-light>` at the end of the body, with an open shadow root. The root is open, because
 * assistive tools, tests and shortcut libraries look inside, and a closed root would not protect anything.
 */

import { pageDocument } from "./document.ts";
import { element } from "./dom.ts";
import css from "./host.css?inline";
import { covers } from "./rect-overlap.ts";

/** Creates the element with launcher and dialog in its shadow root. It is not in the page yet. */
export function createHost(launcher: HTMLElement, dialog: HTMLElement): HTMLElement {
  // React Aria makes everything outside its modals inert, except elements with this attribute.
  const host = element("porch-light", { "data-react-aria-top-layer": "true" });
  // The page must not react to events of the widget. The panel stops more events (`panel/main/host-page.ts`).
  host.onpointerdown = (event: Event) => event.stopPropagation();
  host.addEventListener("focusin", host.onpointerdown as never);
  const root = host.attachShadow({ mode: "open" });
  root.append(launcher, dialog);
  root.adoptedStyleSheets = [new CSSStyleSheet()];
  return host;
}

/** Replaces the style rules that depend on settings: colours, positions. */
export const replaceRules = ({ adoptedStyleSheets: [first] }: ShadowRoot, rules: string): unknown =>
  first?.replaceSync(css + rules);

/**
 * Moves the launcher away when it covers the focused control, which keyboard users must see (WCAG 2.2, 2.4.11). It is moved, not
 * hidden, so it can still be seen, focused and pressed, and nothing on the page shifts.
 */
function uncoverFocus(launcher: HTMLElement): void {
  let active: Element = launcher;
  // Web components of the page hold the focused element in their own shadow roots.
  for (let tree: DocumentOrShadowRoot | null = pageDocument; tree?.activeElement; tree = active.shadowRoot)
    active = tree.activeElement;
  // Do not move it while it is pressed: the click would miss.
  if (active === launcher) return;
  launcher.style.translate = "";
  if (covers(launcher.getBoundingClientRect(), active.getBoundingClientRect())) launcher.style.translate = "0 -100%";
}

/** Puts the element into the page and keeps it there. @returns a function that removes it for good */
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
    // Measure the launcher; the host itself has no size.
    place.observe(launcher);
  };
  // Frameworks may replace the body or its content. Put the same element back, with its state.
  const removal = new MutationObserver(() => host.isConnected || putIn());
  // A transform, filter or containment above us captures `fixed`: then our corner is not the window's. The top layer
  // escapes that, but also every z-index of the page, so only then.
  const place = new IntersectionObserver(() => {
    const { right, bottom } = host.getBoundingClientRect();
    // A hidden element has no position. Allow for the width of scroll bars.
    if (!right || Math.hypot(right - innerWidth, bottom - innerHeight) < 40) return;
    host.popover = "manual";
    // Insert it again, because WebKit does not move what it has already drawn.
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
