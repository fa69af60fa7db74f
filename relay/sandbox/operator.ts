/** What a test, the control plane or a person in the inbox can do with the sandbox and read from it (BEHAVIOUR 4.12). */

import { type BotScript, isScript } from "./bots.ts";
import { applyPatch, checkPatch, initialConfig, maskedConfig } from "./config.ts";
import type { Contact } from "./contacts.ts";
import type { Grant, SubAccount, SubAccountSeed } from "./credits.ts";
import { type Fault, type FaultKind, type FaultRoute, isFault, isFaultRoute, toFault } from "./fault.ts";
import { type CallbackEntry, maskUrl, type RequestEntry } from "./journal.ts";
import type { Conversation, IncomingMessage, Message, OutgoingMessage } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import type { RechargeAsk, RechargeEvent } from "./recharge.ts";
import type { Service } from "./service.ts";

export type Seed = {
  lists?: readonly string[];
  subAccounts?: readonly SubAccountSeed[];
  /** Campaign id → script of its bot. */
  campaigns?: Readonly<Record<string, BotScript>>;
};

/** One of the two names the conversation. */
export type To = { fromId?: string; contactId?: string };

export type State = {
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

/** Since the start or the last reset, also of what the journals have forgotten. */
export type Counts = {
  requests: number;
  callbacks: number;
  authFailures: number;
  incoming: number;
  outgoing: number;
};

/** An order that cannot be carried out; the control plane answers with its status. */
export class OrderError extends Error {
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
  /** The next `n` requests of `route` meet `fault`: a status, a kind, or a whole fault. */
  failNext(route: FaultRoute, n: number, fault: Fault | FaultKind | number): void;
  /** A reply typed by a person. Resolves when the callback's first try is over; `status` says how it went. */
  humanReply(reply: To & { body: string; mediaUrl?: string }): Promise<OutgoingMessage>;
  /** A campaign's message that nobody asked for, at once or `afterMs` later. */
  followUp(reply: To & { body: string; afterMs?: number }): Promise<OutgoingMessage | undefined>;
  /** A callback to any `toId`, known here or not; every field can be set. Nothing is stored. */
  callbackTo(payload: { toId: string } & Record<string, unknown>): Promise<CallbackEntry>;
  /** Posts a stored reply again under the same messageId. */
  redeliver(messageId: string): Promise<OutgoingMessage>;
  /** Sends an auto-recharge event. Resolves when all its deliveries are answered. */
  recharge(ask: RechargeAsk): Promise<RechargeEvent>;
  /** Takes credits from a sub-account; falling under its threshold sends an auto-recharge event. */
  spend(spending: { email: string; amount: number }): Promise<RechargeEvent | undefined>;
  /** Turns the bot on or off for one contact; `undefined` follows the option again. */
  bot(to: To, active: boolean | undefined): void;
  /** A new account key; the old one is dead at once. */
  rotateKey(): string;
  /** Moves virtual time (option `clock`). */
  advance(ms: number): Promise<void>;
  state(): State;
  /** How much of everything there was: cheap enough to ask after every message of a long run. */
  counts(): Counts;
  /** Incoming messages in the order they were processed, of one sender or of all. */
  messages(fromId?: string): readonly IncomingMessage[];
  /** Replies and sent messages in the order they were made, of one contact or of all. */
  outgoing(fromId?: string): readonly OutgoingMessage[];
  /** Newest requests, oldest first. */
  requests(): RequestEntry[];
  /** Newest tries to post a callback, oldest first. */
  callbacks(): CallbackEntry[];
  /** As right after the start: nothing happened, nothing seeded, options as they were given. */
  reset(): void;
};

export function makeOperator(service: Service): Operator {
  const { config, clock, contacts, messages, replies, callbacks, credits, recharges, journal, changes } = service;
  const startConfig = { ...config };

  function conversationOf({ fromId, contactId }: To): Conversation {
    const sender = fromId ?? (contactId === undefined ? undefined : contacts.get(contactId)?.fromId);
    const conversation = sender === undefined ? undefined : messages.conversation(sender);
    if (conversation === undefined) throw new OrderError(404, "No conversation with this contact");
    return conversation;
  }

  function configure(patch: Partial<SandboxConfig>): void {
    const checked = checkPatch(patch);
    applyPatch(config, checked);
    if (checked.callbackUrl && config.verifyOnSave) void verify(checked.callbackUrl);
    changes.touch();
  }

  /** Asks a new callback URL with GET, as a service might when it is saved. */
  async function verify(url: string): Promise<void> {
    const ask = { method: "GET", url, timeoutMs: config.callbackTimeoutMs, maxBytes: 1_000_000 } as const;
    const status = await service.poster.request(ask).then(
      (answer) => answer.status,
      () => undefined,
    );
    const ok = status !== undefined && status < 400;
    const entry: CallbackEntry = {
      at: clock.now(),
      kind: "check",
      url: maskUrl(url),
      attempt: 0,
      ok,
      payload: null,
      ms: 0,
    };
    journal.callbacks.add(status === undefined ? entry : { ...entry, status });
    changes.touch();
  }

  async function humanReply(reply: To & { body: string; mediaUrl?: string }): Promise<OutgoingMessage> {
    const conversation = conversationOf(reply);
    const body = bodyWithFile(reply, config);
    const { message, posted } = replies.send(conversation, {
      body,
      origin: "human",
      ...(reply.mediaUrl === undefined ? {} : { mediaUrl: reply.mediaUrl }),
    });
    conversation.unread = 0;
    changes.touch();
    await posted;
    return message;
  }

  async function followUp(reply: To & { body: string; afterMs?: number }): Promise<OutgoingMessage | undefined> {
    const conversation = conversationOf(reply);
    const send = () => replies.send(conversation, { body: reply.body, origin: "followUp" });
    if (reply.afterMs !== undefined && reply.afterMs > 0) {
      clock.after(reply.afterMs, () => void send());
      return undefined;
    }
    const { message, posted } = send();
    await posted;
    return message;
  }

  function callbackTo(fields: { toId: string } & Record<string, unknown>): Promise<CallbackEntry> {
    const { toId, ...others } = fields;
    if (config.callbackUrl === "") throw new OrderError(400, "No callbackUrl is set");
    const stranger = { contactId: service.newId(), messageId: service.newId(), body: "Hello from elsewhere" };
    const payload = { ...callbacks.payload({ ...stranger, fromId: toId }), ...others };
    return callbacks.post(config.callbackUrl, payload, { kind: "foreign", toId });
  }

  async function redeliver(messageId: string): Promise<OutgoingMessage> {
    const message = messages.get(messageId);
    if (message?.direction !== "out") throw new OrderError(404, "No such reply");
    await callbacks.deliver(message);
    return message;
  }

  async function spend({ email, amount }: { email: string; amount: number }): Promise<RechargeEvent | undefined> {
    const account = credits.find(email);
    if (account === undefined) throw new OrderError(404, "No such sub-account");
    const low = credits.spend(account, amount);
    changes.touch();
    return low ? recharges.send({ email: account.email }) : undefined;
  }

  function rotateKey(): string {
    // A key as awkward as the first one: a client that fails to encode it must fail here, not at the owner's.
    config.apiKey = `${service.newId()}+/=&${service.newId()}`;
    changes.touch();
    return config.apiKey;
  }

  const counts = (): Counts => ({
    requests: journal.requests.total,
    callbacks: journal.callbacks.total,
    authFailures: journal.authFailures,
    incoming: messages.incoming().length,
    outgoing: messages.outgoing().length,
  });

  function state(): State {
    return {
      config: maskedConfig(config),
      contacts: contacts.all(),
      messages: messages.conversations().flatMap((conversation) => conversation.messages),
      lists: service.lists.all(),
      campaigns: service.campaigns.all(),
      subAccounts: credits.all(),
      grants: credits.history(),
      recharges: recharges.all(),
      counts: counts(),
    };
  }

  const said = (fromId: string) => messages.conversation(fromId)?.messages ?? [];

  return {
    configure,
    seed({ lists = [], subAccounts = [], campaigns = {} }) {
      if (!Object.values(campaigns).every(isScript)) throw new OrderError(400, "A campaign's script is not one");
      service.lists.seed(lists);
      credits.seed(subAccounts);
      service.campaigns.seed(campaigns);
      changes.touch();
    },
    failNext(route, n, fault) {
      const written = toFault(fault);
      if (!isFaultRoute(route) || !isFault(written)) throw new OrderError(400, "No such route or fault");
      service.faults.failNext(route, n, written);
    },
    humanReply,
    followUp,
    callbackTo,
    redeliver,
    recharge: (ask) => recharges.send(ask),
    spend,
    bot(to, active) {
      const conversation = conversationOf(to);
      if (active === undefined) delete conversation.botActive;
      else conversation.botActive = active;
      changes.touch();
    },
    rotateKey,
    async advance(ms) {
      if (config.clock === "real") throw new OrderError(400, "Real time cannot be advanced: set clock to virtual");
      await clock.advance(ms);
    },
    state,
    counts,
    messages: (fromId) =>
      fromId === undefined ? messages.incoming() : said(fromId).filter((m) => m.direction === "in"),
    outgoing: (fromId) =>
      fromId === undefined ? messages.outgoing() : said(fromId).filter((m) => m.direction === "out"),
    requests: () => journal.requests.list(),
    callbacks: () => journal.callbacks.list(),
    reset() {
      service.clear();
      Object.assign(config, initialConfig(), startConfig);
    },
  };
}

/** How a person's file reaches the client, if at all. */
function bodyWithFile({ body, mediaUrl }: { body: string; mediaUrl?: string }, config: SandboxConfig): string {
  if (mediaUrl === undefined) {
    if (body === "") throw new OrderError(400, "A reply needs a body");
    return body;
  }
  if (config.humanAttachment === "emptyBody") return "";
  return config.humanAttachment === "urlInBody" ? `${body}\n${mediaUrl}`.trim() : body;
}
