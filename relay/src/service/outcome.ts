import type { Answer } from "./http.ts";
import { type StatedLimit, statedLimit, statedWait } from "./rate-limit-headers.ts";

/**
 * What came of a call, as the one who called must act on it (BEHAVIOUR 2.8).
 *
 * - `ok`, `duplicate`: done; the second only for calls with an idempotency key.
 * - `permanent`: this item fails, others go on.
 * - `config`: key, rights or address are wrong: every item would fail; hold all, lose nothing.
 * - `edge`: something before the service blocks us: hold all, at least half a minute.
 * - `throttle`: too fast; the whole key waits.
 * - `transient`: certainly not done, or safe to repeat; try again.
 * - `unknown`: it may have been done; only an idempotent call may be repeated.
 * - `unready`: not called, for want of something of ours; this item waits, and says nothing about the service.
 */
export type Outcome = {
  kind: "ok" | "duplicate" | "permanent" | "config" | "edge" | "throttle" | "transient" | "unknown" | "unready";
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** The service's words, shortened and without secrets. For logs, never for visitors. */
  message: string;
  /** The service's error code, like `INVALID_PHONE` (interface section 7). */
  code?: string;
  /** Milliseconds the service asks us to wait. */
  waitMs?: number;
  limit?: StatedLimit;
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Words that may be ids or keys: long, with a digit or an underscore in them. */
const OPAQUE = /(?=[\w%+/=.-]{8,})[\w%+/=.-]*[\d_][\w%+/=.-]*/g;

/** What is told of an answer: short, on one line, without anything that may be somebody's id. */
const told = (text: string): string => text.replace(/\s+/g, " ").slice(0, 300).replace(OPAQUE, "…");

/** The error's code and words, in whichever of the shapes it came (interface section 7; ). */
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

/** A 2xx that says inside that it is none. */
export function softStatus(json: unknown): number | undefined {
  if (!isFields(json)) return undefined;
  const code = Number(json.error_code);
  if (code >= 400 && code < 600) return code;
  return json.success === false || typeof json.error_code === "string" ? 400 : undefined;
}

/** "No such campaign exists" is the opposite of a repeat, and taking it for one would lose the message unseen. */
const ABSENT = /\b(?:no|not|none|never|nothing|any|longer)\b|n't\b/i;
const saysRepeated = (message: string): boolean =>
  /already|duplicate/i.test(message) || (/exists/i.test(message) && !ABSENT.test(message));
const TRANSIENT = new Set([408, 425, 500, 502, 503, 504]);

/** Failures of ours before anything was written: no repetition mends them. */
const OURS = new Set(["UND_ERR_INVALID_ARG"]);

/**
 * @param idempotent the call carries a key, so "already there" means that it was done
 * @param names whether the call names something that a 404 can be about; else a 404 is about the address
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
    kind: kindOf(status, { json, text, message: error.message, idempotent, names, told: waitMs !== undefined }),
    status: answer.status,
    message: told(error.message),
    limit: statedLimit(headers),
    ...(error.code === undefined ? {} : { code: error.code }),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

type Facts = { json: unknown; text: string; message: string; idempotent: boolean; names: boolean; told: boolean };

function kindOf(status: number, { json, text, message, idempotent, names, told }: Facts): Outcome["kind"] {
  const hasJson = json !== undefined;
  if (status >= 200 && status < 300) return "ok";
  if (status === 409) return idempotent ? "duplicate" : "unknown";
  if (idempotent && status === 400 && saysRepeated(message)) return "duplicate";
  // Without JSON and without a time to wait it was not the service that counted.
  if (status === 429) return hasJson || told ? "throttle" : "edge";
  if (status === 401 || (status >= 300 && status < 400)) return "config";
  // A 403 that does not speak JSON comes from a proxy before the service, not from the service.
  if (status === 403) return hasJson ? "config" : "edge";
  // A 404 without JSON is no resource that is missing but a wrong address.
  if (status === 404) return names && (hasJson || text === "") ? "permanent" : "config";
  if (TRANSIENT.has(status) || status >= 500) return "transient";
  return "permanent";
}
