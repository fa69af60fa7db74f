import { emailOf, toSingleLine } from "../../base/input-text.ts";
import type { Transaction } from "../../db/database.ts";
import { contentOf, type GrantContent, grantedOf, isGrantable, WAIT_REASONS } from "../../records/ledger/grants.ts";
import {
  addEntry,
  findEntry,
  type LedgerEntry,
  ledgerKey,
  NEVER_DUE,
  type TransitionProblem,
  transition,
  transitionProblem,
} from "../../records/ledger/ledger.ts";
import { isDistrusted } from "../../records/ledger/restored.ts";
import { type CreditsDeps, digestOf, intentBy, waitForPerson } from "./state.ts";

/** The order of a person or a program to grant credits. `amount`: credits, at most two decimals. */
export type GrantOrder = { account: string; key: string; email: string; amount: number; note: string; actor: string };
/** A person's decision about one ledger entry. */
export type Decision = { account: string; key: string; actor: string; reason: string };
/** A person's approval. `email`, `amount`: replace those of the entry. */
export type Approval = Decision & { email?: string; amount?: number };

const nameOf = ({ account, key }: { account: string; key: string }) => ({ kind: "grant", account, key }) as const;

/** States from which a grant may be approved. */
const APPROVABLE_STATES = ["received", "refused", "dismissed"] as const;

/**
 * Stores an order as an intent, once per key. After a restored backup it waits for a person, because the ledger may lack the
 * key.
 * @returns the entry; the stored one when the key is known. `conflict`: the key is known with another email or amount.
 * `amount`, `email`: that field is invalid
 */
export async function grant(
  deps: CreditsDeps,
  order: GrantOrder,
): Promise<{ entry: LedgerEntry; fresh: boolean } | "conflict" | "amount" | "email"> {
  const { db, log, rules, wake } = deps;
  const { account, key, amount } = order;
  const email = emailOf(order.email)?.toLowerCase();
  // The service never accepts an invalid address, so a grant to one would be repeated without end.
  if (email === undefined) return "email";
  if (!isGrantable(amount, rules(account))) return "amount";
  const digest = digestOf(email, amount, undefined);
  const written = await db.transaction((tx) => enterOrder(deps, tx, { ...order, email }, digest), [ledgerKey(account)]);
  if (!written.fresh && written.entry.digest !== digest) {
    log("credits.conflict", { account, key });
    return "conflict";
  }
  wake();
  return written;
}

/** Stores an order. After a restored backup, it waits for a person. */
async function enterOrder({ clock }: CreditsDeps, tx: Transaction, order: GrantOrder, digest: string) {
  const { account, key, email, amount, actor } = order;
  const now = clock.now();
  const content: GrantContent = {
    email,
    amount,
    note: toSingleLine(order.note),
    source: "request",
    subAccount: undefined,
  };
  const held = await isDistrusted(tx);
  const first = { state: held ? "received" : "intent", reason: null, actor, now } as const;
  const name = nameOf({ account, key });
  const entered = await addEntry(tx, { ...name, ...first, lane: email, digest, content: JSON.stringify(content) });
  if (!held || !entered.fresh) return entered;
  const waiting = await waitForPerson(tx, name, { why: "restored", actor: "rules", now });
  return { entry: waiting ?? entered.entry, fresh: true };
}

/**
 * Makes a waiting, refused or dismissed entry an intent. The person may add or correct email and amount.
 * @returns `incomplete`: an email or an amount is still missing; `amount`, `email`: that field is invalid
 */
export async function approve(
  { db, clock, rules, wake }: CreditsDeps,
  approval: Approval,
): Promise<LedgerEntry | TransitionProblem | "incomplete" | "amount" | "email"> {
  const { account, actor, reason } = approval;
  const now = clock.now();
  const given = approval.email === undefined ? undefined : emailOf(approval.email)?.toLowerCase();
  if (approval.email !== undefined && given === undefined) return "email";
  const outcome = await db.transaction(
    async (tx) => {
      const entry = await findEntry(tx, nameOf(approval));
      if (entry === undefined) return "missing";
      if (!APPROVABLE_STATES.some((state) => state === entry.state)) return "wrong_state";
      const old = contentOf(entry);
      const email = given ?? old.email;
      const amount = approval.amount ?? old.amount;
      if (email === undefined || amount === undefined) return "incomplete";
      if (!isGrantable(amount, rules(account))) return "amount";
      const content = JSON.stringify({ ...old, email, amount });
      const next = { ...intentBy(actor, now), reason, lane: email, content };
      return (await transition(tx, entry, APPROVABLE_STATES, next)) ?? "wrong_state";
    },
    [ledgerKey(account)],
  );
  wake();
  return outcome;
}

/** Ends an entry that was not granted. It stays in the ledger, and may be approved later. */
export const dismiss = ({ db, clock }: CreditsDeps, decision: Decision): Promise<LedgerEntry | TransitionProblem> =>
  db.transaction(
    async (tx) => {
      const { actor, reason } = decision;
      const now = clock.now();
      const next = { state: "dismissed", reason, due: now, actor, now } as const;
      const name = nameOf(decision);
      return (await transition(tx, name, ["received", "intent", "refused"], next)) ?? transitionProblem(tx, name);
    },
    [ledgerKey(decision.account)],
  );

/**
 * Records whether an unknown grant was made, after a person searched the service's credit history for the key. A grant that was
 * not made waits for approval again: before a second call, a person decides twice.
 */
export const resolve = (
  { db, clock, storeAccountEvent }: CreditsDeps,
  decision: Decision & { granted: boolean },
): Promise<LedgerEntry | TransitionProblem> =>
  db.transaction(
    async (tx) => {
      const { account, actor, reason, granted } = decision;
      const now = clock.now();
      const name = nameOf(decision);
      const next = granted
        ? ({ state: "done", reason, due: now, actor, now, result: JSON.stringify({ resolved: true }) } as const)
        : ({ state: "received", reason: `${WAIT_REASONS.notGranted}: ${reason}`, due: NEVER_DUE, actor, now } as const);
      const entry = await transition(tx, name, ["unknown"], next);
      if (entry === undefined) return transitionProblem(tx, name);
      if (granted) await storeAccountEvent(tx, account, "credits.granted", grantedOf(entry));
      return entry;
    },
    [ledgerKey(decision.account)],
  );
