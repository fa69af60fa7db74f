/** The launcher's cross while the panel is open. The frame draws it, and the panel keeps it. */

import { icon } from "./dom.ts";

const CROSS = "m6 6 12 12m0-12-12 12";

/** @returns the launcher's cross, added if there is none yet. The style sheets of the frame and of the panel show and hide it. */
export function launcherCross(launcher: HTMLElement): SVGElement {
  const present = launcher.querySelector("svg");
  if (present) return present;
  const cross = icon(CROSS);
  launcher.append(cross);
  return cross;
}
