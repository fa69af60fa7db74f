import { describe, expect, it } from "vitest";
import { panelTokens } from "../panel/main/tokens.ts";
import { accentTokens, declarations, parseHex } from "./theme.ts";

type Rgb = [number, number, number];
type Lch = [number, number, number];

const inGamut = (v: number): number => Math.min(1, Math.max(0, v));

/** Parses the colours that the widget writes. Written from the specifications, without the tested code. */
function linear(css: string, accent: Rgb = [0, 0, 0]): Rgb {
  const hex = /^#([\da-f]{3,8})$/i.exec(css)?.[1];
  if (hex) {
    const long = hex.length === 3 ? hex.replace(/./g, "$&$&") : hex;
    return [0, 2, 4].map((at) => {
      const v = Number.parseInt(long.slice(at, at + 2), 16) / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    }) as Rgb;
  }
  const light = /^color\(srgb-linear (.+) (.+) (.+)\)$/.exec(css);
  if (light) return light.slice(1).map(Number) as Rgb;
  const [l, c, h] = toLch(accent);
  const [, relative, body = ""] = /^oklch\((from \S+ )?(.*)\)$/.exec(css) ?? [];
  const parts = body.split(" ").map((part) => {
    const known: Record<string, number> = { l, c, h };
    return calculate(part.replace(/\b[lch]\b/g, (name) => `${known[name]}`));
  });
  const [lightness = 0, chroma = 0, hue = 0] = parts;
  return fromLch([lightness, chroma, relative ? hue : (hue * Math.PI) / 180]);
}

/** Calculates `min(…)`, `max(…)`, `calc(…)`, products, quotients and numbers, the only expressions in the colours. */
function calculate(text: string): number {
  const [call, name, list = ""] = /(min|max|calc)\(([^()]*)\)/.exec(text) ?? [];
  if (call) {
    const values = list.split(",").map(calculate);
    return calculate(text.replace(call, `${name === "max" ? Math.max(...values) : Math.min(...values)}`));
  }
  const quotient = (factor: string): number =>
    factor
      .split("/")
      .map(Number)
      .reduce((dividend, divisor) => dividend / divisor);
  return text.split("*").reduce((product, factor) => product * quotient(factor), 1);
}

/** https://bottosson.github.io/posts/oklab/ */
function toLch([r, g, b]: Rgb): Lch {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const x = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(x, y), Math.atan2(y, x)];
}
function fromLch([lightness, chroma, hue]: Lch): Rgb {
  const x = chroma * Math.cos(hue);
  const y = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * x + 0.2158037573 * y) ** 3;
  const m = (lightness - 0.1055613458 * x - 0.0638541728 * y) ** 3;
  const s = (lightness - 0.0894841775 * x - 1.291485548 * y) ** 3;
  // Out of gamut, browsers clip.
  return [
    inGamut(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    inGamut(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    inGamut(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}
const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a: Rgb, b: Rgb): number => {
  const [x, y] = [luminance(a) + 0.05, luminance(b) + 0.05];
  return Math.max(x, y) / Math.min(x, y);
};

/** A colour with an alpha channel (`#rrggbbaa`, `#rgba`) on a surface: sRGB values are mixed, as browsers do. */
function over(css: string, surface: Rgb): Rgb {
  const long = css.length === 5 ? css.replace(/[\da-f]/gi, "$&$&") : css;
  const alpha = Number.parseInt(long.slice(7), 16) / 255;
  const encoded = (v: number): number => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);
  const decoded = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return linear(long.slice(0, 7)).map((v, at) =>
    decoded(encoded(v) * alpha + encoded(surface[at] ?? 0) * (1 - alpha)),
  ) as Rgb;
}

/** Random accents from a seed, so that a failure can be repeated. */
function accents(count: number): string[] {
  let seed = 20_261_121;
  const next = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed >> 7;
  };
  return Array.from({ length: count }, () => `#${(next() & 0xffffff).toString(16).padStart(6, "0")}`);
}
const edges = [
  "#000000",
  "#ffffff",
  "#ffff00",
  "#0000ff",
  "#00ff00",
  "#ff0000",
  "#808080",
  "#767676",
  "#4f46e5",
  "#f97316",
  "#abc",
];

describe.each([
  ["light", false],
  ["dark", true],
] as const)("in the %s theme", (_name, dark) => {
  const all = (hex: string, relative: boolean) => {
    const filled = accentTokens(hex, dark);
    const accent = linear(filled.accent ?? "");
    const panel = panelTokens(dark, relative);
    const colour = (name: string): Rgb => linear(panel[name] ?? filled[name] ?? "", accent);
    return colour;
  };

  it.each([true, false])("every accent has enough contrast (relative colours: %s)", (relative) => {
    for (const hex of [...edges, ...accents(200)]) {
      const colour = all(hex, relative);
      const pairs: [string, string, number][] = [
        ["on-accent", "accent", 4.5],
        ["ink", "surface", 7],
        ["ink", "raised", 7],
        ["ink-2", "surface", 4.5],
        ["ink-2", "raised", 4.5],
        ["accent-ink", "surface", 4.5],
        ["accent-ink", "raised", 4.5],
        ["danger", "surface", 4.5],
        ["danger", "raised", 4.5],
      ];
      for (const [text, ground, least] of pairs) {
        expect(contrast(colour(text), colour(ground)), `${hex}: ${text} on ${ground}`).toBeGreaterThanOrEqual(least);
      }
      const edge = over(accentTokens(hex, dark).edge ?? "", colour("surface"));
      const shape = Math.max(contrast(colour("accent"), colour("surface")), contrast(edge, colour("surface")));
      expect(shape, `${hex}: its shape on the surface`).toBeGreaterThanOrEqual(3);
    }
  });

  it("makes text in a grey, white or black accent as strong as the ink", () => {
    for (const hex of ["#ffffff", "#cccccc", "#808080", "#000000"]) {
      const [text, ink] = [all(hex, true)("accent-ink"), all(hex, true)("ink")];
      expect(contrast(text, ink), hex).toBeLessThan(1.3);
    }
  });

  it("keeps the hue of the brand colour when its lightness changes", () => {
    for (const hex of ["#f97316", "#16a34a", "#3b82f6", "#d946ef", "#ffd400"]) {
      const before = toLch(parseHex(hex) as Rgb);
      const after = toLch(linear(accentTokens(hex, dark).accent ?? ""));
      const turn = Math.abs(before[2] - after[2]);
      expect(Math.min(turn, 2 * Math.PI - turn), hex).toBeLessThan(0.12);
    }
  });
});

describe("an accent", () => {
  it("with enough contrast is not changed", () => {
    const [r = 0, g = 0, b = 0] = parseHex("#4f46e5");
    expect(linear(accentTokens("#4f46e5", false).accent ?? "")).toEqual([r, g, b]);
  });
  it.each(["#ffe600", "#ffffff"])("as bright as %s keeps its colour, with dark text and a hairline on white", (hex) => {
    expect(linear(accentTokens(hex, false).accent ?? "")).toEqual(parseHex(hex));
    expect(accentTokens(hex, false)).toMatchObject({ "on-accent": "#111", edge: "#1117" });
    expect(accentTokens(hex, true).edge).toBe("#0000");
  });
  it.each(["#ffe600", "#ffff00", "#a3e635"])("as bright as %s turns dark as text on white, not olive", (hex) => {
    const text = linear(panelTokens(false, true)["accent-ink"] ?? "", linear(accentTokens(hex, false).accent ?? ""));
    expect(contrast(text, [1, 1, 1])).toBeGreaterThan(7.5);
  });
  it("may have three digits", () => expect(parseHex("#abc")).toEqual(parseHex("#aabbcc")));
  it("that is not a colour gives finite values", () => expect(parseHex("tomato").every(Number.isFinite)).toBe(true));
});

it("lets the page override every colour by a custom property", () => {
  expect(declarations({ ink: "#111" })).toBe("--_ink:var(--porch-light-ink,#111)!important;");
});
