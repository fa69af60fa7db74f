import type { Context } from "hono";
import { html, raw } from "hono/html";

/**
 * Sets the headers that every page needs: its Content-Security-Policy, no referrer, no type guessing, and its caching.
 * @param cache `no-cache` for a public page, which browsers may keep and check again
 */
export function setPageHeaders(c: Context, policy: string, cache: "no-store" | "no-cache"): void {
  c.header("Content-Security-Policy", policy);
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", cache);
}

/** A speech bubble, as on the launcher: an SVG element. */
export const BUBBLE_ICON = raw(
  '<svg viewBox="2 2 20 20" aria-hidden="true"><path d="M6 3.5h12a3 3 0 0 1 3 3v7.5a3 3 0 0 1-3 3h-6.3l-4.6 3.8a.7.7 0 0 1-1.1-.5V17a3 3 0 0 1-3-3V6.5a3 3 0 0 1 3-3Z"/></svg>',
);

/**
 * The elements with which the `<head>` of every page begins. Search engines do not list the pages.
 * @param viewport more properties of the viewport
 */
export const headOf = (title: string, viewport = "") => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1${viewport}">
<meta name="robots" content="noindex">
<title>${title}</title>`;
