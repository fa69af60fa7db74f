import { createPoll } from "../../base/poll.ts";
import type { Transaction } from "../../db/database.ts";
import { grantedOf } from "../../records/ledger/grants.ts";
import type { LedgerEntry, LedgerVerdict, TransitionProblem } from "../../records/ledger/ledger.ts";
import type { Recharge } from "../../service/recharge.ts";
import { askBilling } from "./ask-billing.ts";
import { type Approval, approve, type Decision, dismiss, type GrantOrder, grant, resolve } from "./decisions.ts";
import { type RechargeOutcome, recharge } from "./recharge.ts";
import type { CreditsDeps } from "./state.ts";

/** The flow of credit grants. */
export type Credits = {
  /** Stores an auto-recharge event, see `recharge.ts`. */
  recharge: (account: string, event: Recharge) => Promise<RechargeOutcome>;
  /** Orders and decisions of people and programs, see `decisions.ts`. */
  grant: (order: GrantOrder) => ReturnType<typeof grant>;
  approve: (approval: Approval) => ReturnType<typeof approve>;
  dismiss: (decision: Decision) => Promise<LedgerEntry | TransitionProblem>;
  resolve: (decision: Decision & { granted: boolean }) => Promise<LedgerEntry | TransitionProblem>;
  /**
   * Reports the outcome of a grant's call, in the transaction that settles it.
   * @returns a function that writes the log; call it when the transaction is durable
   */
  settled: (tx: Transaction, entry: LedgerEntry, verdict: LedgerVerdict) => Promise<() => void>;
  /** Starts to ask the billing webhooks. */
  start: () => void;
  stop: () => Promise<void>;
};

/** The ledger is searched at this interval (ms) for recharges that the billing webhook has to decide. */
const ASK_EVERY_MS = 5_000;

/**
 * Creates the flow of credit grants. It stores each order as a ledger entry before it calls the service, so it loses none. It
 * repeats a grant only if a person decides so. The account's rules decide about a recharge that no person has approved.
 */
export function createCredits(
  given: Omit<CreditsDeps, "storeAccountEvent" | "works"> & Partial<Pick<CreditsDeps, "storeAccountEvent" | "works">>,
): Credits {
  const deps: CreditsDeps = { storeAccountEvent: async () => {}, works: () => true, ...given };
  const { clock, log } = deps;
  const poll = createPoll({
    clock,
    every: ASK_EVERY_MS,
    run: () => askBilling(deps, poll.isStopped),
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  return {
    recharge: (account, event) => recharge(deps, account, event),
    grant: (order) => grant(deps, order),
    approve: (approval) => approve(deps, approval),
    dismiss: (decision) => dismiss(deps, decision),
    resolve: (decision) => resolve(deps, decision),
    settled: (tx, entry, verdict) => settled(deps, tx, entry, verdict),
    start: poll.start,
    stop: poll.stop,
  };
}

async function settled(
  { log, storeAccountEvent }: CreditsDeps,
  tx: Transaction,
  entry: LedgerEntry,
  verdict: LedgerVerdict,
) {
  const { account, key } = entry;
  if (verdict.kind !== "done") return () => log("credits.waiting", { account, key, why: verdict.kind });
  await storeAccountEvent(
    tx,
    account,
    "credits.granted",
    grantedOf({ ...entry, result: JSON.stringify(verdict.result) }),
  );
  return () => log("credits.granted", { account, key });
}
