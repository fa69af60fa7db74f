/** The panel's icons, drawn on 24 pixels with round lines of 1.75. */

import type { VNode } from "preact";

const PATHS = {
  close: "m6.5 6.5 11 11m0-11-11 11",
  menu: "M12 5.5v.01M12 12v.01M12 18.5v.01",
  send: "M12 19V5.5M6 11l6-6 6 6",
  attach:
    "m19.5 11.5-7.3 7.3a4.8 4.8 0 0 1-6.8-6.8l7.6-7.6a3.2 3.2 0 0 1 4.5 4.5l-7.5 7.5a1.6 1.6 0 0 1-2.3-2.3l6.9-6.8",
  down: "M12 5v13.5M6 13l6 6 6-6",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20",
  emoji: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM9 9.8v.01M15 9.8v.01M8.5 14a4.3 4.3 0 0 0 7 0",
} as const;

/** An icon of one path. `kind`: class for the few icons with another line width. */
export const draw = (path: string, kind = ""): VNode => (
  <svg viewBox="0 0 24 24" aria-hidden="true" class={`icon ${kind}`}>
    <path d={path} />
  </svg>
);

/** One of the panel's own icons. */
export const Icon = ({ name }: { name: keyof typeof PATHS }): VNode => draw(PATHS[name], `i-${name}`);
