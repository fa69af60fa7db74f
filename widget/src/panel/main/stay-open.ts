/**
 * Keeps a chat open on the next page of the site, within the tab's session. One key in `sessionStorage` records it, and is set
 * only after the visitor opened the chat. Not on phones, where the chat would cover the page.
 */

import { effect } from "@preact/signals-core";
import { PHONE_QUERY } from "../../loader/shell.ts";
import type { Needs } from "../base/context.ts";
import { isOver } from "../base/conversation-state.ts";

const keyOf = (site: string): string => `porchlight:${site}:open`;

/** Storage throws where cookies are blocked. Then the state is lost. */
function trySession<Result>(run: (storage: globalThis.Storage) => Result): Result | undefined {
  try {
    return run(sessionStorage);
  } catch {
    return undefined;
  }
}

const isFloating = ({ settings }: Needs<"settings">): boolean =>
  settings.peek().mode !== "page" && !matchMedia(PHONE_QUERY).matches;

/** Whether the chat was open when the visitor left the previous page. */
export const wasLeftOpen = (ui: Needs<"settings" | "consent">): boolean =>
  ui.consent.peek() &&
  isFloating(ui) &&
  trySession((storage) => storage.getItem(keyOf(ui.settings.peek().site))) === "1";

/**
 * Keeps the key while the chat is open. A deletion or a logout removes it. @returns a function that stops it
 * @param byVisitor whether the visitor opened the chat
 */
export function followOpen(
  ui: Needs<"chat" | "settings" | "consent" | "isOpen">,
  byVisitor: () => unknown,
): () => void {
  const key = keyOf(ui.settings.peek().site);
  const wasLeft = wasLeftOpen(ui);
  let wasOpen = false;
  return effect(() => {
    const stays = ui.isOpen.value && ui.consent.value && !isOver(ui) && isFloating(ui);
    if (stays && (wasLeft || byVisitor())) trySession((storage) => storage.setItem(key, "1"));
    else if (wasOpen) trySession((storage) => storage.removeItem(key));
    wasOpen = ui.isOpen.value;
  });
}
