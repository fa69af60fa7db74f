/**
 * Keeps page and panel from disturbing each other: events of the panel do not reach the page, so its shortcuts do not fire
 * while the visitor types, and the page's modal windows do not lock the chat.
 */

import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";

/**
 * Events that the panel stops in addition to those of `widget.ts`, because the page would react to them. Escape closes a modal
 * panel without an event.
 */
const PRIVATE = "keydown keypress keyup beforeinput input paste copy cut focusout mousedown touchstart click wheel";

/** Attributes besides those of `host.ts`: frameworks that replace the body, and modal libraries, leave such elements alone. */
const ATTRIBUTES = "id=porchlight data-turbo-permanent data-live-announcer=true aria-live=off";

const aModal = (): boolean => pageDocument.querySelector("[role=dialog],[role=alertdialog],dialog[open]") !== null;

/** Stops the events that the page would react to. */
function keepEvents({ host, root, dialog }: Shell, signal: AbortSignal): void {
  // Escape belongs to the page, from keydown to keyup, if it closes nothing in the widget.
  let theirs = false;
  const keep = (event: Event): void => {
    if ((event as KeyboardEvent).key === "Escape") {
      if (event.type === "keydown") theirs = !event.defaultPrevented && !dialog.contains(root.activeElement);
      if (theirs) return;
    }
    event.stopPropagation();
  };
  for (const type of PRIVATE.split(" ")) host.addEventListener(type, keep, { signal });
}

/** Hides focus events in the panel from focus traps of the page, because the visitor moved the focus there on purpose. */
function passFocusTraps({ host }: Shell, signal: AbortSignal): void {
  const early = { capture: true, signal };
  addEventListener("focusin", (event) => event.target === host && event.stopImmediatePropagation(), early);
  addEventListener(
    "focusout",
    (event) => event.relatedTarget === host && aModal() && event.stopImmediatePropagation(),
    early,
  );
}

/** @returns a function that stops it */
export function isolateFromPage(shell: Shell, close: () => void): () => void {
  const { host, root, dialog } = shell;
  const ended = new AbortController();
  const { signal } = ended;
  for (const attribute of ATTRIBUTES.split(" ")) {
    const [name = "", value = ""] = attribute.split("=");
    host.setAttribute(name, value);
  }
  keepEvents(shell, signal);
  passFocusTraps(shell, signal);
  /** The element that had the focus last. */
  let held: HTMLElement | null = null;
  // MUI hides all siblings of its modal, but the chat must stay usable.
  const unhide = (): void => {
    if (!root.activeElement) return;
    held = root.activeElement as HTMLElement;
    host.removeAttribute("aria-hidden");
    host.inert = false;
  };
  // The scroll positions. Save them beforehand: a move in Firefox loses them, and elements of a closed modal have none.
  const tops = new Map<Element, number>();
  const stood = ({ target }: Event): unknown => tops.set(target as Element, (target as Element).scrollTop);
  root.addEventListener("focus", unhide, { capture: true, signal });
  dialog.addEventListener("scroll", stood, { capture: true, passive: true, signal });
  const observer = new MutationObserver(() => {
    // Close it like the command, because an invisible modal dialog would still lock the page.
    if (host.hidden) close();
    unhide();
    const isHome = host.parentNode === pageDocument.body;
    if (isHome && !(dialog.open && (dialog.matches(".full:not(:modal)") || pageDocument.querySelector("dialog:modal"))))
      return;
    const active = held;
    // By then the widget may be destroyed: its element must stay out of the page.
    void import("./page-modals.ts").then(({ follow }) => signal.aborted || follow(shell, active, tops), console.warn);
  });
  const what = { childList: true, attributes: true, attributeFilter: ["open", "aria-hidden", "inert", "hidden"] };
  observer.observe(document, { ...what, subtree: true });
  // This observer does not see the opening of the dialog itself.
  observer.observe(dialog, what);
  return () => {
    ended.abort();
    observer.disconnect();
  };
}
