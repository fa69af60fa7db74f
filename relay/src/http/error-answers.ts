/** Answers to requests that no route answers, or whose route fails. */

import type { Context, Env, Hono } from "hono";
import { html, raw } from "hono/html";
import { ERRORS, RelayError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { accentRule, FIT, NOTICE_STYLE, notice, noticeWords } from "./notice-page.ts";
import { headOf, setPageHeaders } from "./page-frame.ts";

/** Whether a browser asks for a page, and not a program, a script tag or `fetch` for data. */
const asksForPage = ({ req }: Context): boolean =>
  ["GET", "HEAD"].includes(req.method) && (req.header("accept") ?? "").includes("text/html");

/** A page that says in the visitor's language that there is no chat at this address, and what to do. */
function noChatPage(c: Context): Response | Promise<Response> {
  const nonce = crypto.randomUUID();
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  setPageHeaders(c, policy, "no-store");
  c.header("Vary", "Accept, Accept-Language");
  const words = noticeWords("auto", c.req.header("accept-language"));
  return c.html(
    html`<!doctype html>
<html lang="${words.lang}" dir="${words.dir}">
<head>
${headOf(words.noChat, FIT)}
<style nonce="${nonce}">${raw(NOTICE_STYLE + accentRule(""))}</style>
</head>
<body>${notice(words.noChat, words.noChatHelp, words)}</body>
</html>`,
    404,
  );
}

/** Adds the answers to unknown paths and failures: JSON, but a page where a browser asks for a page that does not exist. */
export function withErrors<E extends Env>(app: Hono<E>, log: Log): Hono<E> {
  app.notFound((c) => (asksForPage(c) ? noChatPage(c) : c.json({ error: ERRORS.not_found[1] }, 404)));
  app.onError((error, c) => {
    if (error instanceof RelayError) {
      if (error.status === 404 && asksForPage(c)) return noChatPage(c);
      return c.json({ error: error.message }, error.status as 400);
    }
    log("relay.internal", { where: c.req.routePath, cause: String(error) });
    return c.json({ error: ERRORS.internal[1] }, 500);
  });
  return app;
}
