import { Hono } from "hono";
import { oneReadPerTick } from "../db/one-read-per-tick.ts";
import { createAccess } from "./access.ts";
import { addActions } from "./actions.ts";
import type { AdminApp, AdminDeps, FormReaders } from "./context.ts";
import { addLogin } from "./login.ts";
import { metricsRoute } from "./metrics.ts";
import { addPages, addUnknown, showFailures } from "./pages.ts";
import { LIVE_SCRIPT, PAGE_SCRIPT } from "./scripts.ts";
import { STYLE } from "./style.ts";

export type { AdminDeps, FormReaders } from "./context.ts";

/** The Content-Security-Policy of the pages. @param pictures origin of visitors' pictures */
const policyWith = (pictures: string): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `img-src ${pictures}`,
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The operator's pages below `/admin`, and `/metrics`. */
export function createAdmin(deps: AdminDeps, readers: FormReaders): Hono<AdminApp> {
  const access = createAccess(deps);
  const parts = { ...readers, deps, access };
  const app = new Hono<AdminApp>();
  showFailures(app, parts);
  app.route("/", metricsRoute(deps.metrics, access) as unknown as Hono<AdminApp>);
  app.get("/admin/style.css", (c) =>
    c.body(STYLE, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "no-cache" }),
  );
  for (const [path, script] of [
    ["/admin/live.js", LIVE_SCRIPT],
    ["/admin/page.js", PAGE_SCRIPT],
  ] as const)
    app.get(path, (c) =>
      c.body(script, 200, { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache" }),
    );
  app.use("/admin/*", async (c, next) => {
    await next();
    c.header("Content-Security-Policy", policyWith(deps.preview ? "'self'" : deps.address()));
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "same-origin");
    if (c.res.headers.get("Cache-Control") === null) c.header("Cache-Control", "no-store");
  });
  addLogin(app, parts);
  addPages(app, { ...parts, deps: { ...deps, db: oneReadPerTick(deps.db) } });
  addActions(app, parts);
  addUnknown(app);
  return app;
}
