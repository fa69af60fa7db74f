/**
 * Small facts about what the visitor has muted, answered or declined. They are stored with the conversation, so a logout, a
 * deletion or a withdrawn consent removes them too.
 */

import type { Needs } from "./context.ts";

export type Fact = "mute" | "notify" | "prechat" | "capture";
type RememberNeeds = Needs<"chat" | "consent">;

/** Facts that wait for consent, because nothing is stored before it. */
const waiting = new Map<Fact, boolean>();

const storedFacts = ({ chat }: RememberNeeds): Set<string> => new Set(chat.storage.read().kept.split(" "));

/** Whether a fact is true, stored or not yet. */
export const isRemembered = (ui: RememberNeeds, fact: Fact): boolean => waiting.get(fact) ?? storedFacts(ui).has(fact);

/** Stores whether a fact is true, as soon as the visitor consents. */
export function remember(ui: RememberNeeds, fact: Fact, on: boolean): void {
  waiting.set(fact, on);
  const stop = ui.consent.subscribe((given) => {
    if (!given) return;
    for (const [each, wanted] of waiting) write(ui, each, wanted);
    waiting.clear();
    // `subscribe` may call this before it has returned `stop`.
    queueMicrotask(() => stop());
  });
}

function write(ui: RememberNeeds, fact: Fact, on: boolean): void {
  const facts = storedFacts(ui);
  if (facts.has(fact) === on) return;
  if (on) facts.add(fact);
  else facts.delete(fact);
  ui.chat.storage.change((saved) => {
    saved.kept = [...facts].join(" ").trim();
  });
}
