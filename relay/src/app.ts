import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { createAdmin } from "./admin/index.ts";
import type { Clock } from "./base/clock.ts";
import type { ConnectionSlots } from "./base/connection-slots.ts";
import { ERRORS, RelayError } from "./base/errors.ts";
import type { Log } from "./base/log.ts";
import type { Mail } from "./flows/mail/mail.ts";
import type { serverApi } from "./http/api/index.ts";
import { assets } from "./http/assets.ts";
import type { BodyBudget } from "./http/body-budget.ts";
import { type CallbackAddress, callbacks } from "./http/callbacks.ts";
import { fallback } from "./http/fallback.ts";
import { health, type Readiness } from "./http/health.ts";
import { help } from "./http/help.ts";
import { media } from "./http/media.ts";
import { page } from "./http/page.ts";
import { root } from "./http/root.ts";
import { bodyReader, type RouteRow, route } from "./http/route-table.ts";
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
 * Every route, by the module that answers it, in the order in which the modules are mounted: caller, method, path, largest
 * body.
 *
 * Body sizes (`SIZES`): no body if the row names no size; `form` 4 KiB; `admin` 64 KiB; `frames` 96 KiB; `api` 256 KiB; `callback`
 * 1 MiB; `upload` as the settings UPLOAD_*_MB say. A body may take 30 s (`BODY_MS`), an upload 300 s (`UPLOAD_MS`).
 * `/api/v1/*` means all operations in `http/api/operations.ts`. `test/house/routes.test.ts` compares the table with the
 * routes of the app. WebSockets start with an upgrade: `socket/socket.ts` holds their limits.
 */
const ROUTES = {
  root: [route("browser", "GET", "/")],
  assets: [
    route("browser", "GET", "/widget.js"),
    route("browser", "GET", "/w/:file{.+\\.js}"),
    route("browser", "GET", "/v/:hash/widget.js"),
    route("browser", "GET", "/v/:file{.+\\.json}"),
    route("browser", "GET", "/frame/words/:file{.+\\.js}"),
    route("browser", "GET", "/frame/:name"),
    route("browser", "GET", "/assets/panel.js"),
    route("browser", "GET", "/assets/:name"),
  ],
  help: [route("browser", "GET", "/help/:file{.+\\.json}")],
  page: [route("browser", "GET", "/favicon.ico"), route("browser", "GET", "/c/:site")],
  snippet: [route("browser", "GET", "/c/:site/snippet")],
  fallback: [
    route("browser", "POST", "/socket/lines"),
    route("browser", "GET", "/socket/lines/:line"),
    route("browser", "POST", "/socket/lines/:line", "frames"),
    route("browser", "POST", "/socket/lines/:line/end"),
  ],
  media: [
    route("browser", "OPTIONS", "/media"),
    route("browser", "POST", "/media", "upload"),
    route("browser", "ALL", "/media"),
    route("browser", "GET", "/media/:file"),
  ],
  mail: [route("mail reader", "GET", "/mail/stop/:link"), route("mail reader", "POST", "/mail/stop/:link", "form")],
  api: [
    route("owner's backend", "GET", "/openapi.json"),
    route("owner's backend", "GET", "/api"),
    route("owner's backend", "GET", "/api/v1/*"),
    route("owner's backend", "ALL", "/api/v1/*", "api"),
  ],
  callbacks: [
    route("service", "GET", "/callbacks/:kind{reply|recharge}/:secret"),
    route("service", "POST", "/callbacks/reply/:secret", "callback"),
    route("service", "POST", "/callbacks/recharge/:secret", "callback"),
    route("service", "ALL", "/callbacks/:kind{reply|recharge}/:secret"),
  ],
  admin: [
    route("operator", "GET", "/metrics"),
    ...["", "/login", "/find", "/conversations", "/conversations/:visitor", "/messages/:visitor/:id", "/deliveries"]
      .concat("/ledger", "/ledger/:kind{send|grant}/:account/:key", "/doctor", "/alerts", "/callbacks")
      .concat("/leads", "/mails", "/webhooks", "/blocks", "/audit", "/sites", "/settings")
      .concat("/deliveries/retry", "/deliveries/discard", "/style.css", "/live.js", "/page.js")
      .map((path) => route("operator", "GET", `/admin${path}`)),
    route("operator", "POST", "/admin/login", "form"),
    ...["/logout", "/logout-everywhere", "/deliveries/retry", "/deliveries/discard", "/ledger/decide"].map((path) =>
      route("operator", "POST", `/admin${path}`, "admin"),
    ),
    route("operator", "GET", "/admin/*"),
  ],
  health: [route("operator", "GET", "/healthz"), route("operator", "GET", "/readyz")],
} satisfies Record<string, readonly RouteRow[]>;

type Bindings = { Bindings: HttpBindings };
type AdminPages = ReturnType<typeof createAdmin>;
type Module = keyof typeof ROUTES;

/** Every route of the relay. */
export const ROUTE_ROWS: readonly RouteRow[] = Object.values(ROUTES).flat();
/** Whether a route reads the body of a request. */
export const readsBody = bodyReader(ROUTE_ROWS);

/** Makes the module of each group of routes; undefined: the settings switch it off. */
function modulesOf(deps: AppDeps) {
  const { sites, connections, clock, allows, networkOf, slots, nodes, mail, callbackAddress, log } = deps;
  const { relay, address, widget, formerBuilds, bodies, api, admin } = deps;
  return {
    root: root({ sites, admin: admin !== undefined }),
    assets: assets({ sites, relay, folder: widget, kept: formerBuilds, now: clock.now(), log }),
    help: help(sites, deps.help),
    page: page(sites),
    snippet: snippet({ sites, relay, address, folder: widget }),
    fallback: fallback({
      connections,
      clock,
      allows,
      addressOf: callbackAddress.from.address,
      networkOf,
      slots,
      nodes,
      bodies,
    }),
    media: media(deps.media),
    mail: mail && unsubscribePage(mail, bodies),
    api,
    callbacks: callbacks(callbackAddress),
    admin,
    health: health(deps.ready),
  } satisfies Record<Module, unknown>;
}

/** Answers unknown paths and failures. */
function withErrors(app: Hono<Bindings>, log: Log): Hono<Bindings> {
  app.notFound((c) => c.json({ error: ERRORS.not_found[1] }, 404));
  app.onError((error, c) => {
    if (error instanceof RelayError) return c.json({ error: error.message }, error.status as 400);
    log("relay.internal", { where: c.req.routePath, cause: String(error) });
    return c.json({ error: ERRORS.internal[1] }, 500);
  });
  return app;
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

/** Builds the HTTP application: the modules of `ROUTES`, and the answers to unknown paths and failures. */
export function createApp(deps: AppDeps): Hono<Bindings> {
  const { log } = deps;
  const app = new Hono<Bindings>();
  const modules = modulesOf(deps);
  for (const name of Object.keys(ROUTES) as Module[]) {
    const module = modules[name] as Hono<Bindings> | undefined;
    if (module !== undefined) app.route("/", module);
  }
  return withErrors(app, log);
}
