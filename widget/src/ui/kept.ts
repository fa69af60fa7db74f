/** Small things that are kept once the visitor has acted: what he muted, answered or declined. Storage may be blocked. */

import type { Ui } from "./context.ts";

const ALL = ["mute", "notify", "prechat", "capture"] as const;
export type Kept = (typeof ALL)[number];

const keyOf = ({ settings }: Pick<Ui, "settings">, what: Kept): string => `porchlight:${settings.peek().site}:${what}`;

export function isKept(ui: Pick<Ui, "settings">, what: Kept): boolean {
  try {
    return localStorage.getItem(keyOf(ui, what)) !== null;
  } catch {
    return false;
  }
}

export function keep(ui: Pick<Ui, "settings">, what: Kept, on: boolean): void {
  try {
    if (on) localStorage.setItem(keyOf(ui, what), "1");
    else localStorage.removeItem(keyOf(ui, what));
  } catch {
    // Then it holds for this page only.
  }
}

/** Nothing of a deleted conversation stays. */
export function dropKept(ui: Pick<Ui, "settings">): void {
  for (const what of ALL) keep(ui, what, false);
}
