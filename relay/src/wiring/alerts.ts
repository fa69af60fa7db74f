import { freeSpace, MAKE_ROOM } from "../base/disk-space.ts";
import { accountLease, CHORES_LEASE } from "../db/lease-names.ts";
import { type AlertCheck, createAlerts, type Problem } from "../flows/alerts.ts";
import type { Backups } from "../flows/backup/schedule.ts";
import { createHooks } from "../hooks/post.ts";
import { ACCOUNT_ALERT, failedSince, refusedAccounts } from "../records/alerts.ts";
import { newestSettledEvent, troubledEvent } from "../records/events.ts";
import { type LedgerEntry, stuckEntries } from "../records/ledger/ledger.ts";
import { isDistrusted } from "../records/ledger/restored.ts";
import { waitingIn } from "../records/outbox.ts";
import { budgetName, dayOf, usedOn } from "../records/quotas.ts";
import type { Gates } from "../service/gates.ts";
import type { Core } from "./core.ts";
import type { OwnerFlows } from "./owner.ts";

/** Failed messages are counted over this time, in ms. */
const FAILURES_MS = 15 * 60_000;

/** Time that a message may wait for the service before an operator is alerted, in ms; the overview marks it then, too. */
const WAITING_MS = 5 * 60_000;

/** Tries of an event after which an operator is alerted: the third one comes five minutes after the first. */
const WEBHOOK_TRIES = 3;

const problemIf = (found: boolean, problem: Problem): Problem[] => (found ? [problem] : []);

/** A check that only the node with the daily jobs makes. */
const choreCheck = ({ cluster }: Core, kind: string, find: () => Promise<Problem[]>): AlertCheck => {
  const owns = (): boolean => cluster.leases.holds(CHORES_LEASE);
  return { kind, owns, find: async () => (owns() ? find() : []) };
};

/**
 * Accounts are checked by the node that calls the service for them. The node with the daily jobs ends the alert of one that the
 * settings no longer have.
 */
function accountCheck({ settings, cluster }: Core, gates: Gates): AlertCheck {
  const exists = (account: string): boolean => settings.accounts.some(({ id }) => id === account);
  return {
    kind: ACCOUNT_ALERT,
    owns: (account) => cluster.leases.holds(exists(account) ? accountLease(account) : CHORES_LEASE),
    find: async () =>
      settings.accounts.flatMap(({ id }) => {
        const why = gates.heldFor(id);
        const problem = `The service refuses account ${id}: ${why}. Deliveries wait.`;
        const cure =
          "Check the account's key and address: `porchlight doctor` shows more. Messages wait; those that wait longer than `DELIVERY_HORIZON_HOURS` fail, and Retry sends them.";
        return problemIf(why !== undefined, { kind: ACCOUNT_ALERT, subject: id, problem, cure });
      }),
  };
}

/** Messages that wait although no account is refused: that has its own alert. */
async function waiting({ db, clock, settings }: Core): Promise<Problem[]> {
  const { messages, since } = await waitingIn(db, settings.horizon);
  const late = since !== undefined && clock.now() - since > WAITING_MS;
  // Another node may call the service for the account.
  const alerts = await refusedAccounts(db);
  const refused = settings.accounts.some(({ id }) => alerts.has(id));
  const problem = `${messages} ${messages === 1 ? "message waits" : "messages wait"} for the service, the oldest for more than five minutes.`;
  const cure =
    "`porchlight doctor` shows whether the service answers; the page Deliveries shows its last answers. Messages that wait longer than `DELIVERY_HORIZON_HOURS` fail, and Retry sends them.";
  return problemIf(late && !refused, { kind: "waiting", subject: "", problem, cure });
}

async function failures({ db, clock }: Core): Promise<Problem[]> {
  const count = await failedSince(db, clock.now() - FAILURES_MS);
  const problem = `${count} ${count === 1 ? "message" : "messages"} failed within 15 minutes.`;
  const cure = "The page Deliveries shows the reasons and sends them again.";
  return problemIf(count > 0, { kind: "failures", subject: "", problem, cure });
}

async function disk({ settings }: Core): Promise<Problem[]> {
  const { megabytes, isEnough } = await freeSpace(settings.dataDir);
  const problem = `${megabytes} MB are free in ${settings.dataDir}.`;
  return problemIf(!isEnough, { kind: "disk", subject: "", problem, cure: MAKE_ROOM });
}

async function budget({ db, clock, sites }: Core): Promise<Problem[]> {
  const found: Problem[] = [];
  for (const {
    public: { id },
    messagesPerDay = Number.POSITIVE_INFINITY,
  } of sites.all) {
    if ((await usedOn(db, budgetName(id), dayOf(clock.now()))) < messagesPerDay) continue;
    const problem = `Site ${id} has used today's ${messagesPerDay} messages: further messages wait for the next days.`;
    const cure = "Raise `messagesPerDay`, or block the senders of a flood.";
    found.push({ kind: "budget", subject: id, problem, cure });
  }
  return found;
}

/** A site whose webhook refuses an event again and again, or refused the newest one for good. */
async function webhooks({ db, sites }: Core): Promise<Problem[]> {
  const found: Problem[] = [];
  for (const { webhook, public: site } of sites.all) {
    if (webhook === undefined) continue;
    const repeated = await troubledEvent(db, site.id, WEBHOOK_TRIES);
    const event = repeated ?? (await newestSettledEvent(db, site.id));
    if (event === undefined || event.state === "delivered") continue;
    const problem = `The webhook of site ${site.id} did not accept ${event.type} in ${event.attempts} ${event.attempts === 1 ? "try" : "tries"} (${event.status || event.problem}).`;
    const cure =
      "The page Webhooks shows each try. Correct your backend, or the address of the webhook. Events are tried again for three days; `porchlight webhooks retry` sends one at once.";
    found.push({ kind: "webhook", subject: site.id, problem, cure });
  }
  return found;
}

async function ledger({ db, clock }: Core): Promise<Problem[]> {
  const at = { now: clock.now(), limit: 1 };
  const [grant] = await stuckEntries(db, { ...at, kind: "grant" });
  const [sent] = await stuckEntries(db, { ...at, kind: "send" });
  if (await isDistrusted(db)) return [ledgerProblem(RESTORED)];
  const oldest = grant ?? sent;
  return oldest === undefined ? [] : [ledgerProblem(stuckIn(oldest))];
}

type Found = Pick<Problem, "problem" | "cure">;
const ledgerProblem = (found: Found): Problem => ({ kind: "ledger", subject: "", ...found });

const RESTORED: Found = {
  problem: "The database is a restored backup: grants wait until a person has compared the ledger.",
  cure: "Compare the ledger with the service's credit history, then run `porchlight credits trust`.",
};

/** What is wrong with a stuck entry of the ledger, and what to do. */
export function stuckIn({ kind, key, state, reason }: Pick<LedgerEntry, "kind" | "key" | "state" | "reason">): Found {
  const waits = `The ledger waits for a person: ${key} (${reason ?? state}).`;
  if (kind === "grant") return { problem: waits, cure: "The page Ledger says what to decide." };
  if (state === "intent")
    return {
      problem: `A message of your backend is not sent yet: ${key} (${reason ?? "not called yet"}).`,
      cure: "The relay sends it when the service accepts it. `porchlight doctor` says what prevents that.",
    };
  const [site, name] = [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)];
  return {
    problem: waits,
    cure: `Look it up at the service, then run \`porchlight send resolve ${name} --site ${site}\`.`,
  };
}

async function backup({ settings, clock }: Core, backups: Backups | undefined): Promise<Problem[]> {
  const every = settings.backups?.every;
  if (backups === undefined || every === undefined) return [];
  const newest = (await backups.list().catch(() => [])).at(-1)?.at ?? 0;
  const problem = "No scheduled backup was made for twice the set interval.";
  const cure = "The log has the cause under `backup.failed`; `porchlight backup run` tries it now.";
  // A relay that has just started makes its first backup soon.
  const late = clock.now() - newest > 2 * every && clock.uptime() > every;
  return problemIf(late, { kind: "backup", subject: "", problem, cure });
}

/** Everything that operators are alerted about. A check may read what the checks before it have stored. */
export const checksOf = (core: Core, gates: Gates, backups: Backups | undefined): AlertCheck[] => [
  accountCheck(core, gates),
  choreCheck(core, "waiting", () => waiting(core)),
  choreCheck(core, "failures", () => failures(core)),
  choreCheck(core, "disk", () => disk(core)),
  choreCheck(core, "budget", () => budget(core)),
  choreCheck(core, "webhook", () => webhooks(core)),
  choreCheck(core, "ledger", () => ledger(core)),
  choreCheck(core, "backup", () => backup(core, backups)),
];

/** Alerts to the operator. */
export function createOperatorAlerts(core: Core, gates: Gates, { mailer }: OwnerFlows, backups: Backups | undefined) {
  const { settings, db, clock, log, publicOrigin } = core;
  const hooks = createHooks();
  const alerts = createAlerts({
    db,
    clock,
    log,
    hooks,
    mailer,
    rules: settings.alerts,
    checks: checksOf(core, gates, backups),
    address: () => publicOrigin ?? `http://localhost:${core.port}`,
  });
  return {
    start: alerts.start,
    async stop(): Promise<void> {
      await alerts.stop();
      await hooks.close();
    },
  };
}
