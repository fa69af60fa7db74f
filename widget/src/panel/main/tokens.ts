/**
 * The colours of the panel except the accent's fill, in OKLCH. The browser derives them from the accent with relative colours
 * of CSS. In browsers without them (before 2024), neutral colours are grey, and links have the colour of text.
 */

import type { Tokens } from "../../loader/theme.ts";

/** @param relative whether the browser supports relative colours */
export function panelTokens(dark: boolean, relative = CSS.supports("color", "oklch(from red l c h)")): Tokens {
  // Greys with a slight tint of the accent.
  const grey = (lightness: number): string =>
    relative ? `oklch(from var(--_accent) ${lightness} min(c,.008) h)` : `oklch(${lightness} 0 0)`;
  const ink = grey(dark ? 0.95 : 0.23);
  // A grey or white accent as text would look disabled, so it becomes as strong as the ink. On white, a bright accent does so
  // too, because yellow would turn into olive.
  const lightness = dark ? "max(l,.74,min(.95,.04/c))" : "min(l,.5,max(.25,min(c*9,.21/l/l/l/l)))";
  return {
    surface: dark ? grey(0.205) : "#fff",
    raised: grey(dark ? 0.25 : 0.965),
    ink,
    "ink-2": grey(dark ? 0.74 : 0.5),
    line: dark ? "#ffffff1f" : "#0000001a",
    // The accent as text: 4.5:1 on both surfaces.
    "accent-ink": relative ? `oklch(from var(--_accent) ${lightness} calc(c*.9) h)` : ink,
    danger: dark ? "oklch(.76 .14 25)" : "oklch(.52 .2 27)",
    // In the dark a shadow hardly shows, so a thin ring marks the edge.
    shadow: dark
      ? "0 0 0 1px #ffffff17,0 1px 4px #0008,0 12px 40px #000a"
      : "0 1px 4px #0000001f,0 12px 40px #00000029",
  };
}
