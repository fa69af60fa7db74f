import { isFields } from "@porchlight/shared/json-fields";
import type { Answer } from "./http.ts";
import { type StatedLimit, statedLimit, statedWait } from "./rate-limit-headers.ts";

/**
 * The outcome of a call: it tells the caller what to do next (BEHAVIOUR 2.8).
 *
 * - `ok`, `duplicate`: done. `duplicate` occurs only for calls with an idempotency key.
 * - `permanent`: this item fails; other items continue.
 * - `config`: the key, its rights or the address are wrong, so every item would fail. Hold all items; lose none.
 * - `edge`: a proxy in front of the service blocks the relay. Hold all items for at least half a minute.
 * - `throttle`: too many calls. Every call of the key waits.
 * - `transient`: the call was not processed, or can be repeated safely. Try again.
 * - `unknown`: the call may have been processed. Repeat it only if it is idempotent.
 * - `unready`: the relay could not make the call. This item waits; the outcome says nothing about the service.
 */
export type Outcome = {
  kind: "ok" | "duplicate" | "permanent" | "config" | "edge" | "throttle" | "transient" | "unknown" | "unready";
  /** HTTP status; 0 without an answer. */
  status: number;
  /** The service's message, shortened and without secrets. For logs; visitors never see it. */
  message: string;
  /** The service's error code, like `INVALID_PHONE` (interface 7). */
  code?: string;
  /** Milliseconds that the service asks the relay to wait. */
  waitMs?: number;
  /** The rate limit that the answer states. */
  limit?: StatedLimit;
};

/** Whether the service did what the call asked, now or at an earlier call. */
export const isAccepted = ({ kind }: Pick<Outcome, "kind">): boolean => kind === "ok" || kind === "duplicate";

/** Words that may be ids or keys: at least 8 characters, with a digit or an underscore. */
const OPAQUE = /(?=[\w%+/=.-]{8,})[\w%+/=.-]*[\d_][\w%+/=.-]*/g;

/** Text of an answer for logs: at most 300 characters on one line, without words that may be ids. */
const forLog = (text: string): string => text.replace(/\s+/g, " ").slice(0, 300).replace(OPAQUE, "…");

/** Error code and message of an answer, in any of its known shapes (interface 7; ). */
function errorOf(json: unknown, text: string): { code: string | undefined; message: string } {
  const plain = text.replace(/\s+/g, " ").slice(0, 300);
  if (typeof json === "string") return { code: undefined, message: json.slice(0, 300) };
  if (!isFields(json)) return { code: undefined, message: plain };
  const { error, message, error_code } = json;
  const fields = isFields(error) ? error : json;
  const code = typeof fields.code === "string" ? fields.code : typeof error_code === "string" ? error_code : undefined;
  const words = [typeof error === "string" ? error : fields.message, message].find((part) => typeof part === "string");
  return { code, message: typeof words === "string" ? words.slice(0, 300) : plain };
}

/** Finds the error status inside the body of a 2xx answer. @returns undefined when the body reports no error */
export function softStatus(json: unknown): number | undefined {
  if (!isFields(json)) return undefined;
  const code = Number(json.error_code);
  if (code >= 400 && code < 600) return code;
  return json.success === false || typeof json.error_code === "string" ? 400 : undefined;
}

/**
 * Words that deny: a text like "No such campaign exists" contains "exists", but reports no duplicate. If it counted as one, the
 * message would be lost.
 */
const ABSENT = /\b(?:no|not|none|never|nothing|any|longer)\b|n't\b/i;
/** Whether an error message says that the call was processed before. */
const saysRepeated = (message: string): boolean =>
  /already|duplicate/i.test(message) || (/exists/i.test(message) && !ABSENT.test(message));
/** Statuses after which a repetition may succeed. */
const TRANSIENT = new Set([408, 425, 500, 502, 503, 504]);

/** Errors of the relay itself before it wrote anything. A repetition fails in the same way. */
const OURS = new Set(["UND_ERR_INVALID_ARG"]);

/**
 * Turns an answer of the service into an outcome.
 * @param idempotent the call carries a key, so "already exists" means that it was processed
 * @param now milliseconds since 1970
 * @param names the call names a resource, so a 404 can be about it; otherwise a 404 is about the address
 */
export function outcomeOf(answer: Answer, idempotent: boolean, now: number, names = true): Outcome {
  if (answer.phase === "unsent" && OURS.has(answer.reason))
    return { kind: "config", status: 0, message: answer.reason };
  if (answer.phase === "unsent") return { kind: "transient", status: 0, message: answer.reason };
  if (answer.phase === "unanswered") return { kind: "unknown", status: 0, message: answer.reason };
  const { headers, json, text } = answer;
  const status = answer.status < 300 ? (softStatus(json) ?? answer.status) : answer.status;
  const waitMs = statedWait(answer.status, headers, now);
  const error = status < 300 ? { code: undefined, message: "" } : errorOf(json, text);
  return {
    kind: kindOf(status, { json, text, message: error.message, idempotent, names, statesWait: waitMs !== undefined }),
    status: answer.status,
    message: forLog(error.message),
    limit: statedLimit(headers),
    ...(error.code === undefined ? {} : { code: error.code }),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** What the kind of an outcome depends on, besides the status. */
type Facts = { json: unknown; text: string; message: string; idempotent: boolean; names: boolean; statesWait: boolean };

function kindOf(status: number, { json, text, message, idempotent, names, statesWait }: Facts): Outcome["kind"] {
  const hasJson = json !== undefined;
  if (status >= 200 && status < 300) return "ok";
  if (status === 409) return idempotent ? "duplicate" : "unknown";
  if (idempotent && status === 400 && saysRepeated(message)) return "duplicate";
  // A 429 with neither JSON nor a waiting time comes from a proxy, not from the service.
  if (status === 429) return hasJson || statesWait ? "throttle" : "edge";
  if (status === 401 || (status >= 300 && status < 400)) return "config";
  // A 403 without JSON comes from a proxy, not from the service.
  if (status === 403) return hasJson ? "config" : "edge";
  // A 404 with a body that is not JSON means a wrong address, not a missing resource.
  if (status === 404) return names && (hasJson || text === "") ? "permanent" : "config";
  if (TRANSIENT.has(status) || status >= 500) return "transient";
  return "permanent";
}
