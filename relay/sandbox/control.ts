/**
 * The control API: the operations of `operator.ts` over HTTP under `/__sandbox`, with JSON (BEHAVIOUR 4.12).
 *
 *   GET   state · counts · config (every option with its values) · messages?fromId · outgoing?fromId
 *   GET   requests · callbacks                                    the journals, masked; all of them take ?limit=
 *   PATCH config {option: value, …}
 *   POST  reset · rotate-key
 *   POST  seed {lists, subAccounts: [{email, balance, threshold, rechargeAmount}], campaigns: {id: script}}
 *   POST  fail-next {route, n, status, when: before|after} or {route, n, fault: {kind, …}}
 *   POST  human-reply {fromId|contactId, body, mediaUrl} · follow-up {…, body, afterMs} · bot {…, active}
 *   POST  callback-to {toId, …} · redeliver {messageId}
 *   POST  recharge {email, key, amount, repeat, parallel} · spend {email, amount}
 *   POST  clock/advance {ms}                                      with the option clock=virtual
 *   POST  wait {fromId, messages, sent, timeoutMs}                answers when these numbers are reached
 */

import { type Fields, isFields } from "@porchlight/shared/json-fields";
import { type Context, Hono } from "hono";
import { ConfigError, maskedConfig } from "./config.ts";
import type { Fault, FaultRoute } from "./fault.ts";
import { isBlank } from "./fields.ts";
import type { Message } from "./messages.ts";
import { type ConversationId, OperationError, type Operator, type Seed } from "./operator.ts";
import { OPTIONS } from "./options.ts";
import type { RechargeAsk } from "./recharge.ts";
import type { Service } from "./service.ts";

/** The most messages, requests and callbacks in an answer. `?limit=` overrides it. */
const LIMIT = 1_000;

/** Longest time a `wait` may take, in milliseconds. */
const WAIT_MAX = 60_000;

async function fields(c: Context): Promise<Fields> {
  const text = await c.req.text();
  if (text === "") return {};
  // This also refuses simple cross-origin requests, which cannot have this type without a preflight (Fetch standard 4.8).
  if (!c.req.header("content-type")?.startsWith("application/json"))
    throw new OperationError(400, "Content-Type must be application/json");
  const body = jsonIn(text);
  if (!isFields(body)) throw new OperationError(400, "The body must be a JSON object");
  return body;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(body: Fields, name: string): string {
  const value = body[name];
  if (typeof value !== "string" || isBlank(value)) throw new OperationError(400, `${name} is required`);
  return value;
}

function optional<T extends "string" | "number" | "boolean">(body: Fields, name: string, type: T) {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw new OperationError(400, `${name} must be a ${type}`);
  return value as { string: string; number: number; boolean: boolean }[T];
}

function toOf(body: Fields): ConversationId {
  const fromId = optional(body, "fromId", "string");
  const contactId = optional(body, "contactId", "string");
  if (fromId === undefined && contactId === undefined) throw new OperationError(400, "fromId or contactId is required");
  return { ...(fromId === undefined ? {} : { fromId }), ...(contactId === undefined ? {} : { contactId }) };
}

/** The operator checks the scripts of campaigns. */
export function seedOf({ lists = [], subAccounts = [], campaigns = {} }: Fields): Seed {
  const isAccount = (value: unknown) => isFields(value) && typeof value.email === "string";
  if (!Array.isArray(lists) || !lists.every((listId) => typeof listId === "string")) {
    throw new OperationError(400, "lists must be a list of ids");
  }
  if (!Array.isArray(subAccounts) || !subAccounts.every(isAccount)) {
    throw new OperationError(400, "subAccounts must be a list of {email, balance?, threshold?, rechargeAmount?}");
  }
  if (!isFields(campaigns)) throw new OperationError(400, "campaigns must be {campaignId: script}");
  return { lists, subAccounts, campaigns: campaigns as NonNullable<Seed["campaigns"]> };
}

function rechargeOf(body: Fields): RechargeAsk {
  const [key, parallel] = [optional(body, "key", "string"), optional(body, "parallel", "boolean")];
  const [amount, repeat] = [optional(body, "amount", "number"), optional(body, "repeat", "number")];
  return {
    email: textOf(body, "email"),
    ...(key === undefined ? {} : { key }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(amount === undefined ? {} : { amount }),
    ...(repeat === undefined ? {} : { repeat }),
  };
}

/** A message to show: its file with the size (`null` for a link) instead of the bytes. */
function withoutFileBytes(message: Message): unknown {
  if (message.direction === "out" || message.media === undefined) return message;
  const { bytes, ...media } = message.media;
  return { ...message, media: { ...media, size: bytes?.length ?? null } };
}

const newest = <T>(c: Context, all: readonly T[]): T[] =>
  all.slice(-Math.max(1, Number(c.req.query("limit") ?? LIMIT)));

/** The routes below `/__sandbox`. Errors are `{"error": "a sentence"}`: 400 for wrong options, 404 for unknown operations. */
export function controlApi(service: Service, operator: Operator): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof OperationError) return c.json({ error: error.message }, error.status);
    return c.json({ error: error.message }, error instanceof ConfigError ? 400 : 500);
  });
  addReadRoutes(app, service, operator);
  addReplyRoutes(app, operator);
  addSetupRoutes(app, service, operator);
  app.all("/*", (c) => c.json({ error: "Unknown operation" }, 404));
  return app;
}

function addReadRoutes(app: Hono, { config }: Service, operator: Operator): void {
  app.get("/state", (c) => {
    const state = operator.state();
    return c.json({ ...state, messages: newest(c, state.messages).map(withoutFileBytes) });
  });
  app.get("/counts", (c) => c.json(operator.counts()));
  app.get("/config", (c) => {
    const values = maskedConfig(config);
    const options = Object.entries(OPTIONS).map(([name, { allowed, help, initial }]) => ({
      name,
      help,
      allowed,
      initial,
    }));
    return c.json({ values, options });
  });
  app.get("/messages", (c) => c.json(newest(c, operator.messages(c.req.query("fromId"))).map(withoutFileBytes)));
  app.get("/outgoing", (c) => c.json(newest(c, operator.outgoing(c.req.query("fromId")))));
  app.get("/requests", (c) => c.json(newest(c, operator.requests())));
  app.get("/callbacks", (c) => c.json(newest(c, operator.callbacks())));
}

function addReplyRoutes(app: Hono, operator: Operator): void {
  app.post("/human-reply", async (c) => {
    const body = await fields(c);
    const mediaUrl = optional(body, "mediaUrl", "string");
    const reply = { ...toOf(body), body: optional(body, "body", "string") ?? "" };
    return c.json(await operator.humanReply(mediaUrl === undefined ? reply : { ...reply, mediaUrl }));
  });
  app.post("/follow-up", async (c) => {
    const body = await fields(c);
    const afterMs = optional(body, "afterMs", "number");
    const reply = { ...toOf(body), body: textOf(body, "body") };
    const message = await operator.followUp(afterMs === undefined ? reply : { ...reply, afterMs });
    return c.json(message ?? { scheduled: true });
  });
  app.post("/callback-to", async (c) => {
    const body = await fields(c);
    return c.json(await operator.callbackTo({ ...body, toId: textOf(body, "toId") }));
  });
  app.post("/redeliver", async (c) => c.json(await operator.redeliver(textOf(await fields(c), "messageId"))));
  app.post("/bot", async (c) => {
    const body = await fields(c);
    operator.bot(toOf(body), optional(body, "active", "boolean"));
    return c.json({ success: true });
  });
}

function addSetupRoutes(app: Hono, service: Service, operator: Operator): void {
  const done = { success: true };
  app.post("/reset", (c) => {
    operator.reset();
    return c.json(done);
  });
  app.patch("/config", async (c) => {
    operator.configure(await fields(c));
    return c.json(maskedConfig(service.config));
  });
  app.post("/seed", async (c) => {
    operator.seed(seedOf(await fields(c)));
    return c.json(done);
  });
  app.post("/rotate-key", (c) => c.json({ apiKey: operator.rotateKey() }));
  app.post("/fail-next", async (c) => {
    const { route, n = 1, fault, ...flat } = await fields(c);
    const given = fault ?? { kind: "status", ...flat };
    operator.failNext(route as FaultRoute, Number(n), given as Fault);
    return c.json(done);
  });
  app.post("/recharge", async (c) => {
    const body = await fields(c);
    return c.json(await operator.recharge(rechargeOf(body)));
  });
  app.post("/spend", async (c) => {
    const body = await fields(c);
    const amount = optional(body, "amount", "number") ?? 0;
    return c.json((await operator.spend({ email: textOf(body, "email"), amount })) ?? done);
  });
  app.post("/clock/advance", async (c) => {
    await operator.advance(optional(await fields(c), "ms", "number") ?? 0);
    return c.json({ now: service.clock.now() });
  });
  app.post("/wait", async (c) => c.json(await waitFor(service, operator, await fields(c))));
}

/** Answers when at least the given numbers of messages and callbacks are reached, of one sender or of all. */
async function waitFor({ changes }: Service, operator: Operator, body: Fields): Promise<unknown> {
  const fromId = optional(body, "fromId", "string");
  const wanted = { messages: optional(body, "messages", "number") ?? 0, sent: optional(body, "sent", "number") ?? 0 };
  const counted = () => ({
    messages: operator.messages(fromId).length,
    sent: operator.outgoing(fromId).filter(({ status }) => status === "Sent").length,
  });
  const enough = () => counted().messages >= wanted.messages && counted().sent >= wanted.sent;
  await changes.until(enough, Math.min(optional(body, "timeoutMs", "number") ?? 10_000, WAIT_MAX));
  return counted();
}
