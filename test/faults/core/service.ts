import type { Outcome } from "../../../relay/src/service/outcome.ts";
import type { Effect, Posted } from "../judge.ts";
import type { World } from "./world.ts";

/** How the service behaves at the moment. Probabilities from 0 to 1. */
export type ServiceBehaviour = {
  /** Refuses the connection: certainly not processed. */
  down: number;
  /** 500, not processed. */
  failing: number;
  /** The call is lost on its way; the relay cannot distinguish that from a lost answer. */
  lostCall: number;
  /** Processed, but the answer is lost, or a 500. */
  lostAnswer: number;
  /** Processed, and the answer arrives this many milliseconds late, so replies overtake it. */
  slow: number;
  /** Calls a minute before it answers 429; 0: no limit. */
  limit: number;
  /** Largest number of replies per message. */
  replies: number;
  /** A callback is sent twice or more. */
  repeats: number;
  /** A callback contains no message id. */
  nameless: number;
  /** A reply is followed by one to an invalid id. */
  forged: number;
};

export const WITHOUT_FAILURES: ServiceBehaviour = {
  down: 0,
  failing: 0,
  lostCall: 0,
  lostAnswer: 0,
  slow: 0,
  limit: 0,
  replies: 2,
  repeats: 0,
  nameless: 0,
  forged: 0,
};

export type Sent = { sid: string; fromId: string; text: string };
/** Sends a callback body. Resolves to the status, or undefined when the connection broke. */
type Post = (body: string) => Promise<number | undefined>;

/** The state of the simulated service. */
type ServiceState = {
  world: World;
  post: Post;
  effects: Effect[];
  posted: Posted[];
  seen: Set<string>;
  calls: number;
  refused: number;
  replies: number;
  /** Start of the rate limit's window, and its calls so far. */
  windowStart: number;
  windowCount: number;
  /** Number of callbacks that wait or are under way. */
  pending: number;
  /** What a run may change at any time: the failures, and the key that the service accepts. */
  state: { behaviour: ServiceBehaviour; key: string };
};

/**
 * The messaging service of a simulated world: recognises repeats by `messageSid`, fails as `ServiceBehaviour` says, and sends callbacks.
 */
export function createService(world: World, post: Post) {
  const service: ServiceState = {
    world,
    post,
    effects: [],
    posted: [],
    seen: new Set<string>(),
    calls: 0,
    refused: 0,
    replies: 0,
    windowStart: 0,
    windowCount: 0,
    pending: 0,
    state: { behaviour: WITHOUT_FAILURES, key: "key-1" },
  };

  return {
    send: (message: Sent, key: string) => send(service, message, key),
    reply: (toId: string, ms: number) => reply(service, toId, ms),
    effects: service.effects,
    posted: service.posted,
    state: service.state,
    pending: () => service.pending,
    calls: () => service.calls,
    refused: () => service.refused,
  };
}

const later = (service: ServiceState, min: number, max: number): Promise<void> =>
  new Promise((resolve) => void service.world.after(service.world.pick(min, max), resolve));

const outcome = (kind: Outcome["kind"], status: number, waitMs?: number): Outcome =>
  ({ kind, status, message: "", ...(waitMs === undefined ? {} : { waitMs }) }) as Outcome;

/** A fixed window of a minute. Refused calls do not count. */
function overLimit(service: ServiceState): boolean {
  const { limit } = service.state.behaviour;
  if (limit === 0) return false;
  if (service.world.now() - service.windowStart >= 60_000) {
    service.windowStart = service.world.now();
    service.windowCount = 0;
  }
  return ++service.windowCount > limit;
}

function process(service: ServiceState, message: Sent): void {
  if (service.seen.has(message.sid)) return;
  service.seen.add(message.sid);
  service.effects.push({ ...message, at: service.world.now() });
  for (let i = service.world.pick(0, service.state.behaviour.replies); i > 0; i--)
    reply(service, message.fromId, service.world.pick(0, 4_000));
}

/** Sends a reply after `ms`, and possibly a forged one after it. */
function reply(service: ServiceState, toId: string, ms: number): void {
  const { nameless, forged } = service.state.behaviour;
  const number = service.replies++;
  const messageId = service.world.chance(nameless) ? undefined : `m${number}`;
  service.pending++;
  service.world.after(ms, () => {
    service.pending--;
    void callBack(service, { toId, messageId, text: `reply ${number}`, forged: false });
  });
  if (!service.world.chance(forged)) return;
  service.world.after(
    ms,
    () => void callBack(service, { toId: forge(service, toId), messageId: `f${number}`, text: "forged", forged: true }),
  );
}

/** Changes one character of the id. */
function forge(service: ServiceState, toId: string): string {
  const at = service.world.pick(2, toId.length - 1);
  return `${toId.slice(0, at)}${toId[at] === "0" ? "1" : "0"}${toId.slice(at + 1)}`;
}

async function callBack(
  service: ServiceState,
  about: Pick<Posted, "toId" | "messageId" | "text" | "forged">,
): Promise<void> {
  const entry: Posted = { ...about, begun: service.world.now(), taken: undefined, status: undefined };
  service.posted.push(entry);
  service.pending++;
  const { toId, messageId, text } = about;
  const body = JSON.stringify({ contactId: "c", messageId, userId: "owner", body: text, toId, channel: "website" });
  entry.status = await attempt(service, entry, body);
  while (messageId !== undefined && service.world.chance(service.state.behaviour.repeats)) {
    // Sometimes two at once.
    const twin = service.world.chance(0.3) ? attempt(service, entry, body) : undefined;
    await later(service, 0, 3_000);
    await twin;
    const again = await attempt(service, entry, body);
    if (entry.status !== 200) entry.status = again;
  }
  service.pending--;
}

async function attempt(service: ServiceState, entry: Posted, body: string): Promise<number | undefined> {
  const status = await service.post(body);
  if (status === 200) entry.taken ??= service.world.now();
  return status;
}

async function send(service: ServiceState, message: Sent, key: string): Promise<Outcome> {
  service.calls++;
  await later(service, 1, 40);
  const { behaviour } = service.state;
  if (service.world.chance(behaviour.down)) return outcome("transient", 0);
  if (service.world.chance(behaviour.lostCall)) return outcome("unknown", 0);
  if (key !== service.state.key) return outcome("config", 401);
  if (overLimit(service)) {
    service.refused++;
    return outcome("throttle", 429, 60_000 - (service.world.now() - service.windowStart));
  }
  if (message.text.includes("poison")) return outcome("permanent", 400);
  if (service.world.chance(behaviour.failing)) return outcome("transient", 500);
  process(service, message);
  await later(service, 1, 400 + behaviour.slow);
  if (service.world.chance(behaviour.lostAnswer))
    return service.world.chance(0.5) ? outcome("unknown", 0) : outcome("transient", 500);
  return outcome("ok", 200);
}

export type Service = ReturnType<typeof createService>;
