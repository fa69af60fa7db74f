/**
 * The HTTP interface of the service. Each request passes the same steps (BEHAVIOUR 4.1, R-013):
 * scripted fault → route → method → HTTPS → key → rate → content type and JSON → fields → objects → effect.
 */

import type { IncomingMessage as Request, ServerResponse as Response } from "node:http";
import { type Answer, errorAnswer, Refusal, successBody } from "./answers.ts";
import { ClientGone, readBody } from "./body.ts";
import type { Endpoint, Result } from "./endpoints/call.ts";
import { addToList, createContact, findContact } from "./endpoints/contacts.ts";
import { grantCredits } from "./endpoints/credits.ts";
import { incoming } from "./endpoints/incoming.ts";
import { send } from "./endpoints/send.ts";
import { actsBefore, type Fault, type RouteName } from "./fault.ts";
import { onlyFields } from "./fields.ts";
import { maskKey, type RequestEntry } from "./journal.ts";
import type { SandboxConfig } from "./options.ts";
import { draw } from "./random.ts";
import { rateHeaders } from "./rate.ts";
import { applyFault, reset, write } from "./respond.ts";
import type { Service } from "./service.ts";

const ENDPOINTS: Record<RouteName, Endpoint> = {
  createContact,
  findContact,
  addToList,
  send,
  incoming,
  credits: grantCredits,
};

/** Every path of the interface, with its methods. */
const PATHS: readonly [path: RegExp, methods: Record<string, RouteName>][] = [
  [/^\/incoming_custom_channel_message$/, { POST: "incoming" }],
  [/^\/send_custom_channel_message$/, { POST: "send" }],
  [/^\/contacts$/, { GET: "findContact", POST: "createContact" }],
  [/^\/lists\/([^/]+)\/contacts$/, { POST: "addToList" }],
  [/^\/subaccounts\/credits$/, { POST: "credits" }],
];

type Found = { route: RouteName; allow: string[]; methodOk: boolean; listId: string };

function find(path: string, method: string): Found | undefined {
  for (const [pattern, methods] of PATHS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const allow = Object.keys(methods);
    const route = methods[method] ?? Object.values(methods)[0] ?? "incoming";
    return { route, allow, methodOk: methods[method] !== undefined, listId: match[1] ?? "" };
  }
  return undefined;
}

/** A request while it passes the steps above. */
type PendingRequest = { req: Request; found: Found | undefined; query: URLSearchParams; entry: RequestEntry };

/** Thrown when a plain connection must be closed. */
class ConnectionClosed extends Error {}

/** @returns the handler of every request below the base path. It records each one in the journal, refused ones too. */
export function createApi(service: Service): (req: Request, res: Response) => void {
  return (req, res) => void serve(service, req, res);
}

async function serve(service: Service, req: Request, res: Response): Promise<void> {
  const { config, clock, journal, changes } = service;
  const started = performance.now();
  const pending = pendingRequestOf(service, req);
  // A client reads the times in an answer's headers relative to its date (RFC 9110 section 6.6.1).
  if (config.clock === "virtual") res.setHeader("Date", new Date(clock.now()).toUTCString());
  try {
    pending.entry.status = await answer(service, pending, res);
  } catch (error) {
    if (!(error instanceof ClientGone)) reset(res);
  }
  pending.entry.ms = performance.now() - started;
  journal.requests.add(pending.entry);
  changes.touch();
}

function pendingRequestOf({ config, clock }: Service, req: Request): PendingRequest {
  const url = req.url ?? "/";
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const method = req.method ?? "GET";
  const found = find(path.slice(config.basePath.length), method);
  const route = found?.methodOk ? found.route : "unknown";
  const entry = { at: clock.now(), route, method, path: maskKey(url), status: 0, warnings: [], ms: 0 };
  return { req, found, query: new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)), entry };
}

/** Answers a request, or applies the fault that is scheduled for it. @returns the status */
async function answer(service: Service, pending: PendingRequest, res: Response): Promise<number> {
  const { config, clock, random, faults } = service;
  const fault = faults.take(pending.found?.methodOk ? pending.found.route : undefined);
  if (fault !== undefined) pending.entry.fault = fault.kind;
  const latency = draw(config.latencyMs, random);
  if (latency > 0) await clock.wait(latency);
  if (fault !== undefined && actsBefore(fault))
    return applyFault(res, faultAnswer(service, fault, pending), fault, clock);
  const result = await decide(service, pending);
  const status =
    fault === undefined
      ? write(res, result)
      : applyFault(res, damagesAnswer(fault) ? result : faultAnswer(service, fault, pending), fault, clock);
  result.after?.();
  return status;
}

/** Runs all checks and the endpoint. Refusals become answers. */
async function decide(service: Service, pending: PendingRequest): Promise<Result> {
  const { config, journal } = service;
  try {
    const result = await accept(service, pending);
    return result.body === undefined ? result : { ...result, body: successBody(result.body, config) };
  } catch (error) {
    if (error instanceof ConnectionClosed || error instanceof ClientGone) throw error;
    if (error instanceof Refusal) {
      if (error.status === 401) journal.authFailures += 1;
      return errorAnswer(error, pending.found?.route, config);
    }
    pending.entry.warnings.push(`The sandbox failed: ${error instanceof Error ? error.stack : String(error)}`);
    return errorAnswer(new Refusal("INTERNAL", "Service-side error"), pending.found?.route, config);
  }
}

/** The answer of a fault: its own body, or an error in the endpoint's shape. */
function faultAnswer({ config }: Service, fault: Fault, pending: PendingRequest): Answer {
  const { status = 500, headers = {}, body } = fault;
  if (typeof body === "string") return { status, headers, body, type: "text/plain; charset=utf-8" };
  if (body !== undefined) return { status, headers, body };
  if (status < 400) return { status, headers };
  const refusal = new Refusal("INTERNAL", "Service-side error", { status, headers });
  return errorAnswer(refusal, pending.found?.route, { ...config, soft200Errors: false });
}

/** Whether the fault damages the real answer. */
const damagesAnswer = ({ kind, status }: Fault): boolean =>
  kind !== "status" && !(kind === "emptyBody" && status !== undefined);

async function accept(service: Service, { req, found, query, entry }: PendingRequest): Promise<Result> {
  const { config, clock, rate } = service;
  if (found === undefined) throw new Refusal("NOT_FOUND", "No such path");
  if (!found.methodOk) throw wrongMethod(found, config);
  checkHttps(req, config);
  const key = checkKey(req, query, found.route, config);
  // A new key of the account does not open a new window.
  const verdict = rate.take(key === config.apiKey ? "account" : "agency", clock.now());
  if (!verdict.ok) {
    const headers = rateHeaders(config, verdict.waitMs, clock.now());
    throw new Refusal("RATE_LIMITED", "Rate limit exceeded", { headers });
  }
  onlyFields(Object.fromEntries(query), parametersOf(found.route, config), config);
  const listId = decoded(found.listId);
  const body = req.method === "GET" ? {} : await readBody(req, config, entry);
  return ENDPOINTS[found.route](service, { query, body, key, listId, warnings: entry.warnings });
}

function wrongMethod({ allow }: Found, config: SandboxConfig): Refusal {
  if (config.methodMismatch === 404) return new Refusal("NOT_FOUND", "No such path");
  return new Refusal("METHOD_NOT_ALLOWED", "Method not allowed", { headers: { Allow: allow.join(", ") } });
}

function checkHttps(req: Request, config: SandboxConfig): void {
  if (!config.requireHttps || req.headers["x-forwarded-proto"] === "https") return;
  if (config.httpsRejection === "close") throw new ConnectionClosed();
  throw new Refusal("HTTPS_REQUIRED", "HTTPS is required", { status: config.httpsRejection });
}

/** The query parameters of an endpoint. Credits have none: the key in an address would reach logs. */
function parametersOf(route: RouteName, { acceptEitherAuth }: SandboxConfig): string[] {
  const key = route === "credits" && !acceptEitherAuth ? [] : ["apiKey"];
  return route === "findContact" ? [...key, "phoneNumber", "email"] : key;
}

/** The key from where the endpoint wants it: header for credits, query for the others. */
function checkKey(req: Request, query: URLSearchParams, route: RouteName, config: SandboxConfig): string {
  const header = req.headers["x-api-key"];
  const inHeader = typeof header === "string" ? header : undefined;
  const inQuery = query.get("apiKey") ?? undefined;
  const right = route === "credits" ? inHeader : inQuery;
  const given = right ?? (config.acceptEitherAuth ? (inHeader ?? inQuery) : undefined);
  if (given !== undefined && (given === config.apiKey || (config.agencyKey && given === config.agencyKey)))
    return given;
  throw new Refusal("UNAUTHORIZED", "Invalid or missing API key");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal("VALIDATION", "The path is not well encoded");
  }
}
