/** A style sheet for components of which many are drawn. */

import { adopt } from "./style.ts";

/** Sheets that a root has already. */
const adopted = new WeakMap<ShadowRoot, Set<string>>();

/** Adds a sheet to the root for good, unless it is there. */
export function adoptOnce(root: ShadowRoot, css: string): void {
  const sheets = adopted.get(root) ?? new Set();
  if (!sheets.has(css)) adopt(root, css);
  adopted.set(root, sheets.add(css));
}
