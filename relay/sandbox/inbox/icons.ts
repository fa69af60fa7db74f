/** Icons on a grid of 24 with a stroke of 1.75, in the colour of the text. */

import { html } from "hono/html";
import type { Markup } from "./people.ts";

const stroked = (paths: Markup): Markup =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`;

export const ICONS = {
  send: stroked(html`<path d="M12 19V5"></path><path d="m5.5 11.5 6.5-6.5 6.5 6.5"></path>`),
  back: stroked(html`<path d="m14.5 5-7 7 7 7"></path>`),
  check: stroked(html`<path d="m5 12.5 4.5 4.5L19 7.5"></path>`),
  alert: stroked(
    html`<circle cx="12" cy="12" r="8.5"></circle><path d="M12 7.8v5"></path><path d="M12 16.2v.01"></path>`,
  ),
  file: stroked(html`<path d="M7 3.5h6.5L18 8v12.5H7z"></path><path d="M13.5 3.5V8H18"></path>`),
  chat: stroked(
    html`<path d="M4 11.5C4 7.4 7.6 4.5 12 4.5s8 2.9 8 7-3.6 7-8 7c-1 0-2-.15-2.9-.43L5 19.5l1-3.3C4.7 14.9 4 13.3 4 11.5z"></path>`,
  ),
} as const;
