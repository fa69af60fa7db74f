import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { createAdmin } from "./admin/index.ts";
import type { Clock } from "./base/clock.ts";
import type { ConnectionSlots } from "./base/connection-slots.ts";
import type { Log } from "./base/log.ts";
import type { Mail } from "./flows/mail/mail.ts";
import type { serverApi } from "./http/api/index.ts";
import { assets } from "./http/assets.ts";
import { type BodyBudget, createBodyBudget } from "./http/body-budget.ts";
import { type CallbackAddress, callbacks } from "./http/callbacks.ts";
import { withErrors } from "./http/error-answers.ts";
import { fallback } from "./http/fallback.ts";
import { health, type Readiness } from "./http/health.ts";
import { help } from "./http/help.ts";
import { media } from "./http/media.ts";
import { page } from "./http/page.ts";
import { root } from "./http/root.ts";
import { bodyRoutes, type RouteRow, route } from "./http/route-table.ts";
import { snippet } from "./http/snippet.ts";
import { unsubscribePage } from "./http/unsubscribe.ts";
import type { Sites } from "./records/sites.ts";
import type { Connections } from "./socket/connections.ts";

export type AppDeps = {
  sites: Sites;
  connections: Connections;
  clock: Clock;
  /** Whether any site allows this origin. */
  allows: (origin: string) => boolean;
  /** The address or network by which limits count the client. */
  networkOf: (request: IncomingMessage) => string;
  /** Counts visitors' connections, over every transport, against the limits. */
  slots: ConnectionSlots;
  /** The other nodes, for connections over HTTP. */
  nodes: Parameters<typeof fallback>[0]["nodes"];
  /** Dependencies of the routes for uploads. */
  media: Parameters<typeof media>[0];
  /** Mail to visitors; undefined when the relay sends no mail. */
  mail: Mail | undefined;
  /** The server API (`http/api`). */
  api: ReturnType<typeof serverApi>;
  /** The operator's pages (`admin`); undefined: they have a listener of their own. */
  admin: AdminPages | undefined;
  /** Limits the bodies of all clients without a secret. */
  bodies: BodyBudget;
  callbackAddress: CallbackAddress;
  ready: Readiness;
  log: Log;
  /** The relay's public origin; empty when it is not known. */
  relay: string;
  /** The relay's address for display. Never taken from a request's headers. */
  address: () => string;
  /** Folder of the built widget. */
  widget: string;
  /** Folder for files of earlier widget builds. */
  formerBuilds: string;
  /** Folder for the sites' help articles. */
  help: string;
};

/**
 * Every route: who calls it, method, path, largest body, and the time within which the request must arrive. Headers always
 * have 10 s. The relay does not wait for a body that no route reads. `/api/v1/*` means all operations in `http/api/operations.ts`.
 * `test/conventions/routes.test.ts` and `test/routes.test.ts` compare the table with the relay. WebSockets start with an upgrade:
 * `socket/socket.ts` holds their limits.
 */
export const ROUTE_ROWS: readonly RouteRow[] = [
  route("browser", "GET", "/", "no body, 10 s"),
  route("browser", "GET", "/widget.js", "no body, 10 s"),
  route("browser", "GET", "/w/:file{.+\\.js}", "no body, 10 s"),
  route("browser", "GET", "/v/:hash/widget.js", "no body, 10 s"),
  route("browser", "GET", "/v/:file{.+\\.json}", "no body, 10 s"),
  route("browser", "GET", "/frame/words/:file{.+\\.js}", "no body, 10 s"),
  route("browser", "GET", "/frame/:name", "no body, 10 s"),
  route("browser", "GET", "/assets/panel.js", "no body, 10 s"),
  route("browser", "GET", "/assets/:name", "no body, 10 s"),
  route("browser", "GET", "/help/:file{.+\\.json}", "no body, 10 s"),
  route("browser", "GET", "/favicon.ico", "no body, 10 s"),
  route("browser", "GET", "/c/:site", "no body, 10 s"),
  route("browser", "GET", "/c/:site/snippet", "no body, 10 s"),
  route("browser", "POST", "/socket/lines", "no body, 10 s"),
  route("browser", "GET", "/socket/lines/:line", "no body, 10 s"),
  route("browser", "POST", "/socket/lines/:line", "96 KiB, 30 s"),
  route("browser", "POST", "/socket/lines/:line/end", "no body, 10 s"),
  route("browser", "OPTIONS", "/media", "no body, 10 s"),
  route("browser", "POST", "/media", "UPLOAD_*_MB, 300 s"),
  route("browser", "ALL", "/media", "no body, 10 s"),
  route("browser", "GET", "/media/:file", "no body, 10 s"),
  route("mail reader", "GET", "/mail/stop/:link", "no body, 10 s"),
  route("mail reader", "POST", "/mail/stop/:link", "4 KiB, 30 s"),
  route("owner's backend", "GET", "/openapi.json", "no body, 10 s"),
  route("owner's backend", "GET", "/api", "no body, 10 s"),
  route("owner's backend", "GET", "/api/v1/*", "no body, 10 s"),
  route("owner's backend", "ALL", "/api/v1/*", "256 KiB, 30 s"),
  route("service", "GET", "/callbacks/:kind{reply|recharge}/:secret", "no body, 10 s"),
  route("service", "POST", "/callbacks/reply/:secret", "1 MiB, 30 s"),
  route("service", "POST", "/callbacks/recharge/:secret", "1 MiB, 30 s"),
  route("service", "ALL", "/callbacks/:kind{reply|recharge}/:secret", "no body, 10 s"),
  route("operator", "GET", "/metrics", "no body, 10 s"),
  route("operator", "GET", "/admin", "no body, 10 s"),
  route("operator", "GET", "/admin/login", "no body, 10 s"),
  route("operator", "GET", "/admin/find", "no body, 10 s"),
  route("operator", "GET", "/admin/conversations", "no body, 10 s"),
  route("operator", "GET", "/admin/conversations/:visitor", "no body, 10 s"),
  route("operator", "GET", "/admin/messages/:visitor/:id", "no body, 10 s"),
  route("operator", "GET", "/admin/deliveries", "no body, 10 s"),
  route("operator", "GET", "/admin/ledger", "no body, 10 s"),
  route("operator", "GET", "/admin/ledger/:kind{send|grant}/:account/:key", "no body, 10 s"),
  route("operator", "GET", "/admin/doctor", "no body, 10 s"),
  route("operator", "GET", "/admin/alerts", "no body, 10 s"),
  route("operator", "GET", "/admin/callbacks", "no body, 10 s"),
  route("operator", "GET", "/admin/leads", "no body, 10 s"),
  route("operator", "GET", "/admin/mails", "no body, 10 s"),
  route("operator", "GET", "/admin/webhooks", "no body, 10 s"),
  route("operator", "GET", "/admin/blocks", "no body, 10 s"),
  route("operator", "GET", "/admin/audit", "no body, 10 s"),
  route("operator", "GET", "/admin/sites", "no body, 10 s"),
  route("operator", "GET", "/admin/settings", "no body, 10 s"),
  route("operator", "GET", "/admin/deliveries/retry", "no body, 10 s"),
  route("operator", "GET", "/admin/deliveries/discard", "no body, 10 s"),
  route("operator", "GET", "/admin/style.css", "no body, 10 s"),
  route("operator", "GET", "/admin/live.js", "no body, 10 s"),
  route("operator", "GET", "/admin/page.js", "no body, 10 s"),
  route("operator", "POST", "/admin/login", "4 KiB, 30 s"),
  route("operator", "POST", "/admin/logout", "64 KiB, 30 s"),
  route("operator", "POST", "/admin/logout-everywhere", "64 KiB, 30 s"),
  route("operator", "POST", "/admin/deliveries/retry", "64 KiB, 30 s"),
  route("operator", "POST", "/admin/deliveries/discard", "64 KiB, 30 s"),
  route("operator", "POST", "/admin/ledger/decide", "64 KiB, 30 s"),
  route("operator", "GET", "/admin/*", "no body, 10 s"),
  route("operator", "GET", "/healthz", "no body, 10 s"),
  route("operator", "GET", "/readyz", "no body, 10 s"),
];
/** The route that reads the body of a request. */
export const routeOfBody = bodyRoutes(ROUTE_ROWS);

type Bindings = { Bindings: HttpBindings };
type AdminPages = ReturnType<typeof createAdmin>;

/** Creates the modules that answer requests, in mounting order; undefined for a module that the settings switch off. */
function modulesOf(deps: AppDeps) {
  const { sites, connections, clock, allows, networkOf, slots, nodes, mail, callbackAddress, log } = deps;
  const { relay, address, widget, formerBuilds, bodies, api, admin } = deps;
  return [
    root({ sites, admin: admin !== undefined }),
    assets({ sites, relay, folder: widget, kept: formerBuilds, now: clock.now(), log }),
    help(sites, deps.help),
    page(sites),
    snippet({ sites, relay, address, folder: widget }),
    fallback({
      connections,
      clock,
      allows,
      addressOf: callbackAddress.from.address,
      networkOf,
      slots,
      nodes,
      bodies,
      forwards: createBodyBudget(),
    }),
    media(deps.media),
    mail && unsubscribePage({ mail, sites, bodies }),
    api,
    callbacks(callbackAddress),
    admin,
    health(deps.ready),
  ];
}

/** The HTTP application of a listener for operators only. */
export function createAdminApp(admin: AdminPages, log: Log): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.route("/", admin as unknown as Hono<Bindings>);
  app.route(
    "/",
    new Hono().get("/", (c) => c.redirect("/admin", 303)),
  );
  return withErrors(app, log);
}

/** Builds the HTTP application: the modules, and the answers to unknown paths and failures. */
export function createApp(deps: AppDeps): Hono<Bindings> {
  const { log } = deps;
  const app = new Hono<Bindings>();
  for (const module of modulesOf(deps) as (Hono<Bindings> | undefined)[])
    if (module !== undefined) app.route("/", module);
  return withErrors(app, log);
}
