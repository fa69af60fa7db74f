import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { type AdminDeps, createAdmin } from "./admin/index.ts";
import type { Clock } from "./base/clock.ts";
import { ERRORS, RelayError } from "./base/errors.ts";
import type { Log } from "./base/log.ts";
import type { Places } from "./base/places.ts";
import type { Mail } from "./flows/mail/mail.ts";
import { serverApi } from "./http/api/index.ts";
import { assets } from "./http/assets.ts";
import { readBody } from "./http/body.ts";
import { type CallbackAddress, callbacks } from "./http/callbacks.ts";
import { SIZES } from "./http/doors.ts";
import { fallback } from "./http/fallback.ts";
import { health, type Readiness } from "./http/health.ts";
import { media } from "./http/media.ts";
import { page } from "./http/page.ts";
import { snippet } from "./http/snippet.ts";
import { stopDoor } from "./http/stop.ts";
import type { Sites } from "./records/sites.ts";
import type { Connections } from "./socket/connections.ts";

export type AppDeps = {
  sites: Sites;
  connections: Connections;
  clock: Clock;
  /** Whether any site allows this origin. */
  allows: (origin: string) => boolean;
  /** The client address that limits count a request under. */
  addressOf: (request: IncomingMessage) => string;
  /** Counts visitors' connections, over every transport, against the limits. */
  places: Places;
  /** What uploads need. */
  media: Parameters<typeof media>[0];
  /** Mail to visitors; undefined when the relay sends no mail. */
  mail: Mail | undefined;
  /** What the server API needs apart from the addresses below. */
  api: Omit<Parameters<typeof serverApi>[0], "relay" | "address">;
  /** What the operator's pages need. */
  admin: AdminDeps;
  called: CallbackAddress;
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
};

/** Mounts every HTTP route, grouped by caller; `http/doors.ts` lists them. WebSockets are served on the upgrade event instead. */
export function createApp(parts: AppDeps): Hono<{ Bindings: HttpBindings }> {
  const {
    sites,
    connections,
    clock,
    allows,
    addressOf,
    places,
    mail,
    api,
    called,
    ready,
    log,
    relay,
    address,
    widget,
    formerBuilds,
  } = parts;
  const app = new Hono<{ Bindings: HttpBindings }>();

  // Called by browsers on the owner's pages.
  app.route("/", assets({ sites, relay, folder: widget, kept: formerBuilds, now: clock.now(), log }));
  app.route("/", page(sites));
  app.route("/", snippet({ sites, relay, address, folder: widget }));
  app.route("/", fallback({ connections, clock, allows, remoteOf: called.from.address, addressOf, places }));
  app.route("/", media(parts.media));
  // Called from mails.
  if (mail !== undefined) app.route("/", stopDoor(mail));
  // Called by the owner's backend.
  app.route("/", serverApi({ ...api, relay, address }));
  // Called by the messaging service.
  app.route("/", callbacks(called));
  // Called by the operator.
  app.route("/", createAdmin(parts.admin, (incoming) => readBody(incoming, SIZES.admin)) as unknown as typeof app);
  app.route("/", health(ready));

  app.notFound((c) => c.json({ error: ERRORS.not_found[1] }, 404));
  app.onError((error, c) => {
    if (error instanceof RelayError) return c.json({ error: error.message }, error.status as 400);
    log("relay.internal", { where: c.req.routePath, cause: String(error) });
    return c.json({ error: ERRORS.internal[1] }, 500);
  });
  return app;
}
