/**
 * Small facts that are stored after an action of the visitor: what the visitor has muted, answered or declined. They are stored
 * with the conversation, so that a logout, a deletion or a withdrawn consent removes them too.
 */

import type { Needs } from "./context.ts";

export type Kept = "mute" | "notify" | "prechat" | "capture";
type Part = Needs<"chat" | "consent">;

/** Facts that wait for consent, because nothing is stored before it. */
const waiting = new Map<Kept, boolean>();

const wordsOf = ({ chat }: Part): Set<string> => new Set(chat.storage.read().kept.split(" "));

export const isKept = (ui: Part, what: Kept): boolean => waiting.get(what) ?? wordsOf(ui).has(what);

export function keep(ui: Part, what: Kept, on: boolean): void {
  waiting.set(what, on);
  const stop = ui.consent.subscribe((given) => {
    if (!given) return;
    for (const [each, wanted] of waiting) write(ui, each, wanted);
    waiting.clear();
    queueMicrotask(() => stop());
  });
}

function write(ui: Part, what: Kept, on: boolean): void {
  const words = wordsOf(ui);
  if (words.has(what) === on) return;
  if (on) words.add(what);
  else words.delete(what);
  ui.chat.storage.change((saved) => {
    saved.kept = [...words].join(" ").trim();
  });
}
