/**
 * Keeps page and panel from disturbing each other. Events of the panel do not reach the page, so the page's shortcuts do not
 * fire while the visitor types. The page's modal windows do not lock the chat.
 */

import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";

/**
 * Events that the panel stops in addition to those of `widget.ts`, because the page would react to them. Escape closes a modal
 * panel without an event.
 */
const STOPPED_EVENTS =
  "keydown keypress keyup beforeinput input paste copy cut focusout mousedown touchstart click wheel";

/** Attributes besides those of `host.ts`: frameworks that replace the body, and modal libraries, leave such elements alone. */
const ATTRIBUTES = "id=porchlight data-turbo-permanent data-live-announcer=true aria-live=off";

const hasModal = (): boolean => pageDocument.querySelector("[role=dialog],[role=alertdialog],dialog[open]") !== null;

/** Stops the events that the page would react to. */
function stopEvents({ host, root, dialog }: Shell, signal: AbortSignal): void {
  // Escape belongs to the page, from keydown to keyup, if it closes nothing in the widget.
  let isForPage = false;
  const stopEvent = (event: Event): void => {
    if ((event as KeyboardEvent).key === "Escape") {
      if (event.type === "keydown") isForPage = !event.defaultPrevented && !dialog.contains(root.activeElement);
      if (isForPage) return;
    }
    event.stopPropagation();
  };
  for (const type of STOPPED_EVENTS.split(" ")) host.addEventListener(type, stopEvent, { signal });
}

/** Hides focus events in the panel from focus traps of the page, because the visitor moved the focus there on purpose. */
function hideFromFocusTraps({ host }: Shell, signal: AbortSignal): void {
  const early = { capture: true, signal };
  addEventListener("focusin", (event) => event.target === host && event.stopImmediatePropagation(), early);
  addEventListener(
    "focusout",
    (event) => event.relatedTarget === host && hasModal() && event.stopImmediatePropagation(),
    early,
  );
}

/** Keeps events, focus traps and modal windows of the page away from the panel. @returns a function that stops it */
export function isolateFromPage(shell: Shell, close: () => void): () => void {
  const { host, root, dialog } = shell;
  const ended = new AbortController();
  const { signal } = ended;
  for (const attribute of ATTRIBUTES.split(" ")) {
    const [name = "", value = ""] = attribute.split("=");
    host.setAttribute(name, value);
  }
  stopEvents(shell, signal);
  hideFromFocusTraps(shell, signal);
  /** The element that had the focus last. */
  let lastFocused: HTMLElement | null = null;
  // MUI hides all siblings of its modal, but the chat must stay usable.
  const unhide = (): void => {
    if (!root.activeElement) return;
    lastFocused = root.activeElement as HTMLElement;
    host.removeAttribute("aria-hidden");
    host.inert = false;
  };
  // Scroll positions are saved as they change: a move in Firefox loses them, and elements of a closed modal have none.
  const scrollTops = new Map<Element, number>();
  const rememberScroll = ({ target }: Event): unknown =>
    scrollTops.set(target as Element, (target as Element).scrollTop);
  root.addEventListener("focus", unhide, { capture: true, signal });
  dialog.addEventListener("scroll", rememberScroll, { capture: true, passive: true, signal });
  const observer = new MutationObserver(() => {
    // Close the panel as the command `close` does, because an invisible modal dialog would still lock the page.
    if (host.hidden) close();
    unhide();
    const isHome = host.parentNode === pageDocument.body;
    if (isHome && !(dialog.open && (dialog.matches(".full:not(:modal)") || pageDocument.querySelector("dialog:modal"))))
      return;
    const active = lastFocused;
    // When this code has loaded, the widget may be destroyed. Then its element must stay out of the page.
    void import("./page-modals.ts").then(
      ({ followModals }) => signal.aborted || followModals(shell, active, scrollTops),
      console.warn,
    );
  });
  const watched = { childList: true, attributes: true, attributeFilter: ["open", "aria-hidden", "inert", "hidden"] };
  observer.observe(document, { ...watched, subtree: true });
  // Observing the document does not include the shadow root, and so not the opening of the panel's dialog.
  observer.observe(dialog, watched);
  return () => {
    ended.abort();
    observer.disconnect();
  };
}
