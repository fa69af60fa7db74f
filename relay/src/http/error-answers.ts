/** Answers to requests that no route answers, or whose route fails. */

import type { Context, Env, Hono } from "hono";
import { ERRORS, RelayError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { acceptsPage, missingPage } from "./notice-page.ts";

/** Whether a browser asks for a page. */
const asksForPage = (c: Context): boolean => ["GET", "HEAD"].includes(c.req.method) && acceptsPage(c);

/** Adds the answers to unknown paths and failures: JSON, but a page where a browser asks for a page that does not exist. */
export function withErrors<E extends Env>(app: Hono<E>, log: Log): Hono<E> {
  app.notFound((c) => (asksForPage(c) ? missingPage(c, "noChat") : c.json({ error: ERRORS.not_found[1] }, 404)));
  app.onError((error, c) => {
    if (error instanceof RelayError) {
      if (error.status === 404 && asksForPage(c)) return missingPage(c, "noChat");
      return c.json({ error: error.message }, error.status as 400);
    }
    log("relay.internal", { where: c.req.routePath, cause: String(error) });
    return c.json({ error: ERRORS.internal[1] }, 500);
  });
  return app;
}
