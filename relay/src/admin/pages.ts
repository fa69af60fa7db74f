import type { Hono } from "hono";
import { html } from "hono/html";
import { RelayError } from "../base/errors.ts";
import { toMultiLine } from "../base/input-text.ts";
import { isRefusal } from "../db/writable.ts";
import { confirmation } from "./all-failed.ts";
import type { AdminApp, AdminDeps, AdminRequest, AdminRouteDeps } from "./context.ts";
import { conversation, conversations, cursorOf, daysOf } from "./conversations.ts";
import { deliveries, outcomeOf } from "./deliveries.ts";
import { ledgerEntry } from "./entry.ts";
import { pathForId } from "./find.ts";
import { brief, pageFrame, RELAY_PAGES, skipOf } from "./html.ts";
import { journey } from "./journey.ts";
import { ledger, outcomeNote } from "./ledger.ts";
import { audit, blocks, leads, mails, siteList, webhooks } from "./lists.ts";
import { overview } from "./overview.ts";
import { formToken } from "./sessions.ts";
import { settingsList } from "./settings.ts";
import { show } from "./show.ts";
import { alerts, callbacks, doctor, shareExaminations } from "./state.ts";
import { sitesFor } from "./viewer.ts";

const notFound = (c: AdminRequest, what: string) =>
  show(c, "", "Not found", html`<p class="empty">There is no ${what} with this id, or it was erased.</p>`, 404);

/** What to do about a database that does not work. Doctor reads the database, too. */
const DATABASE_CURE = html`<p>Check that the database of <code>DATABASE_URL</code> runs, can be reached, and has room on its disk. The log has the cause under <code>database.failing</code>. This page works again when the database does.</p>`;

/**
 * Shows a failed request as a page; signed-in operators also see its cause. While the database does not work, the relay cannot
 * read sessions, so anybody sees that page. Other failures go on to the error handler of the whole relay. Add it before all routes.
 */
export function showFailures(app: Hono<AdminApp>, { deps }: { deps: Pick<AdminDeps, "log"> }): void {
  app.onError((error, c) => {
    const isDatabase = isRefusal(error);
    const isSignedIn = c.var.viewer !== undefined;
    if (error instanceof RelayError || !(isSignedIn || isDatabase)) throw error;
    deps.log("relay.internal", { where: c.req.routePath, cause: String(error) });
    const title = isDatabase ? "The database does not work" : "An error";
    const what = c.req.method === "GET" ? "This page could not be made" : "Nothing was changed";
    const why = isDatabase ? "the database does not work now" : "of an error in the relay";
    const cause = isSignedIn ? html`: <code>${brief(String(error), 300)}</code>` : ".";
    const body = html`<p class="error" role="alert">${what}, because ${why}${cause}</p>${isDatabase ? DATABASE_CURE : ""}`;
    const status = isDatabase ? 503 : 500;
    if (isSignedIn) return show(c, "", title, body, status);
    return c.html(pageFrame(title, html`<main class="login"><h1>${title}</h1>${body}</main>`), status);
  });
}

/** Answers all other addresses below `/admin`, and redirects from an address that ends with `/`. Add it after all other routes. */
export function addUnknown(app: Hono<AdminApp>): void {
  const body = html`<p class="empty">There is no page at this address. <a href="/admin">Back to the start</a></p>`;
  app.get("/admin/*", (c) => {
    const path = c.req.path.replace(/\/+$/, "");
    return path === c.req.path ? show(c, "", "Not found", body, 404) : c.redirect(path, 303);
  });
}

/** Adds the pages that only show data. */
export function addPages(app: Hono<AdminApp>, routeDeps: AdminRouteDeps): void {
  // A reader of one site sees no page about the whole relay.
  for (const path of RELAY_PAGES)
    app.get(path, async (c, next) => (c.var.viewer.site === null ? next() : c.redirect("/admin/conversations", 303)));
  addRelayPages(app, routeDeps);
  addConversations(app, routeDeps);
  addLists(app, routeDeps);
}

/** Pages about the whole relay. */
function addRelayPages(app: Hono<AdminApp>, { deps }: AdminRouteDeps): void {
  const { db, clock, takesWrites, sites, gauges, currentMinute, settings } = deps;
  app.get("/admin", async (c) => {
    const body = await overview({
      db,
      now: clock.now(),
      takesWrites,
      gauges,
      currentMinute,
      range: c.req.query("range"),
    });
    return show(c, "/admin", "Overview", body);
  });
  app.get("/admin/ledger", async (c) => {
    const { outcome, key, grants, messages } = c.req.query();
    const token = c.var.viewer.role === "admin" ? formToken(c.var.secret) : undefined;
    const skips = { grants: skipOf(grants), messages: skipOf(messages) };
    return show(c, "/admin/ledger", "Ledger", await ledger(deps, token, outcomeNote(outcome, key), skips));
  });
  app.get("/admin/settings", (c) => show(c, "/admin/settings", "Settings in force", settingsList(settings, sites.all)));
  const examine = shareExaminations(deps);
  app.get("/admin/doctor", async (c) =>
    show(c, "/admin/doctor", "Doctor", doctor(await examine(c.var.viewer.role === "admin"))),
  );
  app.get("/admin/alerts", async (c) =>
    show(c, "/admin/alerts", "Alerts", await alerts(db, skipOf(c.req.query("skip")))),
  );
  app.get("/admin/callbacks", async (c) => show(c, "/admin/callbacks", "Callbacks", await callbacks(db)));
  app.get("/admin/audit", async (c) =>
    show(c, "/admin/audit", "Audit log", await audit({ db, skip: skipOf(c.req.query("skip")) })),
  );
}

/** The text that a search looks for, without NUL, which no stored text contains. */
const searched = (given: string): string => toMultiLine(given).trim().slice(0, 200);

/** Conversations and messages. */
function addConversations(app: Hono<AdminApp>, { deps }: AdminRouteDeps): void {
  const { db, clock, sites, gauges } = deps;
  app.get("/admin/conversations", async (c) => {
    const { words = "", site = "", state = "", after = "", from, to } = c.req.query();
    const { viewer } = c.var;
    const asked = {
      words: searched(words),
      site: viewer.site ?? site,
      state,
      after: cursorOf(after),
      ...daysOf(from, to),
    };
    const ids = sitesFor(sites, viewer).all.map(({ public: { id } }) => id);
    return show(c, "/admin/conversations", "Conversations", await conversations({ db, clock, sites: ids }, asked));
  });
  app.get("/admin/conversations/:visitor", async (c) => {
    const given = Number(c.req.query("before") ?? Number.MAX_SAFE_INTEGER);
    const before = Number.isSafeInteger(given) ? given : 0;
    const found = await conversation(deps, c.req.param("visitor"), { viewer: c.var.viewer, before });
    return found === undefined ? notFound(c, "conversation") : show(c, "/admin/conversations", found.title, found.body);
  });
  app.get("/admin/messages/:visitor/:id", async (c) => {
    const { viewer, secret } = c.var;
    const body = await journey(deps, c.req.param(), {
      token: formToken(secret),
      viewer,
      note: outcomeOf(c.req.query(), "message"),
      present: { now: clock.now(), paused: gauges.paused(), pushed: deps.pushed },
    });
    return body === undefined ? notFound(c, "message") : show(c, "/admin/conversations", "Message", body);
  });
  app.get("/admin/ledger/:kind{send|grant}/:account/:key", async (c) => {
    const { viewer } = c.var;
    const { kind, account, key } = c.req.param();
    const body = await ledgerEntry(db, { kind: kind === "send" ? "send" : "grant", account, key }, viewer);
    const at = viewer.site === null ? "/admin/ledger" : "";
    return body === undefined ? notFound(c, "entry") : show(c, at, "Ledger entry", body);
  });
  app.get("/admin/find", async (c) => {
    const id = searched(c.req.query("id") ?? "");
    return c.redirect(await pathForId(deps, id, c.var.viewer), 303);
  });
}

/** Lists of what belongs to sites. */
function addLists(app: Hono<AdminApp>, { deps }: AdminRouteDeps): void {
  const { db, sites } = deps;
  app.get("/admin/deliveries", async (c) => {
    const { viewer, secret } = c.var;
    const { failed, waiting, ...outcome } = c.req.query();
    const body = await deliveries(
      { db, sites: sitesFor(sites, viewer) },
      {
        token: formToken(secret),
        note: outcomeOf(outcome, "list"),
        mayAct: viewer.role === "admin",
        site: viewer.site,
        failed: skipOf(failed),
        waiting: skipOf(waiting),
      },
    );
    return show(c, "/admin/deliveries", "Waiting and failed", body);
  });
  for (const [action, title] of [
    ["retry", "Retry all failed messages"],
    ["discard", "Discard all failed messages"],
  ] as const)
    app.get(`/admin/deliveries/${action}`, async (c) => {
      const { viewer, secret } = c.var;
      const token = viewer.role === "admin" ? formToken(secret) : undefined;
      const body = await confirmation({ db, sites: sitesFor(sites, viewer) }, action, token);
      return show(c, "/admin/deliveries", title, body);
    });
  for (const [path, title, list] of [
    ["/admin/leads", "Leads", leads],
    ["/admin/mails", "Mails", mails],
    ["/admin/webhooks", "Webhooks", webhooks],
    ["/admin/blocks", "Blocks", blocks],
  ] as const)
    app.get(path, async (c) => {
      const skip = skipOf(c.req.query("skip"));
      const shown = { db, sites: sitesFor(sites, c.var.viewer), skip };
      return show(c, path, title, await list(shown, c.req.query("id")));
    });
  app.get("/admin/sites", (c) => {
    const body = siteList({ sites: sitesFor(sites, c.var.viewer) }, deps.address(), deps.preview);
    return show(c, "/admin/sites", "Sites", body);
  });
}
