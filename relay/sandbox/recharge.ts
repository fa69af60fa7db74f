/** Auto-recharge events of sub-accounts (interface 6, BEHAVIOUR 4.10, R-62x). All fields but the key are invented. */

import type { Callbacks, Payload } from "./callbacks.ts";
import type { Credits, Grant } from "./credits.ts";
import type { CallbackEntry } from "./journal.ts";
import type { SandboxConfig } from "./options.ts";

export type RechargeAsk = {
  email: string;
  /** The idempotency key; a new one when absent. Give an old one to send that event again. */
  key?: string;
  amount?: number;
  /** Sends again this often, instead of the option `rechargeRepeat`. */
  repeat?: number;
  /** At the same time, instead of the option `rechargeParallel`. */
  parallel?: boolean;
};

export type RechargeEvent = {
  idempotencyKey: string;
  email: string;
  at: number;
  deliveries: CallbackEntry[];
  /** Grants that came for it: a client that is right gives exactly one. */
  grants: Grant[];
};

export type Recharges = {
  /** Sends the event. Resolves when all its deliveries are answered. */
  send(ask: RechargeAsk): Promise<RechargeEvent>;
  /** Links a grant to the event whose key its description names, else to the newest event of that e-mail. */
  link(grant: Grant): void;
  all(): readonly RechargeEvent[];
  clear(): void;
};

export function makeRecharges(parts: {
  config: SandboxConfig;
  credits: Credits;
  callbacks: Callbacks;
  newKey: () => string;
  now: () => number;
}): Recharges {
  const { config, credits, callbacks, newKey, now } = parts;
  let events: RechargeEvent[] = [];

  const url = () => (config.rechargeDestination === "replyUrl" ? config.callbackUrl : config.rechargeUrl);

  function extras(ask: RechargeAsk): Payload {
    if (config.rechargeFields === "minimal") return {};
    const account = credits.find(ask.email);
    return {
      email: ask.email,
      sub_account_id: account?.id,
      balance: account?.balance,
      threshold: account?.threshold,
      amount: ask.amount ?? account?.rechargeAmount,
      sandbox_note: "All fields but the idempotency key are invented by the sandbox",
    };
  }

  function eventFor(ask: RechargeAsk): RechargeEvent {
    const known = events.find((event) => event.idempotencyKey === ask.key);
    if (known !== undefined) return known;
    const email = ask.email.trim().toLowerCase();
    const event: RechargeEvent = { idempotencyKey: ask.key ?? newKey(), email, at: now(), deliveries: [], grants: [] };
    events.push(event);
    return event;
  }

  async function send(ask: RechargeAsk): Promise<RechargeEvent> {
    const event = eventFor(ask);
    if (url() === "") return event;
    const key = { [config.rechargeKeyName]: event.idempotencyKey };
    const asHeader = config.rechargeKeyName === "Idempotency-Key";
    const payload: Payload = asHeader ? extras(ask) : { ...key, ...extras(ask) };
    const post = async () => {
      event.deliveries.push(await callbacks.post(url(), payload, { kind: "recharge" }, asHeader ? key : {}));
    };
    const times = 1 + (ask.repeat ?? config.rechargeRepeat);
    if (ask.parallel ?? config.rechargeParallel) await Promise.all(Array.from({ length: times }, post));
    else for (let i = 0; i < times; i++) await post();
    return event;
  }

  return {
    send,
    link(grant) {
      const named = events.find(({ idempotencyKey }) => grant.description?.includes(idempotencyKey));
      (named ?? events.findLast(({ email }) => email === grant.email))?.grants.push(grant);
    },
    all: () => events,
    clear() {
      events = [];
    },
  };
}
