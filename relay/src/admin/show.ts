import { html } from "hono/html";
import type { AdminRequest } from "./context.ts";
import { type Html, page } from "./html.ts";
import { formToken } from "./sessions.ts";

/** Sends a page with the navigation. @param at its path in the navigation */
export const show = (
  c: AdminRequest,
  at: string,
  title: string,
  body: Html,
  status: 200 | 403 | 404 | 500 | 503 = 200,
) => c.html(page({ at, title, token: formToken(c.var.secret), viewer: c.var.viewer }, body), status);

const READER = html`This session may only read. To make changes, sign out and sign in with the admin token.`;
const OTHER_SESSION = html`The form belongs to an earlier session, or another website sent it. Open the page again and repeat what you did.`;

/** Refuses a form that may not change anything, and says why. @param why `reader`: the session may only read */
export const refuseForm = (c: AdminRequest, why: "reader" | "other session") =>
  show(
    c,
    "",
    "Nothing was changed",
    html`<p class="error" role="alert">${why === "reader" ? READER : OTHER_SESSION}</p>`,
    403,
  );
