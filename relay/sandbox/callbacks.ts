/** Posts reply callbacks (interface 4.7 and 6, BEHAVIOUR 2.3 and 2.6), one at a time per contact, so that replies keep their order. */

import type { Clock } from "./clock.ts";
import { type CallbackEntry, type Journal, maskPayload, maskUrl } from "./journal.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { OutgoingMessage } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import { type Payload, payloadOf } from "./payload.ts";
import type { Poster } from "./poster.ts";
import type { Random } from "./random.ts";

type CallbackKind = CallbackEntry["kind"];
type About = { kind: CallbackKind; messageId?: string; toId?: string; attempt?: number };

export type Callbacks = {
  /**
   * Posts a reply after the earlier ones of its contact, and stores the outcome in it. Resolves after the first attempt. Never
   * throws.
   */
  deliver(message: OutgoingMessage): Promise<void>;
  /** Posts a payload once to `url`, and records it in the journal. Never throws. */
  post(url: string, payload: Payload, about: About, headers?: Record<string, string>): Promise<CallbackEntry>;
  clear(): void;
};

/** Characters of the client's answer that error details keep (R-306). */
const ANSWER_KEPT = 500;
/** Milliseconds over which callbacks are spread when they may overtake each other. */
const SHUFFLE_MS = 40;

type CallbackDeps = {
  config: SandboxConfig;
  clock: Clock;
  random: Random;
  poster: Poster;
  journal: Journal;
  changed: () => void;
};
type Sender = CallbackDeps & { lanes: Lanes };

/** One lane per contact. A failed callback is repeated outside its lane, as the options say (R-305). */
export function createCallbacks(deps: CallbackDeps): Callbacks {
  const sender: Sender = { ...deps, lanes: createLanes() };
  return {
    deliver: (message) => deliver(sender, message),
    post: (url, payload, about, headers) => post(sender, url, payload, about, headers),
    clear: sender.lanes.clear,
  };
}

const isAccepted = (status: number, { successStatuses }: SandboxConfig): boolean =>
  successStatuses === "200" ? status === 200 : status >= 200 && status < 300;

async function post(
  sender: Sender,
  url: string,
  payload: Payload,
  about: About,
  headers: Record<string, string> = {},
): Promise<CallbackEntry> {
  const base = { at: sender.clock.now(), attempt: 0, ...about, url: maskUrl(url), payload: maskPayload(payload) };
  const entry: CallbackEntry = { ...base, ok: false, ms: 0 };
  const started = performance.now();
  try {
    await ask(sender, url, payload, headers, entry);
  } catch (error) {
    entry.error = error instanceof Error ? error.message : String(error);
  }
  entry.ms = performance.now() - started;
  sender.journal.callbacks.add(entry);
  sender.changed();
  return entry;
}

/** Makes the request and writes the answer into the entry. @throws Error when there is no answer */
async function ask(
  { config, poster }: Sender,
  url: string,
  payload: Payload,
  headers: Record<string, string>,
  entry: CallbackEntry,
): Promise<void> {
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
  entry.ok = isAccepted(answer.status, config);
  if (!entry.ok) entry.error = `status ${answer.status}${entry.answer === "" ? "" : `: ${entry.answer}`}`;
}

async function deliver(sender: Sender, message: OutgoingMessage): Promise<void> {
  const { config, clock, random, lanes } = sender;
  if (config.callbackUrl === "") return recordMissingUrl(sender, message);
  if (!config.shuffleCallbacks) return lanes.run(message.fromId, () => attempt(sender, message, 0));
  await clock.wait(Math.floor(random() * SHUFFLE_MS));
  await attempt(sender, message, 0);
}

/** Records that no URL is registered. The reply never gets a state. */
function recordMissingUrl({ clock, journal, changed }: Sender, { messageId, fromId }: OutgoingMessage): void {
  const base = { at: clock.now(), kind: "reply", url: "", attempt: 0, ok: false, payload: null, ms: 0 } as const;
  journal.callbacks.add({ ...base, messageId, toId: fromId, error: "no webhook" });
  changed();
}

async function attempt(sender: Sender, message: OutgoingMessage, number: number): Promise<void> {
  const { config, random } = sender;
  const about: About = { kind: "reply", messageId: message.messageId, toId: message.fromId, attempt: number };
  const body = payloadOf(message, config);
  message.attempts += 1;
  const first = post(sender, config.callbackUrl, body, about);
  const copies = Array.from({ length: copiesOf(config.duplicateCallbacks, random) }, () =>
    post(sender, config.callbackUrl, body, { ...about, kind: "copy" }),
  );
  const entry = await first;
  message.status = entry.ok ? "Sent" : "Failed";
  if (entry.error === undefined) delete message.error;
  else message.error = entry.error;
  await Promise.all(copies);
  retry(sender, message, entry);
}

/** Repeats a failed callback outside its lane: later replies do not wait for it (R-305). */
function retry(sender: Sender, message: OutgoingMessage, last: CallbackEntry): void {
  const { config, clock } = sender;
  const isRetryable = config.retryOn === "any" || last.status === undefined || last.status >= 500;
  if (last.ok || !isRetryable || last.attempt >= config.callbackRetries) return;
  clock.after(config.callbackBackoffMs * 2 ** last.attempt, () => void attempt(sender, message, last.attempt + 1));
}

/** The number of extra copies: the whole part, plus one with the probability of the fraction. */
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
