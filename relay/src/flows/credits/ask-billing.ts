import { isAmount, shownAmount } from "../../base/amount.ts";
import type { Transaction } from "../../db/database.ts";
import { contentOf } from "../../records/ledger/grants.ts";
import {
  findEntry,
  type LedgerEntry,
  ledgerKey,
  postpone,
  transition,
  undecidedEntries,
} from "../../records/ledger/ledger.ts";
import type { BillingAnswer } from "./billing.ts";
import { obstacle } from "./limits.ts";
import { type CreditsDeps, intentBy, waitForPerson } from "./state.ts";

/** A billing webhook that gives no decision is asked again after this time, in ms. */
const ASK_AGAIN_MS = 60_000;
/** Most recharges per run. */
const RECHARGES_PER_RUN = 20;

/** Asks the billing webhooks about every recharge that is due. @param isStopped checked before each question */
export async function askBilling(deps: CreditsDeps, isStopped: () => boolean): Promise<void> {
  const { db, clock, ask, wake, works } = deps;
  const query = { kind: "grant", now: clock.now(), limit: RECHARGES_PER_RUN } as const;
  for (const entry of await undecidedEntries(db, query)) {
    const { email, amount } = contentOf(entry);
    if (email === undefined || amount === undefined || !works(entry.account) || isStopped()) continue;
    const answer = await ask(entry.account, { key: entry.key, email, amount });
    await db.transaction((tx) => applyAnswer(deps, tx, entry, answer), [ledgerKey(entry.account)]);
    wake();
  }
}

/** Stores the decision of the billing webhook. Without a decision, it is asked again. */
async function applyAnswer(deps: CreditsDeps, tx: Transaction, entry: LedgerEntry, answer: BillingAnswer | undefined) {
  const now = deps.clock.now();
  // Ignore the answer if a person or another node has changed the entry meanwhile. It must not count against the daily limit.
  const current = await findEntry(tx, entry);
  if (current?.state !== "received" || current.due !== entry.due) return;
  const by = { actor: "billing", now } as const;
  if (answer === undefined) return postpone(tx, entry, now + ASK_AGAIN_MS);
  if (!answer.approve) return void (await waitForPerson(tx, entry, { why: "declined", ...by }));
  const changed = answer.amount ?? undefined;
  const because = changed === undefined ? undefined : shownAmount(changed);
  if (changed !== undefined && !isAmount(changed))
    return void (await waitForPerson(tx, entry, {
      why: "misbilled",
      ...(because !== undefined && { because }),
      ...by,
    }));
  const grant = changed === undefined ? contentOf(entry) : { ...contentOf(entry), amount: changed };
  const content = JSON.stringify(grant);
  const why = await obstacle(deps, tx, { account: entry.account, ...grant }, now);
  if (why === undefined)
    return void (await transition(tx, entry, ["received"], { ...intentBy("billing", now), content }));
  const reason = because === undefined ? {} : { because: `billing says ${because}` };
  await waitForPerson(tx, entry, { why, ...reason, content, ...by });
}
