import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AdminDeps, FormReaders } from "../admin/index.ts";
import type { AppDeps } from "../app.ts";
import { sendersBehind } from "../base/address.ts";
import type { ConnectionSlots } from "../base/connection-slots.ts";
import type { Finding } from "../base/finding.ts";
import { createLimiter } from "../base/limiter.ts";
import type { Gauges } from "../base/metrics.ts";
import { oneReadPerTick } from "../db/one-read-per-tick.ts";
import type { Sampler } from "../flows/sampler.ts";
import type { serverApi } from "../http/api/index.ts";
import { readBody } from "../http/body.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import { SIZES } from "../http/route-table.ts";
import type { Core } from "./core.ts";
import type { FileStorage } from "./files.ts";
import type { CallbackIntake } from "./intake.ts";
import type { OwnerFlows } from "./owner.ts";
import type { VisitorFlows } from "./visitors.ts";

/** Folder of the built widget. */
const WIDGET = fileURLToPath(new URL("../../../widget/dist/", import.meta.url));
/** Calls of the server API per token: per minute, and at once. */
const API_PER_MINUTE = 1_200;
const API_BURST = 100;
/** Uploads per address at once, above the rate per minute. */
const UPLOAD_BURST = 10;

export type RouteGroups = {
  core: Core;
  files: FileStorage;
  owner: OwnerFlows;
  visitors: VisitorFlows;
  intake: CallbackIntake;
  slots: ConnectionSlots;
  /** Values for the metrics. */
  gauges: Gauges;
  /** Reads this node's row of the series for the current minute. */
  currentMinute: Sampler["currentMinute"];
  /** Whether the relay accepts requests: it is not stopping. */
  open: () => boolean;
  /** Runs the checks of `porchlight doctor`. */
  doctor: () => Promise<Finding[]>;
  /** Folder of the built widget; tests may name another one. */
  widget: string | undefined;
};

/** The address of the relay that people see. */
const addressOf = ({ publicOrigin, port }: Core): string => publicOrigin ?? `http://localhost:${port}`;

/** Collects the dependencies of the routes from the groups of the relay. */
export function appDeps(
  { core, files, owner, visitors, intake, slots, open, widget = WIDGET }: RouteGroups,
  routes: Pick<AppDeps, "api" | "admin" | "bodies">,
): AppDeps {
  const { settings, db, clock, log, sites, publicOrigin } = core;
  const { connections, allows, sessions } = visitors;
  const { addressOf: senderOf, networkOf } = sendersBehind(settings.trustProxy);
  const findByToken = owner.access.withoutBlocked(sessions.findByToken);
  return {
    ...routes,
    sites,
    connections,
    clock,
    allows,
    slots,
    log,
    widget,
    networkOf,
    nodes: core.cluster,
    mail: owner.mail,
    media: {
      db,
      log,
      allows,
      files: files.files,
      uploads: files.uploads,
      links: files.links,
      findByToken: (token, origin, incoming) => findByToken(token, origin, senderOf(incoming)),
      wait: uploadWait(core, visitors),
    },
    callbackAddress: intake.address,
    ready: async () => open() && (await core.takesWrites()),
    relay: publicOrigin ?? "",
    address: () => addressOf(core),
    formerBuilds: join(settings.dataDir, "assets"),
    help: join(settings.dataDir, "help"),
  };
}

/** Collects the dependencies of the server API. */
export function apiDeps({ core, files, owner, visitors }: RouteGroups): Parameters<typeof serverApi>[0] {
  const { db, clock, log, sites, publicOrigin } = core;
  const { send, forget, endings } = visitors;
  const limiter = createLimiter({ burst: API_BURST, perMinute: API_PER_MINUTE, uptime: clock.uptime });
  return {
    db,
    clock,
    sites,
    log,
    limiter: core.cluster.share("api", limiter),
    flows: { db: oneReadPerTick(db), clock, send, forget, endings, linkTo: files.publicLink, ...owner },
    relay: publicOrigin ?? "",
    address: () => addressOf(core),
  };
}

/** Reads the forms of the operator's pages. */
export const formReaders = (bodies: BodyBudget): FormReaders => ({
  readForm: (incoming) => readBody(incoming, SIZES.admin),
  readLogin: (incoming) => readBody(incoming, SIZES.form, bodies),
});

/** Collects the dependencies of the operator's pages. */
export function adminDeps({ core, files, owner, visitors, gauges, currentMinute, doctor }: RouteGroups): AdminDeps {
  const { settings, db, clock, log, takesWrites, sites, publicOrigin } = core;
  const { send, connections } = visitors;
  const isOwnListener = settings.adminListen !== undefined;
  return {
    log,
    takesWrites,
    pushed: connections.pushed,
    db,
    clock,
    sites,
    send,
    publicOrigin,
    gauges,
    currentMinute,
    settings,
    credits: owner.credits,
    metrics: core.metrics,
    token: core.adminToken,
    readToken: settings.readToken,
    preview: !isOwnListener,
    examine: doctor,
    networkOf: sendersBehind(adminProxies(settings)).networkOf,
    address: () => addressOf(core),
    linkTo: (key, type) => `${isOwnListener ? addressOf(core) : ""}${files.links.to(key, type)}`,
  };
}

/**
 * Number of trusted proxies in front of the operator's pages. Their own listener is reached through a VPN or a tunnel, and not
 * through the proxy of the public listener, so a sender could write any `X-Forwarded-For`.
 */
const adminProxies = ({ adminListen, trustProxy }: Core["settings"]): number =>
  adminListen === undefined ? trustProxy : 0;

/** Milliseconds until an address may upload to a site; 0: it may upload now. */
function uploadWait({ settings, clock, cluster }: Core, { budgets }: VisitorFlows) {
  const { addressOf, networkOf } = sendersBehind(settings.trustProxy);
  const { perMinute } = settings.uploads;
  const uploads = cluster.share("uploads", createLimiter({ burst: UPLOAD_BURST, perMinute, uptime: clock.uptime }));
  return (incoming: IncomingMessage, site: string): number =>
    uploads.take(networkOf(incoming)) ||
    budgets.upload({ site, address: addressOf(incoming) }, announcedBytes(incoming));
}

/** The bytes that a client announces; undefined when it sends its body in chunks. */
const announcedBytes = ({ headers }: IncomingMessage): number | undefined =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
