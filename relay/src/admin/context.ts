import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import type { Finding } from "../base/finding.ts";
import type { Log } from "../base/log.ts";
import type { Gauges, Metrics } from "../base/metrics.ts";
import type { Database } from "../db/database.ts";
import type { Credits } from "../flows/credits/credits.ts";
import type { Sampler } from "../flows/sampler.ts";
import type { Send } from "../flows/send/send.ts";
import { addAudit } from "../records/operators.ts";
import type { Sites } from "../records/sites.ts";
import type { AdminAccess } from "./access.ts";
import type { LinkTo } from "./file.ts";
import { isFormToken } from "./sessions.ts";
import type { Viewer } from "./viewer.ts";

/** See `Connections.pushed`. */
export type Pushed = (
  visitor: string,
  reply: { pos: number; n: number },
) => { at: number | null; open: boolean } | undefined;

export type AdminDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  /** Whether the database accepts writes now. */
  takesWrites: () => Promise<boolean>;
  sites: Sites;
  send: Pick<Send, "retry">;
  credits: Pick<Credits, "approve" | "dismiss" | "resolve">;
  /** Whether this node sent a reply to a tab, when (ms since 1970; null when unknown), and whether such a tab is still open. */
  pushed: Pushed;
  metrics: Metrics;
  gauges: Gauges;
  /** This node's row of the series for the minute that has begun, up to now. */
  currentMinute: Sampler["currentMinute"];
  settings: Pick<Settings, "accounts" | "inForce">;
  /** ADMIN_TOKEN and ADMIN_READ_TOKEN. */
  token: string;
  readToken: string | undefined;
  networkOf: AdminAccess["networkOf"];
  /** The relay's public origin; undefined while it is unknown. */
  publicOrigin: string | undefined;
  /** The relay's address, to show to people. */
  address: () => string;
  /** Whether the chat's pages have the same origin as the admin pages. */
  preview: boolean;
  linkTo: LinkTo;
  /** Runs the checks of `porchlight doctor`. */
  examine: () => Promise<Finding[]>;
};

/** Reads a form's body. @throws RelayError when it is too large */
type ReadForm = (incoming: IncomingMessage) => Promise<string>;
/** `readForm`: the forms of a signed-in operator. `readLogin`: the form to sign in, which anybody may send. */
export type FormReaders = { readForm: ReadForm; readLogin: ReadForm };

/** `secret`: the session's secret. */
export type AdminApp = { Bindings: HttpBindings; Variables: { secret: string; viewer: Viewer } };
export type AdminRequest = Context<AdminApp>;

/** Dependencies of the admin routes. */
export type AdminRouteDeps = FormReaders & { deps: AdminDeps; access: AdminAccess };

/** Whether a request comes from a page of this origin. Browsers send `Origin` with every form. */
export function isOwnOrigin(c: AdminRequest, publicOrigin: string | undefined): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  if (origin === undefined) return site === "same-origin";
  return origin === publicOrigin || (URL.canParse(origin) && new URL(origin).host === c.req.header("host"));
}

/** The fields of a form; undefined unless a page of this session sent it. */
export async function ownForm(
  c: AdminRequest,
  { deps, readForm }: AdminRouteDeps,
): Promise<URLSearchParams | undefined> {
  const form = new URLSearchParams(await readForm(c.env.incoming));
  return isOwnOrigin(c, deps.publicOrigin) && isFormToken(c.var.secret, form.get("token") ?? "") ? form : undefined;
}

/** The operator's name in the audit log. */
export const actorOf = (c: AdminRequest, { access }: AdminRouteDeps): string =>
  `${c.var.viewer?.role ?? "admin"} at ${access.networkOf(c.env.incoming)}`;

/** Adds an entry to the audit log. */
export async function recordAction(
  { deps }: AdminRouteDeps,
  actor: string,
  action: string,
  subject: string,
): Promise<void> {
  const { db, clock } = deps;
  await db.transaction((tx) => addAudit(tx, { at: clock.now(), actor, action, subject }), ["audit"]);
}
