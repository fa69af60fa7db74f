/** The sender of reply callbacks (interface 4.7 and 6, R-3xx, R-6xx): one lane per contact, so that replies keep order. */

import { numericIds } from "./answers.ts";
import type { Clock } from "./clock.ts";
import { type CallbackEntry, type Journal, maskPayload, maskUrl } from "./journal.ts";
import type { OutgoingMessage } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import type { Poster } from "./poster.ts";
import type { Random } from "./random.ts";

export type Payload = Record<string, unknown>;
type Kind = CallbackEntry["kind"];
type About = { kind: Kind; messageId?: string; toId?: string; attempt?: number };

export type Callbacks = {
  /** Posts a reply in its contact's lane and writes the outcome on it. Resolves after the first try. Never throws. */
  deliver(message: OutgoingMessage): Promise<void>;
  /** Posts any payload once to `url`, and journals it. Never throws. */
  post(url: string, payload: Payload, about: About, headers?: Record<string, string>): Promise<CallbackEntry>;
  /** The payload of a reply as the options want it. */
  payload(
    message: Pick<OutgoingMessage, "contactId" | "messageId" | "body" | "fromId" | "channel" | "mediaUrl">,
  ): Payload;
  clear(): void;
};

/** Error details keep this much of the client's answer (R-306). */
const ANSWER_KEPT = 500;
/** More than the megabyte a client may refuse (R-613). */
const HUGE = 1_100_000;
/** Callbacks that may overtake each other are spread over this time. */
const SHUFFLE_MS = 40;

type Job = { run: () => Promise<void>; done: () => void };
type Lane = { busy: boolean; waiting: Job[] };

export function makeCallbacks(parts: {
  config: SandboxConfig;
  clock: Clock;
  random: Random;
  poster: Poster;
  journal: Journal;
  changed: () => void;
}): Callbacks {
  const { config, clock, random, poster, journal, changed } = parts;
  const lanes = new Map<string, Lane>();

  const accepted = (status: number) =>
    config.successStatuses === "200" ? status === 200 : status >= 200 && status < 300;

  async function post(url: string, payload: Payload, about: About, headers = {}): Promise<CallbackEntry> {
    const at = clock.now();
    const started = performance.now();
    const entry: CallbackEntry = {
      at,
      attempt: 0,
      ...about,
      url: maskUrl(url),
      ok: false,
      payload: maskPayload(payload),
      ms: 0,
    };
    try {
      const answer = await poster.request({
        method: "POST",
        url,
        headers: { ...contentType(config.callbackContentType), ...config.callbackHeaders, ...headers },
        body: encoded(payload, config.callbackContentType),
        timeoutMs: config.callbackTimeoutMs,
        maxBytes: 1_000_000,
      });
      entry.status = answer.status;
      entry.answer = answer.body.toString("utf8").slice(0, ANSWER_KEPT);
      entry.ok = accepted(answer.status);
      if (!entry.ok) entry.error = `status ${answer.status}${entry.answer === "" ? "" : `: ${entry.answer}`}`;
    } catch (error) {
      entry.error = error instanceof Error ? error.message : String(error);
    }
    entry.ms = performance.now() - started;
    journal.callbacks.add(entry);
    changed();
    return entry;
  }

  function payload(message: Parameters<Callbacks["payload"]>[0]): Payload {
    const { contactId, messageId, body, fromId, channel, mediaUrl } = message;
    let fields: Payload = {
      contactId,
      messageId,
      userId: config.userId,
      body: config.hugeBody ? body.padEnd(HUGE, " and more") : body,
      toId: fromId,
      channel: config.callbackChannel === "last" ? (channel ?? "custom") : "custom",
    };
    if (config.callbackChannel === "omit") delete fields.channel;
    if (mediaUrl !== undefined && config.humanAttachment === "mediaUrlField") fields.mediaUrl = mediaUrl;
    if (config.numericIds) fields = numericIds(fields);
    for (const name of config.callbackOmit) delete fields[name];
    Object.assign(fields, config.callbackExtras);
    return config.callbackWrap === "none" ? fields : { [config.callbackWrap]: fields };
  }

  /** Repeats a failed callback outside the lane: later replies do not wait for it (R-305). */
  function retry(message: OutgoingMessage, last: CallbackEntry): void {
    const worth = config.retryOn === "any" || last.status === undefined || last.status >= 500;
    if (last.ok || !worth || last.attempt >= config.callbackRetries) return;
    clock.after(config.callbackBackoffMs * 2 ** last.attempt, () => void attempt(message, last.attempt + 1));
  }

  async function attempt(message: OutgoingMessage, number: number): Promise<void> {
    const about: About = { kind: "reply", messageId: message.messageId, toId: message.fromId, attempt: number };
    const body = payload(message);
    message.attempts += 1;
    const first = post(config.callbackUrl, body, about);
    const copies = Array.from({ length: copiesOf(config.duplicateCallbacks, random) }, () =>
      post(config.callbackUrl, body, { ...about, kind: "copy" }),
    );
    const entry = await first;
    message.status = entry.ok ? "Sent" : "Failed";
    if (entry.error === undefined) delete message.error;
    else message.error = entry.error;
    await Promise.all(copies);
    retry(message, entry);
  }

  async function drain(fromId: string, lane: Lane): Promise<void> {
    lane.busy = true;
    for (let job = lane.waiting.shift(); job !== undefined; job = lane.waiting.shift()) {
      await job.run();
      job.done();
    }
    lane.busy = false;
    if (lanes.get(fromId) === lane) lanes.delete(fromId);
  }

  function inLane(fromId: string, run: () => Promise<void>): Promise<void> {
    const lane = lanes.get(fromId) ?? { busy: false, waiting: [] };
    lanes.set(fromId, lane);
    return new Promise((done) => {
      lane.waiting.push({ run, done });
      if (!lane.busy) void drain(fromId, lane);
    });
  }

  /** Without a registered URL there is nobody to tell, and the reply never gets a state. */
  function nowhere({ messageId, fromId }: OutgoingMessage): void {
    const base = { at: clock.now(), kind: "reply", url: "", attempt: 0, ok: false, payload: null, ms: 0 } as const;
    journal.callbacks.add({ ...base, messageId, toId: fromId, error: "no webhook" });
    changed();
  }

  async function deliver(message: OutgoingMessage): Promise<void> {
    if (config.callbackUrl === "") return nowhere(message);
    if (!config.shuffleCallbacks) return inLane(message.fromId, () => attempt(message, 0));
    await clock.wait(Math.floor(random() * SHUFFLE_MS));
    await attempt(message, 0);
  }

  /** Drops what waits; who waits for it is let go. */
  function clear(): void {
    for (const { waiting } of lanes.values()) for (const { done } of waiting.splice(0)) done();
    lanes.clear();
  }

  return { deliver, post, payload, clear };
}

/** Whole copies, and one more with the chance of the fraction. */
const copiesOf = (count: number, random: Random): number =>
  Math.floor(count) + (count % 1 > 0 && random() < count % 1 ? 1 : 0);

const contentType = (type: string): Record<string, string> => (type === "" ? {} : { "Content-Type": type });

function encoded(payload: Payload, type: string): string {
  if (!type.startsWith("application/x-www-form-urlencoded")) return JSON.stringify(payload);
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  return new URLSearchParams(fields).toString();
}
