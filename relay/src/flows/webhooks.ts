import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { EventType } from "../base/owner-events.ts";
import { createPoll, type Poll } from "../base/poll.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { EventFacts } from "../hooks/payloads.ts";
import type { Hooks } from "../hooks/post.ts";
import { addEvent, claimEvent, dueEvents, type Event, setEvent, withTry } from "../records/events.ts";
import { findProfile } from "../records/profiles.ts";

/**
 * Stores an event for the owner's backend, in the transaction that causes it. An event about a visitor gets the visitor's
 * profile.
 */
export type StoreEvent = <T extends EventType>(
  tx: Transaction,
  site: string,
  type: T,
  facts: EventFacts<T>,
) => Promise<void>;
/** Stores an event about an account, once for each webhook address of its sites. */
export type StoreAccountEvent = <T extends EventType>(
  tx: Transaction,
  account: string,
  type: T,
  facts: EventFacts<T>,
) => Promise<void>;

type WebhooksDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  sites: readonly Site[];
  hooks: Hooks;
  random: () => number;
};

type State = WebhooksDeps & {
  /** Starts to send the stored events. Later calls do nothing. */
  startSending: () => void;
  /** Attempts under way, for an orderly stop. */
  underWay: Set<Promise<void>>;
  /** Number of attempts under way by address. */
  busy: Map<string, number>;
};

type Webhook = NonNullable<Site["webhook"]>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Waits between attempts, in ms, as Standard Webhooks advises. After the last one the event has failed. */
const RETRY_WAITS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Interval at which stored events are searched for. */
const POLL_MS = 2 * SECOND;
/** For this long (ms), no other process takes an event that is being sent. */
const CLAIM_MS = MINUTE;
/** Most attempts under way to one address, so that an address that never answers does not delay the others. */
const PARALLEL = 4;

/**
 * Creates the webhook to the owner's backend. An event is stored in the transaction that causes it, and sent until a 2xx answer, so
 * it is delivered at least once. The receiver recognises a repeated event by its `webhook-id`.
 */
export function createWebhooks(given: Omit<WebhooksDeps, "random"> & Partial<Pick<WebhooksDeps, "random">>) {
  let started = false;
  const startSending = (): void => {
    if (!started) poll.start();
    started = true;
  };
  const state: State = { random: Math.random, ...given, startSending, underWay: new Set(), busy: new Map() };
  const { clock, log } = state;
  const poll: Poll = createPoll({
    clock,
    every: POLL_MS,
    run: () => sendDue(state, poll),
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  const storeEvent: StoreEvent = (tx, site, type, facts) => storeForSite(state, tx, site, type, facts);
  const storeAccountEvent: StoreAccountEvent = (tx, account, type, facts) =>
    storeForAccount(state, tx, account, type, facts);
  return {
    storeEvent,
    storeAccountEvent,
    async start(): Promise<void> {
      if (given.sites.every(({ webhook }) => webhook === undefined)) return;
      startSending();
    },
    async stop(): Promise<void> {
      await poll.stop();
      await Promise.all(state.underWay);
    },
  };
}

/** The webhook of a site in the present settings. */
const webhookOf = (sites: readonly Site[], id: string): Webhook | undefined =>
  sites.find((site) => site.public.id === id)?.webhook;

/** A site's address for events of this type; undefined if the site does not want them. */
function addressFor({ sites }: State, site: string, type: EventType): string | undefined {
  const target = webhookOf(sites, site);
  return target?.events === undefined || target.events.includes(type) ? target?.url : undefined;
}

async function storeForSite<T extends EventType>(
  state: State,
  tx: Transaction,
  site: string,
  type: T,
  facts: EventFacts<T>,
): Promise<void> {
  if (addressFor(state, site, type) === undefined) return;
  const at = state.clock.now();
  const { visitor = null } = facts as { visitor?: string };
  const profile = visitor === null ? {} : await findProfile(tx, visitor);
  const data = { site, ...facts, ...profile };
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  await addEvent(tx, { id: `msg_${randomId(24)}`, site, visitor, type, body, at });
  state.startSending();
}

/** Stores an event of an account once for each address at which one of its sites wants it. */
async function storeForAccount<T extends EventType>(
  state: State,
  tx: Transaction,
  account: string,
  type: T,
  facts: EventFacts<T>,
): Promise<void> {
  const addresses = new Set<string>();
  for (const site of state.sites) {
    const address = site.account === account ? addressFor(state, site.public.id, type) : undefined;
    if (address === undefined || addresses.has(address)) continue;
    addresses.add(address);
    await storeForSite(state, tx, site.public.id, type, facts);
  }
}

/** Starts to send the events that are due, within the limit per address. */
async function sendDue(state: State, poll: Poll): Promise<void> {
  for (const event of await dueEvents(state.db, state.clock.now(), PARALLEL))
    if (!poll.isStopped()) startAttempt(state, event, poll);
}

/** Starts one attempt, if the address has room for it. */
function startAttempt(state: State, event: Event, poll: Poll): void {
  const { sites, busy, underWay, log } = state;
  const address = webhookOf(sites, event.site)?.url ?? "";
  const count = busy.get(address) ?? 0;
  if (count >= PARALLEL) return;
  busy.set(address, count + 1);
  const attempt = send(state, event)
    .then(
      // An address now has room for the next event.
      () => poll.wake(),
      // No wake-up here: a failing database must not be queried again without a pause.
      (error: unknown) => log("database.failing", { cause: String(error) }),
    )
    .finally(() => underWay.delete(attempt));
  underWay.add(attempt);
}

/** Makes one attempt to send an event, and stores its result. */
async function send(state: State, event: Event): Promise<void> {
  const { db, clock, log, hooks, sites, busy } = state;
  const address = webhookOf(sites, event.site)?.url ?? "";
  try {
    const until = clock.now() + CLAIM_MS;
    if (!(await db.transaction((tx) => claimEvent(tx, event, until), [event.id]))) return;
    const at = clock.now();
    const target = webhookOf(sites, event.site);
    const answer = target && (await hooks.post({ ...target, id: event.id, body: event.body }, clock.now()));
    const { status, text } = answer ?? { status: 0, text: "the site no longer has a webhook" };
    const next = nextOf(state, event, status);
    const problem = next.state === "delivered" ? null : text.slice(0, 300);
    const result = { id: event.id, ...next, status, problem, tries: withTry(event, { at, status, problem }) };
    await db.transaction((tx) => setEvent(tx, result), [event.id]);
    if (next.state === "failed") log("webhook.failed", { site: event.site, type: event.type, id: event.id, status });
  } finally {
    busy.set(address, (busy.get(address) ?? 1) - 1);
  }
}

/**
 * The next state after an answer. 2xx: delivered. 410: the receiver wants no more attempts. Anything else: a later attempt,
 * until the waits are used up. Times are whole milliseconds: PostgreSQL refuses any other number.
 */
function nextOf(
  { clock, random }: State,
  { attempts, due }: Event,
  status: number,
): Pick<Event, "state" | "attempts" | "due"> {
  const tries = attempts + 1;
  if (status >= 200 && status < 300) return { state: "delivered", attempts: tries, due };
  const wait = RETRY_WAITS_MS[attempts];
  if (wait === undefined || status === 410) return { state: "failed", attempts: tries, due };
  return { state: "waiting", attempts: tries, due: clock.now() + Math.ceil(wait * (1 + random() / 10)) };
}
