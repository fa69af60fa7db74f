import type { Context } from "hono";
import { html } from "hono/html";

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

/**
 * The elements with which the `<head>` of every page begins. Search engines do not list the pages.
 * @param viewport more properties of the viewport
 */
export const headOf = (title: string, viewport = "") => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1${viewport}">
<meta name="robots" content="noindex">
<title>${title}</title>`;
