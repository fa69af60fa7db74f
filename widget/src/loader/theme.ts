/**
 * The site's accent as the colour of areas with text on them. WCAG 2.2 defines contrast by luminance, so the right shade can be
 * computed. Scaling linear light keeps the hue, because L, a and b of OKLab shrink by the same factor: a darkened brand colour is
 * still recognizable.
 */

/** Linear light, 0 to 1 per channel. */
type Light = readonly [r: number, g: number, b: number];
export type Tokens = Readonly<Record<string, string>>;

/** Parses `#rgb` or `#rrggbb`. Any other text becomes grey. */
export function parseHex(hex: string): Light {
  const long = hex[6] ? hex : hex.replace(/\w/g, "$&$&");
  const parts = [1, 3, 5].map((at) => {
    const v = +`0x${long.slice(at, at + 2)}` / 255 || 0;
    // The standard's limit is 0.04045. No value of an 8-bit channel is between the two.
    return v < 0.04 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return parts as unknown as Light;
}

/**
 * A fill of the accent, the text on it (4.5:1), and the hairline around it (3:1) where the fill itself has less than 3:1
 * against the surface.
 *
 * Two luminances x > y have the contrast (x + 0.05) / (y + 0.05). White text needs a fill with a luminance of at most 0.183:
 * darker brands stay as they are, and medium ones are darkened. Bright brands stay as they are, with black text (luminance
 * 0.004). A fill needs no hairline if its luminance is at most 0.3 on the white surface, or at least 0.126 on the dark one
 * (0.0085). The limits leave a little room for rounding on screens.
 */
export function accentTokens(hex: string, dark: boolean): Tokens {
  const brand = parseHex(hex);
  const [r, g, b] = brand;
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  // Prefer white text, unless the brand's colour would have to change a lot.
  const isBright = luminance > 0.29;
  const scale = isBright ? 1 : Math.min(1, 0.18 / luminance);
  const text = isBright ? "#111" : "#fff";
  return {
    // CSS accepts linear light, so no conversion back is needed (CSS Color 4, section 10.4).
    accent: `color(srgb-linear ${brand.map((light) => light * scale).join(" ")})`,
    "on-accent": text,
    edge: (dark ? luminance < 0.13 : isBright) ? `${text}7` : "#0000",
  };
}

/** The tokens as custom properties for the widget's root. A page may set each as `--porch-light-<name>`. */
export function declarations(all: Tokens): string {
  return Object.entries(all)
    .map(([name, value]) => `--_${name}:var(--porch-light-${name},${value})!important;`)
    .join("");
}
