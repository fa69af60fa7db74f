import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import type { Clock } from "../base/clock.ts";
import type { Gauges, Metrics } from "../base/metrics.ts";
import type { Database } from "../db/database.ts";
import type { Send } from "../flows/send/send.ts";
import { addAudit } from "../records/operators.ts";
import { journeyOf } from "../records/search.ts";
import type { Sites } from "../records/sites.ts";
import { type AdminAccess, createAccess } from "./access.ts";
import { conversation, conversationPath, conversations, messagePath, placeOf, search } from "./conversations.ts";
import { deliveries, failedItems, retryAll } from "./deliveries.ts";
import { bare, type Html, page } from "./html.ts";
import { journey } from "./journey.ts";
import { audit, blocks, leads, mails, settingsList, siteList, webhooks } from "./lists.ts";
import { metricsDoor } from "./metrics.ts";
import { overview } from "./overview.ts";
import { COOKIE, createAdminSessions, formToken, isFormToken } from "./sessions.ts";
import { LIVE, STYLE } from "./style.ts";

export type AdminDeps = {
  db: Database;
  clock: Clock;
  sites: Sites;
  send: Pick<Send, "retry">;
  metrics: Metrics;
  gauges: Gauges;
  /** ADMIN_TOKEN */
  token: string;
  addressOf: AdminAccess["addressOf"];
  /** The relay's public origin; nothing while it does not know it. */
  publicOrigin: string | undefined;
  /** An address of the relay for people to read. */
  address: () => string;
  env: Readonly<Record<string, string | undefined>>;
};

/** Reads a form's body. @throws RelayError when it is too large */
type ReadForm = (incoming: IncomingMessage) => Promise<string>;

type App = { Bindings: HttpBindings; Variables: { secret: string } };
type C = Context<App>;

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Requests of other pages bring the origin of those; browsers send it with every form. */
function isOwnOrigin(c: C, publicOrigin: string | undefined): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  if (origin === undefined) return site === "same-origin";
  return origin === publicOrigin || (URL.canParse(origin) && new URL(origin).host === c.req.header("host"));
}

const loginPage = (wrong: boolean): Html =>
  bare(
    "Sign in",
    html`<main class="login"><h1>Porchlight</h1><form method="post" action="/admin/login">
<label>Admin token<input name="token" type="password" autocomplete="current-password" required autofocus${wrong ? html` aria-describedby="wrong"` : ""}></label>
${wrong ? html`<p class="error" id="wrong" role="alert">This did not work. After several tries, wait a minute.</p>` : ""}
<button class="main">Sign in</button></form>
<p>The token is ADMIN_TOKEN, or <code>admin</code> in <code>secrets.json</code> of the data folder.</p></main>`,
  );

/** The operator's pages below `/admin`, and `/metrics`. */
export function createAdmin(deps: AdminDeps, readForm: ReadForm): Hono<App> {
  const access = createAccess(deps);
  const app = new Hono<App>();
  app.route("/", metricsDoor(deps.metrics, access) as unknown as Hono<App>);
  app.get("/admin/style.css", (c) =>
    c.body(STYLE, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "no-cache" }),
  );
  app.get("/admin/live.js", (c) =>
    c.body(LIVE, 200, { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache" }),
  );
  app.use("/admin/*", async (c, next) => {
    await next();
    c.header("Content-Security-Policy", POLICY);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "same-origin");
    if (c.res.headers.get("Cache-Control") === null) c.header("Cache-Control", "no-store");
  });
  addLogin(app, deps, access, readForm);
  addPages(app, deps);
  addActions(app, deps, access, readForm);
  return app;
}

/** Signing in, and the check that everything behind it passes. */
function addLogin(app: Hono<App>, deps: AdminDeps, access: AdminAccess, readForm: ReadForm): void {
  const { db, clock, publicOrigin } = deps;
  const sessions = createAdminSessions({ db, clock });
  const cookie = {
    path: "/admin",
    httpOnly: true,
    sameSite: "Strict",
    secure: publicOrigin?.startsWith("https:") === true,
  } as const;
  app.get("/admin/login", (c) => c.html(loginPage(false)));
  app.post("/admin/login", async (c) => {
    const form = new URLSearchParams(await readForm(c.env.incoming));
    const address = access.addressOf(c.env.incoming);
    if (!isOwnOrigin(c, publicOrigin) || !access.opens(address, form.get("token") ?? ""))
      return c.html(loginPage(true), 401);
    setCookie(c, COOKIE, await sessions.open(address), cookie);
    await noted(deps, address, "sign in", "");
    return c.redirect("/admin", 303);
  });
  app.use("/admin/*", async (c, next) => {
    const secret = getCookie(c, COOKIE) ?? "";
    if (!(await sessions.isOpen(secret))) return c.redirect("/admin/login", 303);
    c.set("secret", secret);
    return next();
  });
  for (const [path, end] of [
    ["/admin/logout", (secret: string) => sessions.end(secret)],
    ["/admin/logout-everywhere", () => sessions.endAll()],
  ] as const)
    app.post(path, async (c) => {
      if ((await ownForm(c, deps, readForm)) === undefined) return c.text("Forbidden\n", 403);
      await end(c.var.secret);
      await noted(
        deps,
        access.addressOf(c.env.incoming),
        path.endsWith("everywhere") ? "sign out everywhere" : "sign out",
        "",
      );
      setCookie(c, COOKIE, "", { ...cookie, maxAge: 0 });
      return c.redirect("/admin/login", 303);
    });
}

/** A form of one of this session's pages; nothing when it is not one. */
async function ownForm(c: C, { publicOrigin }: AdminDeps, readForm: ReadForm): Promise<URLSearchParams | undefined> {
  const form = new URLSearchParams(await readForm(c.env.incoming));
  return isOwnOrigin(c, publicOrigin) && isFormToken(c.var.secret, form.get("token") ?? "") ? form : undefined;
}

/** Writes down what an operator did. */
async function noted({ db, clock }: AdminDeps, address: string, action: string, subject: string): Promise<void> {
  await db.transaction(
    (tx) => addAudit(tx, { at: clock.now(), actor: `admin at ${address}`, action, subject }),
    ["audit"],
  );
}

function addPages(app: Hono<App>, deps: AdminDeps): void {
  const { db, clock, sites } = deps;
  const show = (c: C, at: string, title: string, body: Html, status: 200 | 404 = 200) =>
    c.html(page({ at, title, token: formToken(c.var.secret) }, body), status);
  const nothing = (c: C, what: string) =>
    show(c, "", "Not found", html`<p class="empty">There is no ${what} of this id, or it was erased.</p>`, 404);

  app.get("/admin", async (c) => {
    const body = await overview({ db, now: clock.now(), gauges: deps.gauges, range: c.req.query("range") });
    return show(c, "/admin", "Overview", body);
  });
  app.get("/admin/conversations", async (c) => {
    const { words = "", site = "", state = "", after = "" } = c.req.query();
    const asked = { words: words.trim().slice(0, 200), site, state, after: placeOf(after) };
    const ids = sites.all.map(({ public: { id } }) => id);
    return show(c, "/admin/conversations", "Conversations", await conversations({ db, clock, sites: ids }, asked));
  });
  app.get("/admin/conversations/:visitor", async (c) => {
    const before = Number(c.req.query("before") ?? Number.MAX_SAFE_INTEGER);
    const found = await conversation(db, c.req.param("visitor"), Number.isSafeInteger(before) ? before : 0);
    return found === undefined ? nothing(c, "conversation") : show(c, "/admin/conversations", found.title, found.body);
  });
  app.get("/admin/messages/:visitor/:id", async (c) => {
    const body = await journey(db, c.req.param("visitor"), c.req.param("id"), formToken(c.var.secret));
    return body === undefined ? nothing(c, "message") : show(c, "", "Message", body);
  });
  app.get("/admin/find", async (c) => {
    const id = (c.req.query("id") ?? "").trim().slice(0, 200);
    if (id === "") return c.redirect("/admin/conversations", 303);
    const { rows } = await search(db, clock, { words: id, site: "", state: "", after: undefined });
    const [only, ...others] = rows;
    if (only === undefined || others.length > 0)
      return c.redirect(`/admin/conversations?${new URLSearchParams({ words: id }).toString()}`, 303);
    const message = await journeyOf(db, only.id, id);
    return c.redirect(message === undefined ? conversationPath(only.id) : messagePath(only.id, message.id), 303);
  });
  app.get("/admin/deliveries", async (c) => {
    const { retried } = c.req.query();
    const note = retried === undefined ? "" : `${Number(retried)} started again.`;
    const body = await deliveries({ db, sites }, { token: formToken(c.var.secret), note });
    return show(c, "/admin/deliveries", "Waiting and failed", body);
  });
  for (const [path, title, list] of [
    ["/admin/leads", "Leads", leads],
    ["/admin/mails", "Mails", mails],
    ["/admin/webhooks", "Webhooks", webhooks],
    ["/admin/blocks", "Blocks", blocks],
    ["/admin/audit", "Audit log", audit],
  ] as const)
    app.get(path, async (c) => show(c, path, title, await list({ db, sites })));
  app.get("/admin/sites", (c) => show(c, "/admin/sites", "Sites", siteList({ db, sites }, deps.address())));
  app.get("/admin/settings", (c) => show(c, "/admin/settings", "Settings in force", settingsList(deps.env)));
}

function addActions(app: Hono<App>, deps: AdminDeps, access: AdminAccess, readForm: ReadForm): void {
  app.post("/admin/deliveries/retry", async (c) => {
    const form = await ownForm(c, deps, readForm);
    if (form === undefined) return c.text("Forbidden\n", 403);
    const items = form.has("all") ? await failedItems(deps) : form.getAll("item");
    const count = await retryAll(deps, items, `admin at ${access.addressOf(c.env.incoming)}`);
    return c.redirect(`/admin/deliveries?retried=${count}`, 303);
  });
}
