/** The operations of tests, of the control API and of the inbox on the sandbox (BEHAVIOUR 4.12). */

import { type BotScript, isScript } from "./bots.ts";
import { applyPatch, checkPatch, initialConfig, maskedConfig } from "./config.ts";
import type { Contact } from "./contacts.ts";
import type { Grant, SubAccount, SubAccountSeed } from "./credits.ts";
import { type Fault, type FaultKind, type FaultRoute, isFault, isFaultRoute, toFault } from "./fault.ts";
import { type CallbackEntry, maskUrl, type RequestEntry } from "./journal.ts";
import type { Conversation, IncomingMessage, Message, OutgoingMessage } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import { payloadOf } from "./payload.ts";
import type { RechargeAsk, RechargeEvent } from "./recharge.ts";
import type { Service } from "./service.ts";

export type Seed = {
  lists?: readonly string[];
  subAccounts?: readonly SubAccountSeed[];
  /** Campaign id → script of its bot. */
  campaigns?: Readonly<Record<string, BotScript>>;
};

/** Identifies a conversation by one of the two. */
export type ConversationId = { fromId?: string; contactId?: string };

export type SandboxState = {
  config: SandboxConfig;
  contacts: Contact[];
  messages: Message[];
  /** List id → contact ids. */
  lists: Record<string, string[]>;
  campaigns: Record<string, BotScript>;
  subAccounts: SubAccount[];
  grants: readonly Grant[];
  recharges: readonly RechargeEvent[];
  counts: Counts;
};

/** Totals since the start or the last reset. They include entries that the journals no longer hold. */
export type Counts = {
  requests: number;
  callbacks: number;
  authFailures: number;
  incoming: number;
  outgoing: number;
};

/** An operation that is not possible. The control API answers with `status`. */
export class OperationError extends Error {
  readonly status: 400 | 404 | 502;

  constructor(status: 400 | 404 | 502, message: string) {
    super(message);
    this.status = status;
  }
}

export type Operator = {
  /** Changes options live. @throws ConfigError */
  configure(patch: Partial<SandboxConfig>): void;
  seed(seed: Seed): void;
  /** The next `n` requests of `route` get `fault`: a status, a kind, or a complete fault. */
  failNext(route: FaultRoute, n: number, fault: Fault | FaultKind | number): void;
  /** Sends a person's reply. Resolves after the first attempt of its callback, with the outcome in `status`. */
  humanReply(reply: ConversationId & { body: string; mediaUrl?: string }): Promise<OutgoingMessage>;
  /** Sends an unrequested message of a campaign, at once or `afterMs` later. */
  followUp(reply: ConversationId & { body: string; afterMs?: number }): Promise<OutgoingMessage | undefined>;
  /** Posts a callback to any `toId`, known or not, with the given fields. Stores nothing. */
  callbackTo(payload: { toId: string } & Record<string, unknown>): Promise<CallbackEntry>;
  /** Posts a stored reply again with the same messageId. */
  redeliver(messageId: string): Promise<OutgoingMessage>;
  /** Sends an auto-recharge event. Resolves when all its deliveries are answered. */
  recharge(ask: RechargeAsk): Promise<RechargeEvent>;
  /** Takes credits from a sub-account. Below its threshold, sends an auto-recharge event. */
  spend(spending: { email: string; amount: number }): Promise<RechargeEvent | undefined>;
  /** Turns the bot on or off for one contact. `undefined`: as the option says. */
  bot(to: ConversationId, active: boolean | undefined): void;
  /** Replaces the account key. The old one is invalid at once. @returns the new key */
  rotateKey(): string;
  /** Moves virtual time (option `clock`). */
  advance(ms: number): Promise<void>;
  state(): SandboxState;
  /** Totals only: cheap enough for a call after every message of a long run. */
  counts(): Counts;
  /** Incoming messages in processing order, of one sender or of all. */
  messages(fromId?: string): readonly IncomingMessage[];
  /** Outgoing messages in order of creation, to one contact or to all. */
  outgoing(fromId?: string): readonly OutgoingMessage[];
  /** The newest requests, oldest first. */
  requests(): RequestEntry[];
  /** The newest callback attempts, oldest first. */
  callbacks(): CallbackEntry[];
  /** Restores the state after the start: no data, no seed, the given options. */
  reset(): void;
};

/** Remembers the present options: `reset` restores them. */
export function createOperator(service: Service): Operator {
  const { config, messages, recharges, journal } = service;
  const startConfig = { ...config };
  return {
    configure: (patch) => configure(service, patch),
    seed: (seed) => addSeed(service, seed),
    failNext: (route, n, fault) => failNext(service, route, n, fault),
    humanReply: (reply) => humanReply(service, reply),
    followUp: (reply) => followUp(service, reply),
    callbackTo: (fields) => callbackTo(service, fields),
    redeliver: (messageId) => redeliver(service, messageId),
    recharge: (ask) => recharges.send(ask),
    spend: (spending) => spend(service, spending),
    bot: (to, active) => switchBot(service, to, active),
    rotateKey: () => rotateKey(service),
    advance: (ms) => advance(service, ms),
    state: () => stateOf(service),
    counts: () => countsOf(service),
    messages: (fromId) =>
      fromId === undefined ? messages.incoming() : messagesWith(service, fromId).filter((m) => m.direction === "in"),
    outgoing: (fromId) =>
      fromId === undefined ? messages.outgoing() : messagesWith(service, fromId).filter((m) => m.direction === "out"),
    requests: () => journal.requests.list(),
    callbacks: () => journal.callbacks.list(),
    reset() {
      service.clear();
      Object.assign(config, initialConfig(), startConfig);
    },
  };
}

/** @throws OperationError 404 when the conversation does not exist */
function conversationOf({ contacts, messages }: Service, { fromId, contactId }: ConversationId): Conversation {
  const sender = fromId ?? (contactId === undefined ? undefined : contacts.get(contactId)?.fromId);
  const conversation = sender === undefined ? undefined : messages.conversation(sender);
  if (conversation === undefined) throw new OperationError(404, "No conversation with this contact");
  return conversation;
}

const messagesWith = ({ messages }: Service, fromId: string): Message[] =>
  messages.conversation(fromId)?.messages ?? [];

function configure(service: Service, patch: Partial<SandboxConfig>): void {
  const checked = checkPatch(patch);
  applyPatch(service.config, checked);
  if (checked.callbackUrl && service.config.verifyOnSave) void verify(service, checked.callbackUrl);
  service.changes.touch();
}

/** Sends a GET to a new callback URL, as a service may do when it is saved. */
async function verify({ config, clock, journal, changes, poster }: Service, url: string): Promise<void> {
  const ask = { method: "GET", url, timeoutMs: config.callbackTimeoutMs, maxBytes: 1_000_000 } as const;
  const status = await poster.request(ask).then(
    (answer) => answer.status,
    () => undefined,
  );
  const ok = status !== undefined && status < 400;
  const base = { at: clock.now(), kind: "check", url: maskUrl(url), attempt: 0, payload: null, ms: 0 } as const;
  const entry: CallbackEntry = { ...base, ok };
  journal.callbacks.add(status === undefined ? entry : { ...entry, status });
  changes.touch();
}

function addSeed(service: Service, { lists = [], subAccounts = [], campaigns = {} }: Seed): void {
  if (!Object.values(campaigns).every(isScript)) throw new OperationError(400, "A campaign has an invalid script");
  service.lists.seed(lists);
  service.credits.seed(subAccounts);
  service.campaigns.seed(campaigns);
  service.changes.touch();
}

function failNext({ faults }: Service, route: FaultRoute, n: number, fault: Fault | FaultKind | number): void {
  const written = toFault(fault);
  if (!isFaultRoute(route) || !isFault(written)) throw new OperationError(400, "No such route or fault");
  faults.failNext(route, n, written);
}

async function humanReply(
  service: Service,
  reply: ConversationId & { body: string; mediaUrl?: string },
): Promise<OutgoingMessage> {
  const conversation = conversationOf(service, reply);
  const body = bodyWithFile(reply, service.config);
  const { message, posted } = service.replies.send(conversation, {
    body,
    origin: "human",
    ...(reply.mediaUrl === undefined ? {} : { mediaUrl: reply.mediaUrl }),
  });
  conversation.unread = 0;
  service.changes.touch();
  await posted;
  return message;
}

async function followUp(
  service: Service,
  reply: ConversationId & { body: string; afterMs?: number },
): Promise<OutgoingMessage | undefined> {
  const conversation = conversationOf(service, reply);
  const send = () => service.replies.send(conversation, { body: reply.body, origin: "followUp" });
  if (reply.afterMs !== undefined && reply.afterMs > 0) {
    service.clock.after(reply.afterMs, () => void send());
    return undefined;
  }
  const { message, posted } = send();
  await posted;
  return message;
}

function callbackTo(
  { config, callbacks, newId }: Service,
  fields: { toId: string } & Record<string, unknown>,
): Promise<CallbackEntry> {
  const { toId, ...others } = fields;
  if (config.callbackUrl === "") throw new OperationError(400, "No callbackUrl is set");
  const reply = { contactId: newId(), messageId: newId(), body: "Hello from elsewhere", fromId: toId };
  const payload = { ...payloadOf(reply, config), ...others };
  return callbacks.post(config.callbackUrl, payload, { kind: "foreign", toId });
}

async function redeliver({ messages, callbacks }: Service, messageId: string): Promise<OutgoingMessage> {
  const message = messages.get(messageId);
  if (message?.direction !== "out") throw new OperationError(404, "No such reply");
  await callbacks.deliver(message);
  return message;
}

async function spend(
  { credits, recharges, changes }: Service,
  { email, amount }: { email: string; amount: number },
): Promise<RechargeEvent | undefined> {
  const account = credits.find(email);
  if (account === undefined) throw new OperationError(404, "No such sub-account");
  const isBelowThreshold = credits.spend(account, amount);
  changes.touch();
  return isBelowThreshold ? recharges.send({ email: account.email }) : undefined;
}

function switchBot(service: Service, to: ConversationId, active: boolean | undefined): void {
  const conversation = conversationOf(service, to);
  if (active === undefined) delete conversation.botActive;
  else conversation.botActive = active;
  service.changes.touch();
}

function rotateKey({ config, changes, newId }: Service): string {
  // The new key also has characters that must be encoded, so that tests find a client that does not encode it.
  config.apiKey = `${newId()}+/=&${newId()}`;
  changes.touch();
  return config.apiKey;
}

async function advance({ config, clock }: Service, ms: number): Promise<void> {
  if (config.clock === "real") throw new OperationError(400, "Real time cannot be advanced: set clock to virtual");
  await clock.advance(ms);
}

const countsOf = ({ journal, messages }: Service): Counts => ({
  requests: journal.requests.total,
  callbacks: journal.callbacks.total,
  authFailures: journal.authFailures,
  incoming: messages.incoming().length,
  outgoing: messages.outgoing().length,
});

function stateOf(service: Service): SandboxState {
  const { config, contacts, messages, credits, recharges, lists, campaigns } = service;
  return {
    config: maskedConfig(config),
    contacts: contacts.all(),
    messages: messages.conversations().flatMap((conversation) => conversation.messages),
    lists: lists.all(),
    campaigns: campaigns.all(),
    subAccounts: credits.all(),
    grants: credits.history(),
    recharges: recharges.all(),
    counts: countsOf(service),
  };
}

/**
 * The body of a person's reply with a file, as the option `humanAttachment` says.
 * @throws OperationError 400 without a body
 */
function bodyWithFile({ body, mediaUrl }: { body: string; mediaUrl?: string }, config: SandboxConfig): string {
  if (mediaUrl === undefined) {
    if (body === "") throw new OperationError(400, "A reply needs a body");
    return body;
  }
  if (config.humanAttachment === "emptyBody") return "";
  return config.humanAttachment === "urlInBody" ? `${body}\n${mediaUrl}`.trim() : body;
}
