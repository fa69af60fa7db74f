/**
 * The accent as a fill, found by luminance: WCAG 2.2 defines contrast by it, so the right shade is found
 * without a search. Scaling linear light moves a colour along its own line of hue in OKLCH (all of L, a and b shrink by
 * the same factor), so a darkened brand is still that brand; lightening mixes with white light.
 */

/** Linear light, 0..1 a channel. */
type Light = readonly [r: number, g: number, b: number];
export type Tokens = Readonly<Record<string, string>>;

/** `#rgb` or `#rrggbb`; what is neither becomes grey. */
export function parseHex(hex: string): Light {
  const parts = [1, 2, 3].map((at) => {
    const v = +`0x${hex[6] ? hex[2 * at - 1] + (hex[2 * at] as string) : (hex[at] as string) + hex[at]}` / 255 || 0;
    // The standard's limit is 0.04045, with no channel of 8 bits between.
    return v < 0.04 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return parts as unknown as Light;
}

/**
 * A fill of the accent and the text on it: 4.5:1 for the text, 3:1 for the shape against the surface.
 *
 * A pair of luminances (x, y) with x lighter has the contrast (x + 0.05) / (y + 0.05). Under white text a fill has at most
 * 0.183, under black text (0.004) at least 0.193; on the white surface it has at most 0.3, on the dark one (0.0085) at
 * least 0.126. The ranges leave a little room for rounding on screens.
 */
export function fill(hex: string, dark: boolean): Tokens {
  const brand = parseHex(hex);
  const [r, g, b] = brand;
  const own = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  // White on a colour looks more at home than black, unless it would bend the brand's colour far.
  const white = own < 0.295;
  // Of what stands under black text nothing is dark enough to be lightened.
  const wanted = Math.min(Math.max(own, dark ? 0.131 : 0), white ? 0.181 : dark ? 1 : 0.296);
  const light = brand.map((v) => (wanted > own ? 1 - ((1 - v) * (1 - wanted)) / (1 - own) : (v * wanted) / (own || 1)));
  // CSS knows linear light, so nothing is converted back (CSS Color 4, section 10.4).
  return { accent: `color(srgb-linear ${light.join(" ")})`, "on-accent": white ? "#fff" : "#0d0d0d" };
}

/** The tokens as custom properties for the widget's root. A page may set each as `--porch-light-<name>`. */
export function declare(all: Tokens): string {
  return Object.entries(all)
    .map(([name, value]) => `--_${name}:var(--porch-light-${name},${value})!important;`)
    .join("");
}
