import { mappedEmail } from "../../base/rules.ts";
import type { Transaction } from "../../db/database.ts";
import { type GrantContent, WAIT_REASONS } from "../../records/ledger/grants.ts";
import { addEntry, type LedgerEntry, ledgerKey, NEVER_DUE, transition } from "../../records/ledger/ledger.ts";
import type { Recharge } from "../../service/recharge.ts";
import { obstacle } from "./limits.ts";
import { type CreditsDeps, digestOf, intentBy } from "./state.ts";

/** The outcome of a recharge event. `conflict`: its key is known with another sub-account or amount. */
export type RechargeOutcome = "stored" | "duplicate" | "conflict";

/**
 * Stores an auto-recharge event in the ledger, once per key, and decides the next step. Resolves once the key is
 * durable; the grant itself comes later.
 */
export async function recharge(deps: CreditsDeps, account: string, event: Recharge): Promise<RechargeOutcome> {
  const { db, clock, log, wake } = deps;
  const now = clock.now();
  const content = contentFor(deps, account, event);
  const { unreadable } = event;
  const digest = digestOf(event.email, event.amount, event.subAccount, ...(unreadable ? [unreadable] : []));
  const store = async (tx: Transaction): Promise<RechargeOutcome> => {
    const { entry, fresh } = await addEntry(tx, {
      ...({ kind: "grant", account, state: "received", reason: null, actor: "service", now } as const),
      key: event.key,
      lane: content.email ?? "",
      digest,
      content: JSON.stringify(content),
    });
    if (!fresh) return entry.digest === digest ? "duplicate" : "conflict";
    await storeRequested(deps, tx, entry, content);
    await decide(deps, tx, { entry, content, unreadable, now });
    return "stored";
  };
  const outcome = await db.transaction(store, [ledgerKey(account)]);
  log(outcome === "conflict" ? "credits.conflict" : "credits.received", { account, key: event.key, outcome });
  wake();
  return outcome;
}

/** The content of the grant. The default amount replaces an absent amount, never an invalid one. */
function contentFor({ rules }: CreditsDeps, account: string, event: Recharge): GrantContent {
  const rule = rules(account);
  return {
    email: event.email ?? mappedEmail(rule, event.subAccount),
    amount: event.unreadable === undefined ? (event.amount ?? rule.amount) : undefined,
    note: "Auto-recharge",
    source: "recharge",
    subAccount: event.subAccount,
  };
}

const storeRequested = (
  { storeAccountEvent }: CreditsDeps,
  tx: Transaction,
  { account, key }: LedgerEntry,
  content: GrantContent,
) =>
  storeAccountEvent(tx, account, "recharge.requested", {
    key,
    ...(content.email === undefined ? {} : { email: content.email }),
    ...(content.amount === undefined ? {} : { amount: content.amount }),
  });

type NewRecharge = { entry: LedgerEntry; content: GrantContent; unreadable: string | undefined; now: number };

/** Makes a new recharge an intent, leaves it to the billing webhook, or leaves it to a person. */
async function decide(deps: CreditsDeps, tx: Transaction, { entry, content, unreadable, now }: NewRecharge) {
  const { account } = entry;
  const complete = content.email !== undefined && content.amount !== undefined;
  const toAsk = deps.rules(account).mode === "webhook" && complete;
  const why = toAsk ? "asking" : await obstacle(deps, tx, { account, ...content }, now);
  const reason = unreadable === undefined ? why && WAIT_REASONS[why] : `${WAIT_REASONS.unreadable}: ${unreadable}`;
  const next =
    reason === undefined
      ? intentBy("rules", now)
      : ({ state: "received", reason, due: toAsk ? now : NEVER_DUE, actor: "rules", now } as const);
  await transition(tx, entry, ["received"], next);
}
