/**
 * Keeps page and panel from disturbing each other: events of the panel do not reach the page, so its shortcuts do not fire while the
 * visitor types, and the page's modal windows do not lock the chat.
 */

import type { Shell } from "../../loader/contract.ts";
import { pageDocument } from "../../loader/document.ts";
import { fitWidth } from "./viewport.ts";

/**
 * Events that the panel stops in addition to those of `host.ts`, because the page would react to them. Escape closes a modal panel
 * without an event.
 */
const PRIVATE = "keydown keypress keyup beforeinput input paste copy cut focusout mousedown touchstart click wheel";

/** Attributes besides those of `host.ts`: frameworks that replace the body, and modal libraries, leave such elements alone. */
const ATTRIBUTES = "id=porchlight data-turbo-permanent data-live-announcer=true aria-live=off";

const aModal = (): boolean => pageDocument.querySelector("[role=dialog],[role=alertdialog],dialog[open]") !== null;

/** Returns its stop. */
export function beGuest(shell: Shell, close: () => void): () => void {
  const { host, root, dialog } = shell;
  const ended = new AbortController();
  const { signal } = ended;
  // Escape is the page's, from its keydown to its keyup, where it closes nothing of ours.
  let theirs = false;
  const keep = (event: Event): void => {
    if ((event as KeyboardEvent).key === "Escape") {
      if (event.type === "keydown") theirs = !event.defaultPrevented && !dialog.contains(root.activeElement);
      if (theirs) return;
    }
    event.stopPropagation();
  };

  for (const attribute of ATTRIBUTES.split(" ")) {
    const [name = "", value = ""] = attribute.split("=");
    host.setAttribute(name, value);
  }
  for (const type of PRIVATE.split(" ")) host.addEventListener(type, keep, { signal });

  // MUI hides all siblings of its modal. Whoever works in the chat must be able to.
  let held: HTMLElement | null = null;
  const unhide = (): void => {
    if (!root.activeElement) return;
    held = root.activeElement as HTMLElement;
    host.removeAttribute("aria-hidden");
    host.inert = false;
  };
  root.addEventListener("focus", unhide, { capture: true, signal });

  // Focus traps listen at the document for focus that leaves them. The focus came to the panel on purpose.
  addEventListener("focusin", (event) => event.target === host && event.stopImmediatePropagation(), {
    capture: true,
    signal,
  });
  addEventListener(
    "focusout",
    (event) => event.relatedTarget === host && aModal() && event.stopImmediatePropagation(),
    { capture: true, signal },
  );

  // Where everything stands. Known beforehand: Firefox moves without it, and in a modal that has closed nothing stands.
  const tops = new Map<Element, number>();
  const stood = ({ target }: Event): unknown => tops.set(target as Element, (target as Element).scrollTop);
  dialog.addEventListener("scroll", stood, { capture: true, passive: true, signal });

  const restore = (active: HTMLElement | null): void => {
    for (const [box, top] of tops) box.scrollTop = top;
    active?.focus({ preventScroll: true });
  };

  // A native modal makes everything outside of it inert: an open panel moves in with it, and out again. One that is opened
  // there moves in too; one that is closed there stays until the modal goes.
  const follow = (): void => {
    const { body } = pageDocument;
    // A page that replaces its body takes what is modal out of the window's top layer; `host.ts` has put it in again.
    if (dialog.matches("[open].full:not(:modal)")) {
      const active = held;
      fitWidth(shell);
      restore(active);
    }
    if (!dialog.open && host.parentNode === body) return;
    const modals = pageDocument.querySelectorAll("dialog:modal");
    const home = modals[modals.length - 1] ?? body;
    if (!home || host.parentNode === home || (!dialog.open && modals[0])) return;
    const active = root.activeElement as HTMLElement | null;
    // `moveBefore` keeps the most state. It throws where it is not allowed, and Safari lacks it.
    try {
      (home as { moveBefore?: (node: Node, before: null) => void }).moveBefore?.(host, null);
    } catch {}
    if (host.parentNode !== home) home.append(host);
    restore(active);
  };
  const observer = new MutationObserver(() => {
    // As the command does it: what is modal and cannot be seen would still lock the page.
    if (host.hidden) close();
    unhide();
    follow();
  });
  const what = { childList: true, attributes: true, attributeFilter: ["open", "aria-hidden", "inert", "hidden"] };
  observer.observe(document, { ...what, subtree: true });
  // Its own opening is not seen from there.
  observer.observe(dialog, what);
  return () => {
    ended.abort();
    observer.disconnect();
  };
}
