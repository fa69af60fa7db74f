import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { type CreditRules, NO_CREDITS } from "../base/rules.ts";
import type { Bus } from "../bus/bus.ts";
import type { Presence } from "../bus/presence.ts";
import type { Database, Transaction } from "../db/database.ts";
import { createAccessPolicy } from "../flows/access-policy.ts";
import { createCapture } from "../flows/capture.ts";
import { createContacts, type Paced } from "../flows/contacts.ts";
import { type Billing, createCredits } from "../flows/credits.ts";
import { createLeads } from "../flows/leads.ts";
import { createLedgerWorker } from "../flows/ledger-worker.ts";
import { createMail } from "../flows/mail/mail.ts";
import { createNotify } from "../flows/notify.ts";
import { createOutreach, sendVerdict } from "../flows/outreach.ts";
import type { Services } from "../flows/services.ts";
import { createMailer } from "../hooks/mailer.ts";
import type { RechargeBody } from "../hooks/payloads.ts";
import { createHooks } from "../hooks/post.ts";
import { contentOf, descriptionOf, verdictOf } from "../records/grants.ts";
import { HELD_BACK } from "../records/leads.ts";
import type { Head } from "../records/outbox.ts";
import { isErased, sentContent } from "../records/own-messages.ts";
import type { Sites } from "../records/sites.ts";
import { findVisitor } from "../records/visitors.ts";
import type { Gates } from "../service/gates.ts";
import type { Rank, Turn } from "../service/keygate.ts";
import type { Outcome } from "../service/outcome.ts";

type Parts = {
  settings: Settings;
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  services: Services;
  sites: Sites;
  /** Where every call waits for its turn, with the courier's. */
  gates: Pick<Gates, "enter" | "heldFor">;
  /** Signs visitor ids. */
  signing: string;
  /** Who is here. The command line knows nobody, and leaves sending to the relay. */
  presence?: Presence;
};

/** An account and its rules for credits. */
export type Agency = { id: string; rules: CreditRules };

/** A call for which somebody waits is given up when the pace holds it back longer than this. */
const PATIENCE_MS = 5_000;
/** A message that is due later than this waits for its site's budget; the pauses between tries are shorter. */
const BUDGET_MS = 120_000;

/** What the owner's side does: credits, messages, contacts. Introduces its flows to each other and to the service. */
export function createBackoffice({ settings, db, bus, clock, log, services, sites, gates, signing, presence }: Parts) {
  const node = randomId(12);
  const accounts = settings.accounts.map(({ id }) => id);
  const hooks = createHooks();
  const notify = createNotify({ db, clock, log, sites: settings.sites, hooks });
  const rules = new Map(settings.accounts.map(({ id, credits }) => [id, credits ?? NO_CREDITS]));
  const rulesOf = (account: string): CreditRules => rules.get(account) ?? NO_CREDITS;

  const ask: Billing = async (account, event) => {
    const { billing } = rulesOf(account);
    if (billing === undefined) return undefined;
    const asked: RechargeBody = { type: "recharge.requested", account, ...event };
    const { status, text } = await hooks.post({ ...billing, id: event.key, body: JSON.stringify(asked) }, clock.now());
    return status >= 200 && status < 300 ? approvalIn(text) : undefined;
  };

  const grants = createLedgerWorker({
    db,
    clock,
    log,
    kind: "grant",
    node,
    ordered: false,
    accounts,
    gates,
    async call(entry, turn) {
      const { email, amount, note } = contentOf(entry);
      const client = services.of(entry.account);
      if (client === undefined || email === undefined || amount === undefined)
        return { kind: "again", reason: `account ${entry.account} is not configured` };
      const answer = await client.grantCredits({ email, amount, description: descriptionOf(note, entry.key) });
      turn.settle(answer);
      return verdictOf(answer);
    },
    settled: (tx, entry, verdict) => credits.settled(tx, entry, verdict),
  });
  const credits = createCredits({ db, clock, log, rules: rulesOf, wake: grants.wake, ask, tell: notify.tellAccount });

  const sends = createLedgerWorker({
    db,
    clock,
    log,
    kind: "send",
    node,
    ordered: true,
    accounts,
    gates,
    async call(entry, turn) {
      const content = sentContent(entry);
      if (isErased(content)) return { kind: "refused", reason: "the person was erased" };
      const { site, text, campaign, ...names } = content;
      const client = services.of(entry.account);
      const home = settings.sites.find((each) => each.public.id === site);
      if (client === undefined || home === undefined)
        return { kind: "again", reason: `site ${site} is not configured` };
      const message = {
        fromId: entry.lane,
        customChannel: home.channel,
        body: text,
        ...stated({ campaignId: campaign, ...names }),
      };
      const answer = await services.routed(home, message, client.sendMessage);
      turn.settle(answer);
      return sendVerdict(answer);
    },
    settled: (tx, entry, verdict) => outreach.settled(tx, entry, verdict),
  });
  const outreach = createOutreach({ db, bus, clock, log, signing, wake: sends.wake });

  /** Ends the waiting of those who wait for a turn. */
  const waiting = new Set<() => void>();
  /** The turn of a call for which somebody waits; nothing when it does not come in time. */
  const turnOf = (account: string, rank: Rank): Promise<Turn | undefined> =>
    new Promise((resolve) => {
      const end = (turn?: Turn): void => {
        leave();
        cancel();
        waiting.delete(giveUp);
        resolve(turn);
      };
      const giveUp = (): void => end();
      let leave = (): void => {};
      const cancel = clock.after(PATIENCE_MS, giveUp);
      waiting.add(giveUp);
      leave = gates.enter(account, rank, end);
    });

  /** Makes a call when its turn comes, or says that it did not. */
  const paced: Paced = async (account, rank, call) => {
    const client = services.of(account);
    if (client === undefined) return { kind: "config", status: 0, message: `account ${account} is not configured` };
    const turn = await turnOf(account, rank);
    if (turn === undefined) return heldBack(gates.heldFor(account));
    try {
      const answer = await call(client);
      turn.settle(answer);
      return answer;
    } finally {
      turn.settle({ kind: "unready", status: 0 });
    }
  };

  const contacts = createContacts({ db, clock, paced });
  const leads = createLeads({ db, bus, clock, log, sites, contacts });
  const capture = createCapture({ db, clock, log, signing, leads, tell: notify.tell });

  const mailer = settings.mail && createMailer(settings.mail);
  const nobody: Presence = { awaySince: () => 0 };
  const mail =
    mailer &&
    createMail({ db, clock, log, sites, presence: presence ?? nobody, mailer, ...mailRules(settings), signing });

  const gate = createAccessPolicy({ db, clock, log, hooks, signing });

  /** A site's messages of another day's budget wait; those of visitors who were blocked meanwhile do not go at all (C24). */
  function detain({ site, visitor, due }: Head): Outcome | undefined {
    if (gate.refuses(site, visitor)) return { kind: "permanent", status: 0, message: "the visitor is blocked" };
    const waitMs = due - clock.now();
    if (waitMs < BUDGET_MS || sites.find(site)?.messagesPerDay === undefined) return undefined;
    return { kind: "unready", status: 0, message: "the site's budget of the day is used", waitMs };
  }

  type Who = (token: string, origin: string) => Promise<{ visitor: string; site: string } | undefined>;
  /** Who holds a token, unless the site does not want them. */
  const wanted =
    (who: Who): Who =>
    async (token, origin) => {
      const found = await who(token, origin);
      return found !== undefined && gate.refuses(found.site, found.visitor) ? undefined : found;
    };

  return {
    gate,
    detain,
    wanted,
    credits,
    outreach,
    mailer,
    mail,
    contacts,
    leads,
    ...capture,
    /** Tells the owner's backend of a visitor's message, or of a reply. */
    tell: notify.tell,
    /** Tells it that a visitor's message was not delivered. */
    async tellFailed(tx: Transaction, visitor: string, pos: number, reason: string): Promise<void> {
      const row = await findVisitor(tx, visitor);
      if (row !== undefined) await notify.tell(tx, row.site, "delivery.failed", { visitor, position: pos, reason });
    },
    /** The accounts that may be meant: the named one; else those with rules for credits, or all where none has any. */
    agencies(named: string | undefined): Agency[] {
      const { accounts } = settings;
      const ruled = accounts.filter(({ credits }) => credits !== undefined);
      const meant = ruled.length > 0 ? ruled : accounts;
      const able = named === undefined ? meant : accounts.filter(({ id }) => id === named);
      return able.map(({ id }) => ({ id, rules: rulesOf(id) }));
    },
    /** An account's key is good again: what was refused goes now, and does not wait for its next try. */
    async hasten(account: string, why: "newKey" | "accepted"): Promise<void> {
      await sends.hasten(account);
      await leads.hasten(account);
      // An accepted message proves nothing for grants: an account that is no agency refuses them with 401 too.
      if (why === "newKey") await grants.hasten(account);
    },
    async start(): Promise<void> {
      await grants.start();
      await sends.start();
      await leads.start();
      await notify.start();
      credits.start();
      await mail?.start();
      await gate.start();
    },
    async stop(): Promise<void> {
      for (const giveUp of [...waiting]) giveUp();
      gate.stop();
      await mail?.stop();
      await credits.stop();
      await leads.stop();
      await grants.stop();
      await sends.stop();
      await notify.stop();
      await hooks.close();
    },
  };
}

/** A call that was not made, because its account makes none now. */
const heldBack = (why: string | undefined): Outcome => {
  const message = why === undefined ? HELD_BACK : `${HELD_BACK} (${why})`;
  return { kind: "throttle", status: 0, message, waitMs: PATIENCE_MS };
};

/** What signs the requests to the owner's side: never to be shown. */
export const hookSecrets = ({ sites, accounts }: Settings): string[] =>
  [
    ...sites.flatMap(({ webhook, guard }) => [webhook?.secret, guard?.secret]),
    ...accounts.map(({ credits }) => credits?.billing?.secret),
  ].filter((secret) => secret !== undefined);

const mailRules = ({ mail, publicUrl }: Settings) => ({ after: mail?.after ?? 0, relay: publicUrl ?? "" });

/** What logs in at the mail server: never to be shown. */
export const mailSecrets = ({ mail }: Settings): string[] => {
  const { password } = new URL(mail?.url ?? "smtp://none");
  return password === "" ? [] : [password, decodeURIComponent(password)];
};

/** Only the fields that say something: the service takes a blank for a value. */
function stated<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(said) as { [K in keyof T]?: string };
}

/** `{approve: boolean, amount?: number}`; without a verdict it is no answer. The amount is judged where it counts. */
function approvalIn(text: string): Awaited<ReturnType<Billing>> {
  try {
    const { approve, amount } = JSON.parse(text) as { approve?: unknown; amount?: unknown };
    if (typeof approve !== "boolean") return undefined;
    return { approve, amount };
  } catch {
    return undefined;
  }
}

export type Backoffice = ReturnType<typeof createBackoffice>;
