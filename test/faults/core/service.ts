import type { Outcome } from "../../../relay/src/service/outcome.ts";
import type { Effect, Posted } from "../judge.ts";
import type { World } from "./world.ts";

/** How the service behaves at the moment. Probabilities from 0 to 1. */
export type Weather = {
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
  /** A callback carries no message id. */
  nameless: number;
  /** A reply is followed by one to an invalid id. */
  forged: number;
};

export const FAIR: Weather = {
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

/**
 * The messaging service of a simulated world: recognises repeats by `messageSid`, fails as `Weather` says, and sends callbacks.
 */
export function createService(world: World, post: Post) {
  const effects: Effect[] = [];
  const posted: Posted[] = [];
  const seen = new Set<string>();
  let calls = 0;
  let refused = 0;
  let replies = 0;
  let windowStart = 0;
  let windowCount = 0;
  /** Number of callbacks that wait or are under way. */
  let pending = 0;
  const state = { weather: FAIR, key: "key-1" };

  const later = (min: number, max: number): Promise<void> =>
    new Promise((resolve) => void world.after(world.pick(min, max), resolve));

  const outcome = (kind: Outcome["kind"], status: number, waitMs?: number): Outcome =>
    ({ kind, status, message: "", ...(waitMs === undefined ? {} : { waitMs }) }) as Outcome;

  /** A fixed window of a minute. Refused calls do not count. */
  function overLimit(): boolean {
    const { limit } = state.weather;
    if (limit === 0) return false;
    if (world.now() - windowStart >= 60_000) {
      windowStart = world.now();
      windowCount = 0;
    }
    return ++windowCount > limit;
  }

  function process(message: Sent): void {
    if (seen.has(message.sid)) return;
    seen.add(message.sid);
    effects.push({ ...message, at: world.now() });
    for (let i = world.pick(0, state.weather.replies); i > 0; i--) reply(message.fromId, world.pick(0, 4_000));
  }

  /** Sends a reply after `ms`, and possibly a forged one after it. */
  function reply(toId: string, ms: number): void {
    const { nameless, forged } = state.weather;
    const number = replies++;
    const messageId = world.chance(nameless) ? undefined : `m${number}`;
    pending++;
    world.after(ms, () => {
      pending--;
      void callBack({ toId, messageId, text: `reply ${number}`, forged: false });
    });
    if (!world.chance(forged)) return;
    world.after(ms, () => void callBack({ toId: forge(toId), messageId: `f${number}`, text: "forged", forged: true }));
  }

  /** Changes one character of the id. */
  function forge(toId: string): string {
    const at = world.pick(2, toId.length - 1);
    return `${toId.slice(0, at)}${toId[at] === "0" ? "1" : "0"}${toId.slice(at + 1)}`;
  }

  async function callBack(about: Pick<Posted, "toId" | "messageId" | "text" | "forged">): Promise<void> {
    const entry: Posted = { ...about, begun: world.now(), taken: undefined, status: undefined };
    posted.push(entry);
    pending++;
    const { toId, messageId, text } = about;
    const body = JSON.stringify({ contactId: "c", messageId, userId: "owner", body: text, toId, channel: "website" });
    entry.status = await attempt(entry, body);
    while (messageId !== undefined && world.chance(state.weather.repeats)) {
      // Sometimes two at once.
      const twin = world.chance(0.3) ? attempt(entry, body) : undefined;
      await later(0, 3_000);
      await twin;
      const again = await attempt(entry, body);
      if (entry.status !== 200) entry.status = again;
    }
    pending--;
  }

  async function attempt(entry: Posted, body: string): Promise<number | undefined> {
    const status = await post(body);
    if (status === 200) entry.taken ??= world.now();
    return status;
  }

  async function send(message: Sent, key: string): Promise<Outcome> {
    calls++;
    await later(1, 40);
    const { weather } = state;
    if (world.chance(weather.down)) return outcome("transient", 0);
    if (world.chance(weather.lostCall)) return outcome("unknown", 0);
    if (key !== state.key) return outcome("config", 401);
    if (overLimit()) {
      refused++;
      return outcome("throttle", 429, 60_000 - (world.now() - windowStart));
    }
    if (message.text.includes("poison")) return outcome("permanent", 400);
    if (world.chance(weather.failing)) return outcome("transient", 500);
    process(message);
    await later(1, 400 + weather.slow);
    if (world.chance(weather.lostAnswer)) return world.chance(0.5) ? outcome("unknown", 0) : outcome("transient", 500);
    return outcome("ok", 200);
  }

  return { send, reply, effects, posted, state, pending: () => pending, calls: () => calls, refused: () => refused };
}

export type Service = ReturnType<typeof createService>;
