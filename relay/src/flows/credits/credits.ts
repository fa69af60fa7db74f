import { createHash } from "node:crypto";
import { cut } from "@porchlight/shared/text";
import { hundredths, isAmount } from "../../base/amount.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { emailOf, lineOf } from "../../base/person.ts";
import { type CreditRules, mappedEmail } from "../../base/rules.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { spend } from "../../records/daily-credits.ts";
import { contentOf, fits, type GrantContent, grantedOf, WAITS } from "../../records/ledger/grants.ts";
import {
  dueEntries,
  type Entry,
  enter,
  FOREVER,
  findEntry,
  move,
  type Undone,
  undone,
  type Verdict,
} from "../../records/ledger/ledger.ts";
import { isDistrusted } from "../../records/ledger/restored.ts";
import type { Recharge } from "../../service/recharge.ts";
import type { TellAccount } from "../notify.ts";

/** What the agency's billing address said of a recharge: its verdict, or nothing when it could not be asked. The amount as it came. */
export type Billing = (
  account: string,
  event: { key: string; email: string; amount: number },
) => Promise<{ approve: boolean; amount?: unknown } | undefined>;

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  rules: (account: string) => CreditRules;
  /** Something became an intent. */
  wake: () => void;
  ask: Billing;
  /** Tells the owner's backend, in the same transaction. */
  tell?: TellAccount;
};

/** A person's or a program's order to grant. */
export type GrantOrder = { account: string; key: string; email: string; amount: number; note: string; actor: string };
type Ref = { account: string; key: string };
type Decision = Ref & { actor: string; reason: string };

const ASK_EVERY_MS = 5_000;
const ASK_AGAIN_MS = 60_000;
/** Longest part of a wrong amount that is kept, to be shown. */
const SAID_MAX = 60;

const digestOf = (...parts: (string | number | undefined)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/**
 * Grants of credits: at most once by itself, and never silently none. Every order is a ledger entry before anything is
 * called; what becomes of a recharge nobody approved is decided by the account's rules.
 */
export function createCredits({ db, clock, log, rules, wake, ask, tell = async () => {} }: Parts) {
  let stopped = false;
  let asking: Promise<void> = Promise.resolve();
  let cancel = (): void => {};

  const intent = (actor: string, now: number) => ({ state: "intent", reason: null, due: now, actor, now }) as const;
  const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

  /** Why this recharge may not go on by itself; nothing when it may. Takes its amount from the day's share. */
  async function obstacle(
    tx: Transaction,
    account: string,
    { email, amount }: GrantContent,
    now: number,
  ): Promise<keyof typeof WAITS | undefined> {
    const rule = rules(account);
    if (email === undefined || amount === undefined) return "unresolved";
    if (await isDistrusted(tx)) return "restored";
    if (rule.mode === "manual") return "approval";
    if (!fits(amount, rule)) return "tooMuch";
    if (rule.mode === "auto" && !rule.allow.includes(email)) return "notAllowed";
    const share = { account, day: dayOf(now), amount: hundredths(amount), cap: hundredths(rule.perDay) };
    return (await spend(tx, share)) ? undefined : "dayFull";
  }

  /** An auto-recharge event. Resolves once its key is durable; what it leads to follows later. */
  async function recharge(account: string, event: Recharge): Promise<"stored" | "duplicate" | "conflict"> {
    const now = clock.now();
    const rule = rules(account);
    const email = event.email ?? mappedEmail(rule, event.subAccount);
    const content: GrantContent = {
      email,
      // The default stands for an amount that is absent, never for one that cannot be read.
      amount: event.unreadable === undefined ? (event.amount ?? rule.amount) : undefined,
      note: "Auto-recharge",
      source: "recharge",
      subAccount: event.subAccount,
    };
    const { unreadable } = event;
    const digest = digestOf(event.email, event.amount, event.subAccount, ...(unreadable ? [unreadable] : []));
    const outcome = await db.transaction(async (tx) => {
      const { entry, fresh } = await enter(tx, {
        kind: "grant",
        account,
        key: event.key,
        lane: email ?? "",
        digest,
        content: JSON.stringify(content),
        state: "received",
        reason: null,
        actor: "service",
        now,
      });
      if (!fresh) return entry.digest === digest ? "duplicate" : "conflict";
      await tell(tx, account, "recharge.requested", {
        key: event.key,
        ...(email === undefined ? {} : { email }),
        ...(content.amount === undefined ? {} : { amount: content.amount }),
      });
      await decide(tx, entry, content, unreadable, now);
      return "stored";
    });
    const level = { account, key: event.key };
    log(outcome === "conflict" ? "credits.conflict" : "credits.received", { ...level, outcome });
    wake();
    return outcome;
  }

  async function decide(
    tx: Transaction,
    entry: Entry,
    content: GrantContent,
    unreadable: string | undefined,
    now: number,
  ): Promise<void> {
    const complete = content.email !== undefined && content.amount !== undefined;
    const toAsk = rules(entry.account).mode === "webhook" && complete;
    const why = toAsk ? "asking" : await obstacle(tx, entry.account, content, now);
    const reason = unreadable === undefined ? why && WAITS[why] : `${WAITS.unreadable}: ${unreadable}`;
    const next =
      reason === undefined
        ? intent("rules", now)
        : ({ state: "received", reason, due: toAsk ? now : FOREVER, actor: "rules", now } as const);
    await move(tx, entry, ["received"], next);
  }

  /**
   * An order of somebody who may: an intent at once, unless the ledger has forgotten keys. The same key again answers with
   * the stored entry.
   */
  async function grant(order: GrantOrder): Promise<{ entry: Entry; fresh: boolean } | "conflict" | "amount" | "email"> {
    const { account, key, amount, actor } = order;
    const [email, note] = [emailOf(order.email)?.toLowerCase(), lineOf(order.note)];
    // An address that is none would be asked about again and again, and never be right.
    if (email === undefined) return "email";
    if (!fits(amount, rules(account))) return "amount";
    const content: GrantContent = { email, amount, note, source: "request", subAccount: undefined };
    const digest = digestOf(email, amount, undefined);
    const now = clock.now();
    const written = await db.transaction(async (tx) => {
      const held = await isDistrusted(tx);
      const state = held ? "received" : "intent";
      const name = { kind: "grant", account, key } as const;
      const first = { state, reason: null, actor, now } as const;
      const made = { ...name, ...first, lane: email, digest, content: JSON.stringify(content) };
      const entered = await enter(tx, made);
      if (!held || !entered.fresh) return entered;
      const wait = { state: "received", reason: WAITS.restored, due: FOREVER, actor: "rules", now } as const;
      return { entry: (await move(tx, name, ["received"], wait)) ?? entered.entry, fresh: true };
    });
    if (!written.fresh && written.entry.digest !== digest) {
      log("credits.conflict", { account, key });
      return "conflict";
    }
    wake();
    return written;
  }

  /** A person lets a waiting recharge go, and may complete or change what it asks for. */
  async function approve(
    decision: Decision & { email?: string; amount?: number },
  ): Promise<Entry | Undone | "incomplete" | "amount" | "email"> {
    const { account, key, actor, reason } = decision;
    const now = clock.now();
    const said = decision.email === undefined ? undefined : emailOf(decision.email)?.toLowerCase();
    if (decision.email !== undefined && said === undefined) return "email";
    const outcome = await db.transaction(async (tx) => {
      const entry = await findEntry(tx, { kind: "grant", account, key });
      if (entry === undefined) return "missing";
      if (!["received", "refused", "dismissed"].includes(entry.state)) return "wrong_state";
      const old = contentOf(entry);
      const email = said ?? old.email;
      const amount = decision.amount ?? old.amount;
      if (email === undefined || amount === undefined) return "incomplete";
      if (!fits(amount, rules(account))) return "amount";
      const content = JSON.stringify({ ...old, email, amount });
      const next = { ...intent(actor, now), reason, lane: email, content };
      return (await move(tx, entry, ["received", "refused", "dismissed"], next)) ?? "wrong_state";
    });
    wake();
    return outcome;
  }

  /** A person ends what has not been granted: it stays in the ledger. */
  const dismiss = ({ account, key, actor, reason }: Decision): Promise<Entry | Undone> =>
    db.transaction(async (tx) => {
      const now = clock.now();
      const next = { state: "dismissed", reason, due: now, actor, now } as const;
      const name = { kind: "grant", account, key } as const;
      return (await move(tx, name, ["received", "intent", "refused"], next)) ?? undone(tx, name);
    });

  /**
   * A person looked the key up in the service's credit history and says what is true of an unknown grant. Not granted: it
   * waits for approval again, so that a second grant takes two decisions.
   */
  const resolve = (decision: Decision & { granted: boolean }): Promise<Entry | Undone> =>
    db.transaction(async (tx) => {
      const { account, key, actor, reason, granted } = decision;
      const now = clock.now();
      const name = { kind: "grant", account, key } as const;
      const next = granted
        ? ({ state: "done", reason, due: now, actor, now, result: JSON.stringify({ resolved: true }) } as const)
        : ({ state: "received", reason: `${WAITS.notGranted}: ${reason}`, due: FOREVER, actor, now } as const);
      const entry = await move(tx, name, ["unknown"], next);
      if (entry === undefined) return undone(tx, name);
      if (granted) await tell(tx, account, "credits.granted", grantedOf(entry));
      return entry;
    });

  // ── the billing address ───────────────────────────────────────────────────────────────────────────────────────

  async function askBilling(): Promise<void> {
    const now = clock.now();
    for (const entry of await dueEntries(db, { kind: "grant", state: "received", now, limit: 20 })) {
      const { email, amount } = contentOf(entry);
      if (email === undefined || amount === undefined || stopped) continue;
      const answer = await ask(entry.account, { key: entry.key, email, amount });
      await db.transaction((tx) => heard(tx, entry, answer));
      wake();
    }
  }

  async function heard(tx: Transaction, entry: Entry, answer: Awaited<ReturnType<Billing>>): Promise<void> {
    const now = clock.now();
    const wait = (reason: string, due: number, content: GrantContent = contentOf(entry)) =>
      move(tx, entry, ["received"], {
        ...{ state: "received", reason, due, actor: "billing", now },
        content: JSON.stringify(content),
      });
    if (answer === undefined) return void (await wait(WAITS.asking, now + ASK_AGAIN_MS));
    if (!answer.approve) return void (await wait(WAITS.declined, FOREVER));
    const said = answer.amount ?? undefined;
    // What was said stays to be seen: a person decides what was meant.
    const words = cut(JSON.stringify(said) ?? "", SAID_MAX);
    if (said !== undefined && !isAmount(said)) return void (await wait(`${WAITS.misbilled}: ${words}`, FOREVER));
    const content = said === undefined ? contentOf(entry) : { ...contentOf(entry), amount: said };
    const why = await obstacle(tx, entry.account, content, now);
    if (why !== undefined)
      return void (await wait(
        said === undefined ? WAITS[why] : `${WAITS[why]}: billing says ${words}`,
        FOREVER,
        content,
      ));
    await move(tx, entry, ["received"], { ...intent("billing", now), content: JSON.stringify(content) });
  }

  function askLater(ms: number): void {
    cancel = clock.after(ms, () => {
      asking = askBilling()
        .catch((error: unknown) => log("database.failing", { cause: String(error) }))
        .finally(() => {
          if (!stopped) askLater(ASK_EVERY_MS);
        });
    });
  }

  return {
    recharge,
    grant,
    approve,
    dismiss,
    resolve,
    /** What follows from a grant's call, for the machine that makes it. */
    async settled(tx: Transaction, entry: Entry, verdict: Verdict): Promise<(() => void) | undefined> {
      const { account, key } = entry;
      if (verdict.kind !== "done") return () => log("credits.waiting", { account, key, why: verdict.kind });
      await tell(tx, account, "credits.granted", grantedOf({ ...entry, result: JSON.stringify(verdict.result) }));
      return () => log("credits.granted", { account, key });
    },
    start: () => askLater(0),
    stop: async () => {
      stopped = true;
      cancel();
      await asking;
    },
  };
}

export type Credits = ReturnType<typeof createCredits>;
