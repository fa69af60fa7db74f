import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { CreditRules } from "../../base/rules.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { WAIT_REASONS } from "../../records/ledger/grants.ts";
import { type LedgerEntry, NEVER_DUE, transition } from "../../records/ledger/ledger.ts";
import type { StoreAccountEvent } from "../webhooks.ts";
import type { Billing } from "./billing.ts";

/** What the flow of credit grants needs. */
export type CreditsDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  rules: (account: string) => CreditRules;
  /** Called when entries may have become intents, so that the ledger's worker looks for them. */
  wake: () => void;
  ask: Billing;
  /** Whether this node works for an account: only one node asks its billing webhook. */
  works: (account: string) => boolean;
  /** Stores an event for the owner's backend in the same transaction. */
  storeAccountEvent: StoreAccountEvent;
};

/** Why a recharge waits for a person. */
export type Obstacle = keyof typeof WAIT_REASONS;

/** A hash of the parts of an order, to recognise a repeat of it. */
export const digestOf = (...parts: (string | number | undefined)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** The next step of an entry that is granted as soon as its account's pace allows it. @param now milliseconds since 1970 */
export const intentBy = (actor: string, now: number) =>
  ({ state: "intent", reason: null, due: now, actor, now }) as const;

/** Lets an entry wait until a person moves it. @param because added to the reason */
export function waitForPerson(
  tx: Transaction,
  entry: Pick<LedgerEntry, "kind" | "account" | "key">,
  given: { why: Obstacle; because?: string; content?: string; actor: string; now: number },
): Promise<LedgerEntry | undefined> {
  const { why, because, content, actor, now } = given;
  const reason = because === undefined ? WAIT_REASONS[why] : `${WAIT_REASONS[why]}: ${because}`;
  const next = { state: "received", reason, due: NEVER_DUE, actor, now } as const;
  return transition(tx, entry, ["received"], content === undefined ? next : { ...next, content });
}
