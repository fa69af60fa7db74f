import { createHash } from "node:crypto";
import { cut } from "@porchlight/shared/text";
import { isAmount } from "../../base/amount.ts";
import type { CreditRules } from "../../base/rules.ts";
import type { EventFacts } from "../../hooks/payloads.ts";
import type { GrantAnswer } from "../../service/api.ts";
import type { LedgerEntry, LedgerState, LedgerVerdict } from "./ledger.ts";

/** Content of a grant. Email and amount are present before it becomes an intent. */
export type GrantContent = {
  email: string | undefined;
  /** Credits, at most two decimals. */
  amount: number | undefined;
  note: string;
  source: "recharge" | "request";
  subAccount: string | undefined;
};

/** The ledger's states as the API and the command line show them. */
export const GRANT_STATES = {
  received: "waiting",
  intent: "queued",
  calling: "calling",
  done: "granted",
  unknown: "unknown",
  refused: "refused",
  dismissed: "dismissed",
} as const satisfies Record<LedgerState, string>;

/** The ledger's state for a state that the API shows; undefined for any other word. */
export const grantStateOf = (shown: string): LedgerState | undefined =>
  (Object.keys(GRANT_STATES) as LedgerState[]).find((state) => GRANT_STATES[state] === shown);

/** Characters of a description that the service's history shows. */
const DESCRIPTION_MAX = 200;

/** Whether an amount is valid and within the limit of one grant. */
export const isGrantable = (amount: number, rules: CreditRules): boolean =>
  isAmount(amount) && amount <= rules.perGrant;

/** Why a recharge waits in the state `received`. */
export const WAIT_REASONS = {
  approval: "waits for a person's approval",
  unresolved: "names no known sub-account, or no amount",
  unreadable: "names an invalid amount",
  notAllowed: "this sub-account is not on the list of automatic grants",
  tooMuch: "exceeds the limit of one grant",
  dayFull: "exceeds the daily limit of automatic grants",
  asking: "waits for the answer of the billing webhook",
  declined: "the billing webhook declined it",
  misbilled: "the billing webhook approved an invalid amount",
  notGranted: "a person found that it was not granted",
  restored: "the database was restored from a backup: this key may have been granted since",
} as const;

/** The order of a grant, from its entry. */
export const contentOf = (entry: LedgerEntry): GrantContent => JSON.parse(entry.content) as GrantContent;

/**
 * The description in the service's credit history: the note and the key, so that a person finds exactly this grant. A
 * key that is too long is cut and ends with a hash of the whole key, so that no two descriptions are equal.
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

/** Statuses after which nothing was granted, and a later attempt may succeed: the service refused the account. */
const NOT_YET = new Set([401, 403, 405, 429]);
/**
 * Statuses after which nothing was granted, and no later attempt can succeed: the service refused this grant, for example
 * because the email has no sub-account. It is not called again until a person changes it.
 */
const NEVER = new Set([400, 404, 413, 415, 422]);

/** Reads the answer to a grant. Any uncertain answer is `unknown`. */
export function verdictOf(answer: GrantAnswer): LedgerVerdict {
  const { kind, status, message, waitMs, subAccountId, added, balance } = answer;
  const again: LedgerVerdict = {
    kind: "again",
    reason: `${status === 0 ? "not sent" : status}: ${message}`,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
  if (kind === "ok") {
    const isReadable = (subAccountId ?? added ?? balance) !== undefined;
    if (!isReadable) return { kind: "unknown", reason: `${status}: an unreadable answer` };
    return { kind: "done", result: { subAccountId, added, balance } };
  }
  if (status === 0) return kind === "unknown" ? { kind: "unknown", reason: `no answer: ${message}` } : again;
  // Includes a 200 whose body says that the grant was refused.
  if (NEVER.has(status) || (status < 300 && kind === "permanent"))
    return { kind: "refused", reason: `${status}: ${message}` };
  if (NOT_YET.has(status)) return again;
  return { kind: "unknown", reason: `${status}: ${message}` };
}

/** The event for the owner's backend about a grant that was made. */
export function grantedOf(entry: LedgerEntry): EventFacts<"credits.granted"> {
  const { email = null, amount = null } = contentOf(entry);
  type Answer = { subAccountId?: string; added?: number; balance?: number };
  const { subAccountId = null, added = null, balance = null } = JSON.parse(entry.result ?? "{}") as Answer;
  return { key: entry.key, email, amount, subAccountId, added, newBalance: balance };
}
