/**
 * A chat that the visitor left open stays open on the next page of the site, within the tab's session: known by one word in
 * the session's storage, which stands there only after the visitor opened it. Not on phones, where it would cover the page.
 */

import { effect } from "@preact/signals-core";
import { PHONE } from "../../loader/shell.ts";
import { isOver, type Ui } from "../base/context.ts";

const keyOf = (site: string): string => `porchlight:${site}:open`;

/** Storage throws where cookies are blocked: then it is forgotten. */
function session<Result>(run: (storage: globalThis.Storage) => Result): Result | undefined {
  try {
    return run(sessionStorage);
  } catch {
    return undefined;
  }
}

const floats = ({ settings }: Pick<Ui, "settings">): boolean =>
  settings.peek().mode !== "page" && !matchMedia(PHONE).matches;

/** Whether it was open when the visitor left the page before this one. */
export const wasLeftOpen = (ui: Pick<Ui, "settings" | "consent">): boolean =>
  ui.consent.peek() && floats(ui) && session((storage) => storage.getItem(keyOf(ui.settings.peek().site))) === "1";

/**
 * Keeps the word while the chat is open; it goes with a conversation that is deleted or left. Returns its stop.
 * @param byVisitor whether it was the visitor who opened what is open now
 */
export function followOpen(
  ui: Pick<Ui, "chat" | "settings" | "consent" | "isOpen">,
  byVisitor: () => boolean,
): () => void {
  const key = keyOf(ui.settings.peek().site);
  const wasLeft = wasLeftOpen(ui);
  let wasOpen = false;
  return effect(() => {
    const stays = ui.isOpen.value && ui.consent.value && !isOver(ui) && floats(ui);
    if (stays && (wasLeft || byVisitor())) session((storage) => storage.setItem(key, "1"));
    else if (wasOpen) session((storage) => storage.removeItem(key));
    wasOpen = ui.isOpen.value;
  });
}
