import { createHash } from "node:crypto";
import { cut } from "@porchlight/shared/text";
import { isAmount } from "../../base/amount.ts";
import type { CreditRules } from "../../base/rules.ts";
import type { Facts } from "../../hooks/payloads.ts";
import type { GrantAnswer } from "../../service/api.ts";
import type { Entry, State, Verdict } from "./ledger.ts";

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
  refused: "refused",
  dismissed: "dismissed",
} as const satisfies Record<State, string>;

/** The state that is told as `shown`; nothing when none is. */
export const grantStateOf = (shown: string): State | undefined =>
  (Object.keys(GRANT_STATES) as State[]).find((state) => GRANT_STATES[state] === shown);

/** Longest description that a history shows. */
const DESCRIPTION_MAX = 200;

/** An amount, and within what one grant may be. */
export const fits = (amount: number, rules: CreditRules): boolean => isAmount(amount) && amount <= rules.perGrant;

/** Reasons for which a recharge waits in `received`. */
export const WAITS = {
  approval: "waits for a person's approval",
  unresolved: "names no sub-account or amount that is known here",
  unreadable: "names an amount that is none",
  notAllowed: "this sub-account is not on the list of automatic grants",
  tooMuch: "more than one grant may be",
  dayFull: "more than may be granted in one day without a person",
  asking: "the billing address is asked",
  declined: "the billing address declined it",
  misbilled: "the billing address approved an amount that is none",
  notGranted: "a person found that it was not granted",
  restored: "the database was restored from a backup: this key may have been granted since",
} as const;

export const contentOf = (entry: Entry): GrantContent => JSON.parse(entry.content) as GrantContent;

/**
 * What the credit history shows: words for people, and the key, so that a person can find this very grant. A key
 * that is longer than a description may be is cut, and ends with a hash of the whole, so that no two are the same.
 */
export function descriptionOf(note: string, key: string): string {
  if (key.length > DESCRIPTION_MAX) {
    const hash = createHash("sha256").update(key).digest("base64url").slice(0, 20);
    return `${key.slice(0, DESCRIPTION_MAX - hash.length - 1)}~${hash}`;
  }
  const room = DESCRIPTION_MAX - key.length - 3;
  const words = room < 8 ? "" : cut(note, room).trim();
  return words === "" ? key : `${words} [${key}]`;
}

/** Statuses with which the service certainly granted nothing, and may grant later: they are about the account. */
const NOT_YET = new Set([401, 403, 405, 429]);
/**
 * Statuses with which it certainly granted nothing and will not: they are about this very grant, such as an e-mail of no
 * sub-account. Nothing is asked again until a person changes the grant.
 */
const NEVER = new Set([400, 404, 413, 415, 422]);

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
  if (NEVER.has(status) || (status < 300 && kind === "permanent"))
    return { kind: "refused", reason: `${status}: ${message}` };
  if (NOT_YET.has(status)) return again;
  return { kind: "unknown", reason: `${status}: ${message}` };
}

/** What the owner's backend is told of a grant that was made. */
export function grantedOf(entry: Entry): Facts<"credits.granted"> {
  const { email = null, amount = null } = contentOf(entry);
  type Answer = { subAccountId?: string; added?: number; balance?: number };
  const { subAccountId = null, added = null, balance = null } = JSON.parse(entry.result ?? "{}") as Answer;
  return { key: entry.key, email, amount, subAccountId, added, newBalance: balance };
}
