import { cut } from "@porchlight/shared/text";
import type { CreditRules } from "../base/rules.ts";
import type { GrantAnswer } from "../service/api.ts";
import type { Entry, State } from "./ledger.ts";
import type { Verdict } from "./once.ts";

/** What a grant is made of; complete before it becomes an intent. */
export type GrantContent = {
  email: string | undefined;
  /** Credits, at most two decimals. */
  amount: number | undefined;
  note: string;
  source: "recharge" | "request";
  subAccount: string | undefined;
};

/** The ledger's states as people and programs are told them. */
export const GRANT_STATES = {
  received: "waiting",
  intent: "queued",
  calling: "calling",
  done: "granted",
  unknown: "unknown",
  refused: "dismissed",
} as const satisfies Record<State, string>;
export type GrantState = (typeof GRANT_STATES)[State];

/** The state that is told as `shown`; nothing when none is. */
export const grantStateOf = (shown: string): State | undefined =>
  (Object.keys(GRANT_STATES) as State[]).find((state) => GRANT_STATES[state] === shown);

/** Longest description that a history shows. */
const DESCRIPTION_MAX = 200;

export const hundredths = (amount: number): number => Math.round(amount * 100);
/** Positive, finite, at most two decimals, and within what one grant may be. */
export const fits = (amount: number, rules: CreditRules): boolean =>
  amount > 0 && amount <= rules.perGrant && Math.abs(hundredths(amount) - amount * 100) < 1e-6;

export const contentOf = (entry: Entry): GrantContent => JSON.parse(entry.content) as GrantContent;

/** What the credit history shows: words for people, and the key, so that a person can find this very grant. */
export function descriptionOf(note: string, key: string): string {
  const room = DESCRIPTION_MAX - key.length - 3;
  const words = room < 8 ? "" : cut(note, room).trim();
  return words === "" ? key : `${words} [${key}]`;
}

/** Statuses with which the service certainly granted nothing (RELIABILITY 3c). */
const NOT_APPLIED = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429]);

/** Reads the answer to a grant: anything that is not certain is unknown. */
export function verdictOf(answer: GrantAnswer): Verdict {
  const { kind, status, message, waitMs, subAccountId, added, balance } = answer;
  const again: Verdict = {
    kind: "again",
    reason: `${status === 0 ? "not sent" : status}: ${message}`,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
  if (kind === "ok") {
    const said = subAccountId ?? added ?? balance;
    if (said === undefined) return { kind: "unknown", reason: `${status}: an answer that says nothing` };
    return { kind: "done", result: { subAccountId, added, balance } };
  }
  if (status === 0) return kind === "unknown" ? { kind: "unknown", reason: `no answer: ${message}` } : again;
  // A 200 that says of itself that it refused.
  if (NOT_APPLIED.has(status) || (status < 300 && kind === "permanent")) return again;
  return { kind: "unknown", reason: `${status}: ${message}` };
}

/** What others are told of a grant that was made. */
export function grantedOf(entry: Entry): object {
  const { email, amount } = contentOf(entry);
  return { key: entry.key, email, amount, ...(JSON.parse(entry.result ?? "{}") as object) };
}
