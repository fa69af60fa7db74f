import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { EventType } from "../base/rules.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { Facts } from "../hooks/payloads.ts";
import type { Hooks } from "../hooks/post.ts";
import { addEvent, dropEvents, dueEvents, type Event, holdEvent, setEvent } from "../records/events.ts";
import { findProfile } from "../records/profiles.ts";

/**
 * Writes an event for the owner's backend down, in the transaction of what it tells of. An event about a visitor gets the
 * visitor's profile.
 */
export type Tell = <T extends EventType>(tx: Transaction, site: string, type: T, facts: Facts<T>) => Promise<void>;
/** The same for all sites of an account. */
export type TellAccount = <T extends EventType>(
  tx: Transaction,
  account: string,
  type: T,
  facts: Facts<T>,
) => Promise<void>;

type Parts = { db: Database; clock: Clock; log: Log; sites: readonly Site[]; hooks: Hooks; random?: () => number };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Waits before the tries after the first one, as Standard Webhooks advises; after the last one, the event has failed. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const LOOK_MS = 2 * SECOND;
const HOLD_MS = MINUTE;
/** Tries under way to one address: one that never answers keeps no others waiting. */
const PARALLEL = 4;
const KEEP_MS = 30 * 24 * HOUR;

/**
 * Events to the owner's backend: written with what they tell of, sent until one 2xx, at least once each. The receiver
 * takes each `webhook-id` once.
 */
export function createNotify({ db, clock, log, sites, hooks, random = Math.random }: Parts) {
  const targets = new Map(sites.flatMap((site) => (site.webhook ? [[site.public.id, site.webhook] as const] : [])));
  const flying = new Set<Promise<void>>();
  /** Tries under way, by address. */
  const busy = new Map<string, number>();
  /** There is room again since the last look. */
  let room = false;
  let looking = false;
  let stopped = false;
  let cancel = (): void => {};

  /** A site's address for events of this type; nothing where it wants none. */
  function addressFor(site: string, type: EventType): string | undefined {
    const target = targets.get(site);
    return target?.events === undefined || target.events.includes(type) ? target?.url : undefined;
  }

  const tell: Tell = async (tx, site, type, facts) => {
    if (addressFor(site, type) === undefined) return;
    const at = clock.now();
    const { visitor = null } = facts as { visitor?: string };
    const profile = visitor === null ? {} : await findProfile(tx, visitor);
    const data = { site, ...facts, ...profile };
    const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
    await addEvent(tx, { id: `msg_${randomId(24)}`, site, visitor, type, body, at });
  };

  /** Writes an event of an account down once for each address at which one of its sites wants it. */
  const tellAccount: TellAccount = async (tx, account, type, facts) => {
    const told = new Set<string>();
    for (const site of sites) {
      const address = site.account === account ? addressFor(site.public.id, type) : undefined;
      if (address === undefined || told.has(address)) continue;
      told.add(address);
      await tell(tx, site.public.id, type, facts);
    }
  };

  async function send(event: Event): Promise<void> {
    const until = clock.now() + HOLD_MS;
    if (!(await db.transaction((tx) => holdEvent(tx, event, until)))) return;
    const target = targets.get(event.site);
    const answer = target && (await hooks.post({ ...target, id: event.id, body: event.body }, clock.now()));
    const { status, text } = answer ?? { status: 0, text: "the site has no webhook any more" };
    const next = nextOf(event, status);
    await db.transaction((tx) =>
      setEvent(tx, { id: event.id, ...next, status, problem: next.state === "delivered" ? null : text.slice(0, 300) }),
    );
    if (next.state === "failed") log("webhook.failed", { site: event.site, type: event.type, id: event.id, status });
  }

  /** 2xx: taken. 410: the receiver wants no more of this. Anything else: later, until the waits are used up. */
  function nextOf({ attempts, due }: Event, status: number): Pick<Event, "state" | "attempts" | "due"> {
    const tries = attempts + 1;
    if (status >= 200 && status < 300) return { state: "delivered", attempts: tries, due };
    const wait = WAITS[attempts];
    if (wait === undefined || status === 410) return { state: "failed", attempts: tries, due };
    return { state: "waiting", attempts: tries, due: clock.now() + wait * (1 + random() / 10) };
  }

  function begin(event: Event): void {
    const address = targets.get(event.site)?.url ?? "";
    const count = busy.get(address) ?? 0;
    if (stopped || count >= PARALLEL) return;
    busy.set(address, count + 1);
    const flight = send(event)
      .then(
        () => true,
        (error: unknown) => {
          log("database.failing", { cause: String(error) });
          return false;
        },
      )
      .then((well) => {
        flying.delete(flight);
        busy.set(address, (busy.get(address) ?? 1) - 1);
        // Not after a failure of the database: that would be asked again without a pause.
        if (well) lookSoon();
      });
    flying.add(flight);
  }

  async function look(): Promise<void> {
    [looking, room] = [true, false];
    for (const event of await dueEvents(db, clock.now(), PARALLEL)) begin(event);
  }

  function lookSoon(): void {
    room = true;
    if (!looking && !stopped) lookLater(0);
  }

  function lookLater(ms: number): void {
    cancel();
    cancel = clock.after(ms, () => {
      void look()
        .catch((error: unknown) => log("database.failing", { cause: String(error) }))
        .finally(() => {
          looking = false;
          if (!stopped) lookLater(room ? 0 : LOOK_MS);
        });
    });
  }

  return {
    tell,
    tellAccount,
    async start(): Promise<void> {
      if (targets.size === 0) return;
      await db.transaction((tx) => dropEvents(tx, clock.now() - KEEP_MS));
      lookLater(0);
    },
    async stop(): Promise<void> {
      stopped = true;
      cancel();
      await Promise.all(flying);
    },
  };
}

export type Notify = ReturnType<typeof createNotify>;
