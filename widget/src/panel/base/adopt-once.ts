/** Adds the style sheet of a component once, however many instances there are. */

import { adopt } from "./style.ts";

/** The sheets that each root already has. */
const adopted = new WeakMap<ShadowRoot, Set<string>>();

/** Adds a sheet to the root permanently, unless it has it already. */
export function adoptOnce(root: ShadowRoot, css: string): void {
  const sheets = adopted.get(root) ?? new Set();
  if (!sheets.has(css)) adopt(root, css);
  adopted.set(root, sheets.add(css));
}
