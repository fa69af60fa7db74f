import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Clock } from "../base/clock.ts";
import { createDeadlines } from "../base/deadlines.ts";
import { ERRORS, RelayError } from "../base/errors.ts";
import { hashed, type Log } from "../base/log.ts";
import { type CreditRules, mappedEmail } from "../base/rules.ts";
import { anySecret } from "../base/sign.ts";
import type { Recharges } from "../flows/intake/recharges.ts";
import type { Replies } from "../flows/intake/replies.ts";
import { FORWARDED, type Forward } from "../hooks/forward.ts";
import { parseCallback } from "../service/callbacks.ts";
import { parseRecharge, type Recharge } from "../service/recharge.ts";
import { closeUnlessDone, hasBody, readBody } from "./body.ts";
import type { Guesses } from "./guesses.ts";
import { BODY_MS, SIZES } from "./route-table.ts";

/** Every other address below `/callbacks` is answered 404, so that a mistyped address is noticed. */
const ADDRESS = "/callbacks/:kind{reply|recharge}/:secret";
const PATH = /^\/callbacks\/(reply|recharge)\/([^/?]+)(?:\?(.*))?$/s;

type Bindings = { Bindings: HttpBindings };

/** Decides whether a request may be a callback, before its body is read. */
export type CallbackAddress = {
  secrets: () => readonly string[];
  /** The client's address, and whether callbacks may come from it. */
  from: { address: (request: IncomingMessage) => string; allowed: (address: string) => boolean };
  /** Limits guesses of the secrets. */
  guesses: Guesses;
  log: Log;
};

export type CallbackDeps = CallbackAddress & {
  clock: Clock;
  receive: Replies;
  recharges: Recharges;
  /** Accounts that an event may be for, see `CreditAccounts.candidates`. @param queryAccount the account in `?account=` */
  creditAccounts: (queryAccount: string | undefined) => { id: string; rules: CreditRules }[];
  unknownContact: 200 | 404;
  /** Forwards replies for unknown contacts; absent: they are not forwarded. */
  forward: Forward | undefined;
  /** Masks a secret in the log from now on. */
  hide: (secret: string) => void;
  /** Notes which fields a callback has. */
  seen: (kind: "reply" | "recharge", raw: string) => void;
};

/** A callback request; `queryAccount`: the account in `?account=`. */
type Call = { incoming: IncomingMessage; outgoing: ServerResponse; queryAccount: string | undefined };
type Answer = { status: number; body: object; retryAfter?: number };

const DONE: Answer = { status: 200, body: { success: true } };
const LATER: Answer = { status: ERRORS.try_later[0], body: { error: ERRORS.try_later[1] }, retryAfter: 30 };

/**
 * Routes in the framework for requests that `callbackHandler` leaves to it: address checks, wrong methods and wrong secrets. The
 * secret is checked before the body is read; a wrong one is answered like an unknown address.
 */
export function callbacks({ secrets, from, guesses, log }: CallbackAddress): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.use(ADDRESS, async (c, next) => {
    const { incoming } = c.env;
    const address = from.address(incoming);
    const right = anySecret(c.req.param("secret"), secrets());
    // The call may have to wait for seconds, and its body must not wait in memory (RELIABILITY A24).
    if (!right && hasBody(incoming)) closeUnlessDone(incoming);
    if (!(await guesses.accepts(address, right))) {
      log("callback.wrong_secret");
      return c.notFound();
    }
    // GET is allowed from any address: it reveals nothing and changes nothing, and people test the callback address with it.
    if (c.req.method === "POST" && !from.allowed(address)) {
      log("callback.wrong_address", { address });
      return c.notFound();
    }
    return next();
  });
  // The service checks an address with GET before it saves it.
  app.get(ADDRESS, (c) => c.text("ok"));
  app.all(ADDRESS, (c) => {
    c.header("Allow", "GET, HEAD, POST");
    throw new RelayError("method_not_allowed");
  });
  return app;
}

/**
 * Handles the service's callbacks before the framework does, because they are the relay's most frequent requests. Statuses:
 * RELIABILITY 3a.
 * @returns a function that returns whether it handled the request; `callbacks` handles the others
 */
export function callbackHandler(deps: CallbackDeps): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  const { secrets, from, guesses, log } = deps;
  const deadline = createDeadlines(deps.clock, BODY_MS);

  async function answer(kind: string, call: Call): Promise<Answer> {
    if (!(await guesses.accepts(from.address(call.incoming), true))) {
      log("callback.wrong_secret");
      throw new RelayError("not_found");
    }
    const cancel = deadline(() => call.incoming.destroy());
    const raw = await readBody(call.incoming, SIZES.callback).finally(cancel);
    deps.seen(kind === "reply" ? "reply" : "recharge", raw);
    return kind === "reply" ? takeReply(deps, call, raw) : takeRecharge(deps, call, raw);
  }

  function failed(error: unknown): Answer {
    if (error instanceof RelayError) return { status: error.status, body: { error: error.message } };
    log("relay.internal", { where: "callbacks", cause: String(error) });
    return { status: ERRORS.internal[0], body: { error: ERRORS.internal[1] } };
  }

  return (incoming, outgoing) => {
    if (incoming.method !== "POST" || incoming.url?.startsWith("/callbacks/") !== true) return false;
    const [, kind = "", secret = "", query] = PATH.exec(incoming.url) ?? [];
    if (!anySecret(decoded(secret), secrets()) || !from.allowed(from.address(incoming))) return false;
    const queryAccount = query === undefined ? undefined : (new URLSearchParams(query).get("account") ?? undefined);
    void answer(kind, { incoming, outgoing, queryAccount })
      .catch(failed)
      .then((result) => respond(outgoing, result));
    return true;
  };
}

function decoded(text: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return "";
  }
}

function respond(outgoing: ServerResponse, { status, body, retryAfter }: Answer): void {
  const text = body === DONE.body ? '{"success":true}' : JSON.stringify(body);
  outgoing.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...(retryAfter === undefined ? {} : { "Retry-After": retryAfter }),
  });
  outgoing.end(text);
}

const KEY_HEADER = "idempotency-key";

/** The first value of a header. */
function headerOf({ incoming }: Call, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * The account of an event, and the event parsed by the account's rules. If several accounts have rules and the address names
 * none of them, only a map of sub-accounts that contains this one decides: the relay never guesses who gets credits.
 */
function creditAccountOf(
  { creditAccounts, log }: CallbackDeps,
  call: Call,
  raw: string,
): { id: string; event: Recharge } {
  const candidates = creditAccounts(call.queryAccount);
  if (candidates.length === 0) throw new RelayError("not_found");
  const read = candidates.flatMap(({ id, rules }) => {
    const event = parseRecharge(raw, headerOf(call, KEY_HEADER), rules.fields);
    return event === undefined ? [] : [{ id, rules, event }];
  });
  if (read.length === 0) throw new RelayError("missing_field", "idempotency_key");
  const mapped = read.filter(({ rules, event }) => mappedEmail(rules, event.subAccount) !== undefined);
  const [chosen, ...others] = candidates.length === 1 ? read : mapped;
  if (chosen !== undefined && others.length === 0) return chosen;
  log("credits.which_account", { key: read[0]?.event.key, accounts: candidates.map(({ id }) => id) });
  throw new RelayError("which_account");
}

async function takeReply(deps: CallbackDeps, call: Call, raw: string): Promise<Answer> {
  const { receive, log, unknownContact, hide } = deps;
  const callback = parseCallback(raw, hide);
  const lacksContact = callback.kind === "refused" && callback.field === "toId";
  // An account may have only one callback address: a body with a key and without a contact is a recharge.
  if (callback.kind === "recharge" || (lacksContact && headerOf(call, KEY_HEADER) !== undefined))
    return takeRecharge(deps, call, raw);
  if (callback.kind === "refused") {
    log("callback.refused", { code: callback.code, field: callback.field });
    throw new RelayError(callback.code, callback.field);
  }
  const { queryAccount } = call;
  if (queryAccount !== undefined && deps.creditAccounts(queryAccount).length === 0) throw new RelayError("not_found");
  const outcome = await receive.receive(callback, queryAccount);
  if (outcome === "lost") return LATER;
  const visitor = hashed(callback.toId);
  if (outcome === "unknown" && deps.forward !== undefined && headerOf(call, FORWARDED) === undefined)
    return forwardReply(deps.forward, log, call, raw);
  if (outcome === "unknown") {
    log("callback.unknown_contact", { visitor });
    if (unknownContact === 404) throw new RelayError("unknown_contact");
  } else if (outcome === "duplicate") log("callback.duplicate", { visitor });
  // A reply without an id counts as a repeat unless the service received the relay's answer to the first one.
  if (callback.messageId === undefined) call.outgoing.once("finish", () => receive.answered(callback));
  return DONE;
}

/** Forwards a reply to another program on the account, and answers with its status: the service shows Sent or Failed. */
async function forwardReply(forward: Forward, log: Log, call: Call, raw: string): Promise<Answer> {
  const status = await forward(raw, headerOf(call, "content-type") ?? "application/json");
  log("callback.forwarded", { status });
  if (status >= 200 && status < 300) return DONE;
  // Never answer 3xx, which counts as success, nor 410, which may disable the address (RELIABILITY 3a).
  const reported = status >= 400 && status !== 410 ? status : status === 410 ? 404 : 502;
  const words = `the program behind this address answered ${status === 0 ? "nothing" : status}`;
  return { status: reported, body: { error: words } };
}

/**
 * Accepts an auto-recharge event: answers 200 once its key is durable, whatever happens later, and 200 to each repeat (R-624,
 * The same key with another sub-account or amount is not a repeat (RELIABILITY 3c.1, F26). R-624 does not cover that
 * case. A 200 would report a top-up that is never made, so the answer is 422, the log has an error, and nothing is granted.
 */
async function takeRecharge(deps: CallbackDeps, call: Call, raw: string): Promise<Answer> {
  const { id, event } = creditAccountOf(deps, call, raw);
  const outcome = await deps.recharges.receive(id, event);
  if (outcome === "lost") return LATER;
  if (outcome === "conflict") throw new RelayError("key_reused");
  return { status: 200, body: { success: true, duplicate: outcome === "duplicate" } };
}
