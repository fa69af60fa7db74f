import type { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import {
  type AdminApp,
  type AdminDeps,
  type AdminRequest,
  type AdminRouteDeps,
  actorOf,
  isOwnOrigin,
  ownForm,
  recordAction,
} from "./context.ts";
import { type Html, pageFrame } from "./html.ts";
import { COOKIE, createAdminSessions } from "./sessions.ts";
import { refuseForm } from "./show.ts";

/** The admin page that an address names, without its host; undefined for the plain overview and for any other address. */
function adminPage(address: string): string | undefined {
  if (!URL.canParse(address, "http://relay")) return undefined;
  const { pathname, search } = new URL(address, "http://relay");
  return /^\/admin(\?|\/(?!login|logout))/.test(`${pathname}${search}`) ? `${pathname}${search}` : undefined;
}

/** Notice of the login page after a session has ended, by the kind of the refused request. */
const ENDED: Record<string, string> = {
  page: "Your session has ended.",
  form: "Your session has ended. Nothing was changed: after signing in, do it again.",
};

/** The address of the login. After it, the browser returns to the page that was requested, or that sent a form. */
function loginFor(c: AdminRequest): string {
  const kind = c.req.method === "GET" ? "page" : "form";
  const next = adminPage(kind === "page" ? c.req.url : (c.req.header("referer") ?? ""));
  const had = getCookie(c, COOKIE) !== undefined;
  const query = new URLSearchParams({ ...(next && { next }), ...(had && { ended: kind }) }).toString();
  return `/admin/login${query && `?${query}`}`;
}

/** `next`: the page after the login. `ended`: see `ENDED`. */
type LoginPage = { wrong: boolean; next: string | undefined; ended?: string };

const loginPage = ({ wrong, next, ended = "" }: LoginPage): Html =>
  pageFrame(
    "Sign in",
    html`<main class="login"><h1>Porchlight</h1>${!Object.hasOwn(ENDED, ended) ? "" : html`<p role="status">${ENDED[ended]}</p>`}<form method="post" action="/admin/login">
${next === undefined ? "" : html`<input type="hidden" name="next" value="${next}">`}
<label>Admin token<input name="token" type="password" autocomplete="current-password" required autofocus${wrong ? html` aria-describedby="wrong"` : ""}></label>
${wrong ? html`<p class="error" id="wrong" role="alert">This did not work. After several tries, wait a minute.</p>` : ""}
<button class="main">Sign in</button></form>
<p class="note">The token is ADMIN_TOKEN, or <code>admin</code> in <code>secrets.json</code> of the data folder. To read only: ADMIN_READ_TOKEN,
or a token of one site with the scope <code>admin:read</code>.</p></main>`,
  );

/**
 * Whether the cookie gets the attribute `Secure`. Pages on ADMIN_LISTEN are often used over plain http, through a tunnel or a
 * VPN, and there a browser refuses such a cookie. So the scheme of the form's origin decides.
 */
function isSecure(c: AdminRequest, { preview, publicOrigin }: AdminDeps): boolean {
  const origin = preview ? publicOrigin : c.req.header("origin");
  return origin?.startsWith("https:") === true;
}

/** Adds the pages to sign in and out, and the session check for all other pages. */
export function addLogin(app: Hono<AdminApp>, routeDeps: AdminRouteDeps): void {
  const { deps, access, readLogin } = routeDeps;
  const { db, clock, log, publicOrigin } = deps;
  const sessions = createAdminSessions({ db, clock, log, access });
  const cookieOf = (c: AdminRequest) =>
    ({ path: "/admin", httpOnly: true, sameSite: "Strict", secure: isSecure(c, deps) }) as const;
  app.get("/admin/login", (c) => {
    const { next = "", ended = "" } = c.req.query();
    return c.html(loginPage({ wrong: false, next: adminPage(next), ended }));
  });
  app.post("/admin/login", async (c) => {
    const { incoming } = c.env;
    const form = new URLSearchParams(await readLogin(incoming));
    const address = access.networkOf(incoming);
    const token = form.get("token") ?? "";
    const next = adminPage(form.get("next") ?? "");
    const isOwn = isOwnOrigin(c, publicOrigin);
    const credential = isOwn ? await access.credentialOf(address, token, incoming.headers.host) : undefined;
    const may = credential !== undefined && access.maySignIn(address, credential);
    const secret = may ? await sessions.open(address, credential) : undefined;
    if (credential === undefined || secret === undefined) return c.html(loginPage({ wrong: true, next }), 401);
    setCookie(c, COOKIE, secret, cookieOf(c));
    return c.redirect(next ?? "/admin", 303);
  });
  app.use("/admin/*", async (c, next) => {
    const secret = getCookie(c, COOKIE) ?? "";
    const viewer = await sessions.viewerOf(secret);
    if (viewer === undefined) return c.redirect(loginFor(c), 303);
    c.set("secret", secret);
    c.set("viewer", viewer);
    return next();
  });
  const signOut = (path: string, action: string, end: (secret: string) => Promise<void>): void =>
    void app.post(path, async (c) => {
      if ((await ownForm(c, routeDeps)) === undefined) return refuseForm(c, "other session");
      await end(c.var.secret);
      await recordAction(routeDeps, actorOf(c, routeDeps), action, "");
      setCookie(c, COOKIE, "", { ...cookieOf(c), maxAge: 0 });
      return c.redirect("/admin/login", 303);
    });
  signOut("/admin/logout", "sign out", sessions.end);
  // Only an admin may end the sessions of others.
  app.post("/admin/logout-everywhere", async (c, next) =>
    c.var.viewer.role === "admin" ? next() : refuseForm(c, "reader"),
  );
  signOut("/admin/logout-everywhere", "sign out everywhere", sessions.endAll);
}
