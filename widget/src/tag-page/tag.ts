/** The tag for the owner to paste, with the settings that differ from the site's. */

/** Settings by name, as in JSON. */
export type ChosenSettings = Readonly<Record<string, unknown>>;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
const quoted = (text: string): string => `"${text.replace(/[&"<>]/g, (sign) => ESCAPES[sign] ?? "")}"`;

/** `offsetX` → `data-offset-x` (HTML, 3.2.6.6). */
const attributeOf = (name: string): string => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** A value as text of an attribute: lists are separated by `|`, objects are JSON. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join("|") : typeof value === "object" ? JSON.stringify(value) : `${value}`;

/** Path and integrity of the script with fixed bytes, from `/v/<site>.json`. */
export type FixedScript = { path: string; integrity: string };

/**
 * The tag's markup. Several settings are on separate lines.
 * @param relay origin of the relay
 * @param fixed for a page that lets the browser compare the script's bytes (Subresource Integrity)
 */
export function tagOf(relay: string, site: string, chosen: ChosenSettings, fixed?: FixedScript): string {
  const path = site === "default" ? "/widget.js" : `/w/${encodeURIComponent(site)}.js`;
  const src = relay + (fixed?.path ?? path);
  const lines = Object.entries(chosen).map(([name, value]) => `${attributeOf(name)}=${quoted(textOf(value))}`);
  const proof = fixed ? ` integrity="${fixed.integrity}" crossorigin="anonymous"` : "";
  const start = `<script async src=${quoted(src)}${proof} data-site=${quoted(site)}`;
  return lines.length < 2
    ? `${[start, ...lines].join(" ")}></script>`
    : `${[start, ...lines].join("\n  ")}\n></script>`;
}

/** The same as a module, for pages with a build step. */
export const moduleOf = (relay: string, site: string, chosen: ChosenSettings): string =>
  `import { mount } from "@porchlight/widget";\n\nconst chat = await mount(${JSON.stringify({ relay, site, ...chosen }, null, 2)});`;

/** The same in the relay's configuration file, for all pages of the site. */
export const fileOf = (site: string, chosen: ChosenSettings): string =>
  JSON.stringify({ sites: { [site]: chosen } }, null, 2);
