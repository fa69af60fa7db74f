/**
 * Small things that are kept once the visitor has acted: what he muted, answered or declined. They stand with the
 * conversation in the storage, so that they go with it: with a logout, a deletion, and when consent is withdrawn.
 */

import type { Needs } from "./context.ts";

export type Kept = "mute" | "notify" | "prechat" | "capture";
type Part = Needs<"chat" | "consent">;

/** What waits for consent: nothing is stored before it. */
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
