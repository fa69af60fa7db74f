/** Auto-recharge events of sub-accounts (interface 6, BEHAVIOUR 4.10, R-620 to R-625). All fields except the key are invented. */

import type { Callbacks } from "./callbacks.ts";
import type { Credits, Grant } from "./credits.ts";
import type { CallbackEntry } from "./journal.ts";
import type { SandboxConfig } from "./options.ts";
import type { Payload } from "./payload.ts";

export type RechargeAsk = {
  email: string;
  /** Idempotency key. With the key of an earlier event, that event is sent again. Default: a new key. */
  key?: string;
  amount?: number;
  /** Number of repeats; overrides the option `rechargeRepeat`. */
  repeat?: number;
  /** Repeats go out at the same time; overrides the option `rechargeParallel`. */
  parallel?: boolean;
};

export type RechargeEvent = {
  idempotencyKey: string;
  email: string;
  at: number;
  deliveries: CallbackEntry[];
  /** The grants for this event: a correct client makes exactly one. */
  grants: Grant[];
};

export type Recharges = {
  /** Sends the event. Resolves when all its deliveries are answered. */
  send(ask: RechargeAsk): Promise<RechargeEvent>;
  /** Links a grant to the event whose key its description contains, otherwise to the newest event of its email. */
  link(grant: Grant): void;
  all(): readonly RechargeEvent[];
  clear(): void;
};

type RechargeDeps = {
  config: SandboxConfig;
  credits: Credits;
  callbacks: Callbacks;
  newKey: () => string;
  now: () => number;
};

/** @returns a history that keeps every event, also one that had no URL */
export function createRecharges(deps: RechargeDeps): Recharges {
  let events: RechargeEvent[] = [];

  function eventFor({ key, email }: RechargeAsk): RechargeEvent {
    const known = events.find(({ idempotencyKey }) => idempotencyKey === key);
    if (known !== undefined) return known;
    const about = { idempotencyKey: key ?? deps.newKey(), email: email.trim().toLowerCase(), at: deps.now() };
    const event: RechargeEvent = { ...about, deliveries: [], grants: [] };
    events.push(event);
    return event;
  }

  return {
    async send(ask) {
      const event = eventFor(ask);
      await deliver(deps, ask, event);
      return event;
    },
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

/** Posts the event, and its repeats. Without a URL it posts nothing. */
async function deliver(
  { config, credits, callbacks }: RechargeDeps,
  ask: RechargeAsk,
  event: RechargeEvent,
): Promise<void> {
  const url = config.rechargeDestination === "replyUrl" ? config.callbackUrl : config.rechargeUrl;
  if (url === "") return;
  const key = { [config.rechargeKeyName]: event.idempotencyKey };
  const isHeader = config.rechargeKeyName === "Idempotency-Key";
  const fields = config.rechargeFields === "minimal" ? {} : extraFields(credits, ask);
  const payload: Payload = isHeader ? fields : { ...key, ...fields };
  const post = async () => {
    event.deliveries.push(await callbacks.post(url, payload, { kind: "recharge" }, isHeader ? key : {}));
  };
  const times = 1 + (ask.repeat ?? config.rechargeRepeat);
  if (ask.parallel ?? config.rechargeParallel) await Promise.all(Array.from({ length: times }, post));
  else for (let i = 0; i < times; i++) await post();
}

function extraFields(credits: Credits, { email, amount }: RechargeAsk): Payload {
  const account = credits.find(email);
  return {
    email,
    sub_account_id: account?.id,
    balance: account?.balance,
    threshold: account?.threshold,
    amount: amount ?? account?.rechargeAmount,
    sandbox_note: "All fields except the idempotency key are invented by the sandbox",
  };
}
