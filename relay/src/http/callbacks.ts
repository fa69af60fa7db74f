import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { RelayError } from "../base/errors.ts";
import { hashed, type Log } from "../base/log.ts";
import { type CreditRules, mappedEmail } from "../base/rules.ts";
import { anySecret } from "../base/sign.ts";
import type { Receive } from "../flows/receive.ts";
import type { Recharges } from "../flows/recharges.ts";
import { FORWARDED, type Forward } from "../hooks/forward.ts";
import { parseCallback } from "../service/callbacks.ts";
import { parseRecharge, type Recharge } from "../service/recharge.ts";
import { readBody } from "./body.ts";
import { SIZES } from "./doors.ts";
import type { Guesses } from "./guesses.ts";

/** Nothing else below `/callbacks` exists: who mistypes the address must not be told that it is right. */
const ADDRESS = "/callbacks/:kind{reply|recharge}/:secret";

type Bindings = { Bindings: HttpBindings };

type Parts = {
  receive: Receive;
  recharges: Recharges;
  /** The accounts that callbacks of this address may be for: the one named in `?account=`, or all that have rules. */
  agencies: (named: string | undefined) => { id: string; rules: CreditRules }[];
  secrets: () => readonly string[];
  /** Where a request came from, and whether callbacks may come from there. */
  from: { address: (request: IncomingMessage) => string; allowed: (address: string) => boolean };
  /** Limits guessing at the secrets. */
  guesses: Guesses;
  log: Log;
  unknownContact: 200 | 404;
  /** Where replies for nobody here go on to, if anywhere. */
  forward: Forward | undefined;
  /** Keeps a secret out of the log from now on. */
  hide: (secret: string) => void;
};

/**
 * The door for the service's callbacks. The secret in the path is checked before a byte of the body is read; a wrong one
 * looks like any address that does not exist. Statuses: RELIABILITY 3a.
 */
export function callbacks(parts: Parts): Hono<Bindings> {
  const { secrets, from, log } = parts;
  const app = new Hono<Bindings>();

  app.use(ADDRESS, async (c, next) => {
    const address = from.address(c.env.incoming);
    if (await parts.guesses.admits(address, anySecret(c.req.param("secret"), secrets()))) {
      // Asking with GET shows nothing and changes nothing: whoever enters the address may check it from elsewhere.
      if (c.req.method === "POST" && !from.allowed(address)) {
        log("callback.wrong_address", { address });
        return c.notFound();
      }
      // On a connection that is kept, the next callback could meet a relay that is just closing it to stop: it would be
      // lost, because no second try is promised. A new connection waits for the next life instead (RELIABILITY F31).
      c.header("Connection", "close");
      return next();
    }
    log("callback.wrong_secret");
    return c.notFound();
  });
  // Checkers of addresses ask with GET before they save them.
  app.get(ADDRESS, (c) => c.text("ok"));
  app.post("/callbacks/reply/:secret", (c) => takeReply(parts, c));
  app.post("/callbacks/recharge/:secret", async (c) =>
    takeRecharge(parts, c, await readBody(c.env.incoming, SIZES.callback)),
  );
  app.all(ADDRESS, (c) => {
    c.header("Allow", "GET, HEAD, POST");
    throw new RelayError("method_not_allowed");
  });
  return app;
}

const KEY_HEADER = "idempotency-key";

/**
 * The account that an event is for, and the event as its rules read it. Where several accounts are agencies and the
 * address names none of them, only a map of sub-accounts that knows this one can say which: credits are never granted by
 * a guess.
 */
function agencyOf({ agencies, log }: Parts, c: Context<Bindings>, raw: string): { id: string; event: Recharge } {
  const able = agencies(c.req.query("account"));
  if (able.length === 0) throw new RelayError("not_found");
  const read = able.flatMap(({ id, rules }) => {
    const event = parseRecharge(raw, c.req.header(KEY_HEADER), rules.fields);
    return event === undefined ? [] : [{ id, rules, event }];
  });
  if (read.length === 0) throw new RelayError("missing_field", "idempotency_key");
  const mapped = read.filter(({ rules, event }) => mappedEmail(rules, event.subAccount) !== undefined);
  const [meant, ...others] = able.length === 1 ? read : mapped;
  if (meant !== undefined && others.length === 0) return meant;
  log("credits.which_account", { key: read[0]?.event.key, accounts: able.map(({ id }) => id) });
  throw new RelayError("which_account");
}

async function takeReply(parts: Parts, c: Context<Bindings>): Promise<Response> {
  const { receive, log, unknownContact, hide } = parts;
  const raw = await readBody(c.env.incoming, SIZES.callback);
  const callback = parseCallback(raw, hide);
  const nobody = callback.kind === "refused" && callback.field === "toId";
  // An account may have one address only: what names a key and nobody is a recharge.
  if (callback.kind === "recharge" || (nobody && c.req.header(KEY_HEADER) !== undefined))
    return takeRecharge(parts, c, raw);
  if (callback.kind === "refused") {
    log("callback.refused", { code: callback.code, field: callback.field });
    throw new RelayError(callback.code, callback.field);
  }
  const named = c.req.query("account");
  if (named !== undefined && parts.agencies(named).length === 0) throw new RelayError("not_found");
  const outcome = await receive.receive(callback, named);
  if (outcome === "lost") {
    c.header("Retry-After", "30");
    throw new RelayError("try_later");
  }
  if (outcome === "unknown" && parts.forward !== undefined && c.req.header(FORWARDED) === undefined)
    return passOn(parts.forward, log, c, raw);
  if (outcome === "unknown") {
    log("callback.unknown_contact", { visitor: hashed(callback.toId) });
    if (unknownContact === 404) throw new RelayError("unknown_contact");
  } else log(outcome === "duplicate" ? "callback.duplicate" : "callback.stored", { visitor: hashed(callback.toId) });
  c.env.outgoing.once("finish", () => receive.answered(callback));
  return c.json({ success: true });
}

/** Another program on the account answers for its own contacts: the service shows Sent or Failed as it says. */
async function passOn(forward: Forward, log: Log, c: Context<Bindings>, raw: string): Promise<Response> {
  const status = await forward(raw, c.req.header("content-type") ?? "application/json");
  log("callback.forwarded", { status });
  if (status >= 200 && status < 300) return c.json({ success: true });
  // Never 3xx, which carries on, nor 410, which may end the address for all (RELIABILITY 3a).
  const told = status >= 400 && status !== 410 ? status : status === 410 ? 404 : 502;
  return c.json(
    { error: `the program behind this address answered ${status === 0 ? "nothing" : status}` },
    told as 502,
  );
}

/**
 * An auto-recharge event: 200 once its key is durable, whatever it leads to, and 200 for each repeat of it, for ever
 * . The same key with another sub-account or amount is no repeat: RELIABILITY 3c.1 and F26 name that very
 * case, which R-624 does not, and a 200 would tell the service that a top-up was taken which will never be made. So it is
 * 422 with an alarm in the log; nothing is granted either way.
 */
async function takeRecharge(parts: Parts, c: Context<Bindings>, raw: string): Promise<Response> {
  const { id, event } = agencyOf(parts, c, raw);
  const outcome = await parts.recharges.receive(id, event);
  if (outcome === "lost") {
    c.header("Retry-After", "30");
    throw new RelayError("try_later");
  }
  if (outcome === "conflict") throw new RelayError("key_reused");
  return c.json({ success: true, duplicate: outcome === "duplicate" });
}
