import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Clock } from "../../base/clock.ts";
import type { Site } from "../../base/config.ts";
import { RelayError } from "../../base/errors.ts";
import type { Limiter } from "../../base/limiter.ts";
import type { Log } from "../../base/log.ts";
import type { Database } from "../../db/database.ts";
import { beginRequest, dropRequest, endRequest } from "../../records/requests.ts";
import type { Sites } from "../../records/sites.ts";
import { findToken, type Token } from "../../records/tokens.ts";
import { readBody } from "../body.ts";
import { SIZES } from "../route-table.ts";
import { checked } from "./check.ts";
import { JsonStream } from "./json-stream.ts";
import {
  type AnswerOf,
  type BodyOf,
  OPERATIONS,
  type Operation,
  type OperationName,
  type ParamsOf,
  type QueryOf,
} from "./operations.ts";
import { Problem, problem } from "./problem.ts";
import { IDEMPOTENCY_KEY } from "./schemas.ts";

/** The validated input of a handler. */
export type Call<N extends OperationName = OperationName> = {
  site: Site;
  token: Token;
  params: ParamsOf<N>;
  query: QueryOf<N>;
  body: BodyOf<N>;
  /** The request's Idempotency-Key; empty for reads. */
  key: string;
};

export type Handlers = { [N in OperationName]: (call: Call<N>) => Promise<AnswerOf<N> | JsonStream> };

export type ApiDeps = {
  db: Database;
  clock: Clock;
  sites: Sites;
  handlers: Handlers;
  /** Limits calls per token. */
  limiter: Limiter;
  log: Log;
};

type Bindings = { Bindings: HttpBindings };
const KEY_HEADER = "Idempotency-Key";

/** The server API: every operation of the table, with checks of token, scope, input and, for changes, `Idempotency-Key`. */
export function api(deps: ApiDeps): Hono<Bindings> {
  const app = new Hono<Bindings>().basePath("/api/v1");
  app.onError((error, c) => {
    if (error instanceof RelayError) return problem(error);
    deps.log("relay.internal", { where: c.req.routePath, cause: String(error) });
    return problem(new RelayError("internal"));
  });
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const { method, path } = OPERATIONS[name];
    app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) => answer(deps, name, c));
  }
  app.all("*", (c) => withoutOperation(c));
  return app;
}

/** Answers for a path without an operation: 405 when another method has one, else 404. */
function withoutOperation(c: Context<Bindings>): Response {
  const known = Object.values(OPERATIONS).filter(({ path }) => isAt(`/api/v1${path}`, c.req.path));
  if (known.length === 0) throw new Problem("not_found", "No operation has this path. /api lists all operations.");
  const Allow = known.map(({ method }) => method.toUpperCase()).join(", ");
  return problem(new RelayError("method_not_allowed"), { Allow });
}

const isAt = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);

/** Finds the token of a request and its site. The answer is the same for every invalid token. */
async function authorise({ db, sites, limiter }: ApiDeps, c: Context<Bindings>, operation: Operation) {
  const [, given = ""] = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const token = await findToken(db, given);
  const site = token && sites.find(token.site);
  if (token === undefined || site === undefined) throw new RelayError("unauthorized");
  const wait = limiter.take(token.id);
  if (wait > 0) throw new RelayError("rate_limited", undefined, { retryAfter: wait });
  if (!token.scopes.includes(operation.scope)) {
    const cure = `porchlight token add <name> --site ${token.site} --scopes ${operation.scope}`;
    throw new Problem("forbidden", `Token lacks the required scope: ${operation.scope}. Make one with: ${cure}`);
  }
  return { token, site };
}

async function answer(deps: ApiDeps, name: OperationName, c: Context<Bindings>): Promise<Response> {
  const operation: Operation = OPERATIONS[name];
  const { token, site } = await authorise(deps, c, operation);
  const query = checked(operation.query, c.req.query());
  const unsafe = operation.method !== "get";
  const raw = unsafe ? await readBody(c.env.incoming, SIZES.api) : "";
  const body = operation.body === undefined ? undefined : checked(operation.body, parsed(raw));
  const handle = deps.handlers[name] as (call: object) => Promise<unknown>;
  const ask = (key: string) => handle({ site, token, params: c.req.param(), query, body, key });
  const asText = (result: unknown): { status: number; body: string } => ({
    status: operation.status,
    body: operation.status === 204 ? "" : JSON.stringify(result),
  });
  if (!unsafe) {
    const result = await ask("");
    return result instanceof JsonStream ? streamed(deps, name, result) : respond(asText(result));
  }
  const digest = createHash("sha256").update(`${c.req.method} ${c.req.path}\n${raw}`).digest("base64url");
  return runOnce(deps, { token: token.id, key: keyOf(c), digest, path: c.req.path }, async (key) =>
    asText(await ask(key)),
  );
}

function keyOf(c: Context<Bindings>): string {
  const key = (c.req.header(KEY_HEADER) ?? "").replace(/^"(.*)"$/, "$1");
  if (!IDEMPOTENCY_KEY.test(key)) throw new RelayError("key_missing", KEY_HEADER);
  return key;
}

/** Runs a request once per key. A repeat gets the stored answer of the first one. */
async function runOnce(
  { db, clock }: ApiDeps,
  name: { token: string; key: string; digest: string; path: string },
  run: (key: string) => Promise<{ status: number; body: string }>,
): Promise<Response> {
  const lock = [`request ${name.token} ${name.key}`];
  const begun = await db.transaction((tx) => beginRequest(tx, { ...name, now: clock.now() }), lock);
  if (begun === "busy") throw new RelayError("key_busy", KEY_HEADER);
  if (begun === "reused") throw new RelayError("key_reused", KEY_HEADER);
  if (begun !== "new") return respond(begun);
  try {
    const done = await run(name.key);
    await db.transaction((tx) => endRequest(tx, name, done), lock);
    return respond(done);
  } catch (error) {
    await db.transaction((tx) => dropRequest(tx, name), lock);
    throw error;
  }
}

const respond = ({ status, body }: { status: number; body: string }): Response =>
  new Response(body === "" ? null : body, { status, headers: { "Content-Type": "application/json" } });

/** Sends an answer in parts. An error in a part ends the connection, because the status has already been sent. */
function streamed({ log }: ApiDeps, name: OperationName, { parts }: JsonStream): Response {
  async function* logged(): AsyncGenerator<Buffer> {
    try {
      for await (const part of parts) yield Buffer.from(part);
    } catch (error) {
      log("relay.internal", { where: name, cause: String(error) });
      throw error;
    }
  }
  const body = Readable.toWeb(Readable.from(logged(), { highWaterMark: 1 })) as ReadableStream;
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw === "" ? "{}" : raw);
  } catch {
    throw new RelayError("bad_json");
  }
}
