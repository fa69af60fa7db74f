import { randomId } from "@porchlight/shared/id";
import type { Bus } from "../bus/bus.ts";
import type { Presence } from "../bus/presence.ts";
import type { Transaction } from "../db/database.ts";
import { accountLease, MAIL_LEASE } from "../db/lease-names.ts";
import { createAccessPolicy } from "../flows/access-policy.ts";
import { createCapture } from "../flows/capture.ts";
import { createContacts } from "../flows/contacts.ts";
import { creditAccounts } from "../flows/credits/accounts.ts";
import { createBilling } from "../flows/credits/billing.ts";
import { createCredits } from "../flows/credits/credits.ts";
import { createLeads } from "../flows/leads.ts";
import { createGrantCall, createSendCall } from "../flows/ledger-calls.ts";
import { createLedgerWorker } from "../flows/ledger-worker.ts";
import { createMail } from "../flows/mail/mail.ts";
import { createOutreach, sendVerdict } from "../flows/outreach.ts";
import { createPacedCalls } from "../flows/paced-calls.ts";
import type { Services } from "../flows/services.ts";
import { createWebhooks, type StoreAccountEvent } from "../flows/webhooks.ts";
import { createMailer } from "../hooks/mailer.ts";
import { createHooks, type Hooks } from "../hooks/post.ts";
import type { Gates } from "../service/gates.ts";
import type { Cluster } from "./cluster.ts";
import type { Core } from "./core.ts";

/** The command line has no online visitors, and leaves mails to the running relay. */
const NOBODY_ONLINE: Presence = { awaySince: () => 0 };

type OwnerDeps = Pick<Core, "settings" | "db" | "clock" | "log" | "sites" | "signing"> & {
  bus: Bus;
  services: Services;
  /** Every call to the service waits here for its permit, with the courier's calls. */
  gates: Pick<Gates, "enter" | "heldFor">;
  presence?: Presence;
  /** Which node does what; absent on the command line, which makes no calls. */
  cluster?: Pick<Cluster, "leases" | "shared">;
};

/** The flows of the site owner: access policy, events, contacts, leads, credits, messages to visitors, mail. */
export function createOwnerFlows(deps: OwnerDeps) {
  const { settings, db, clock, log, sites, signing, services, gates } = deps;
  const hooks = createHooks();
  const access = createAccessPolicy({ db, clock, log, hooks, signing });
  const webhooks = createWebhooks({ db, clock, log, sites: settings.sites, hooks });
  const paced = createPacedCalls({ clock, gates, clientOf: services.clientOf });
  const contacts = createContacts({ db, clock, log, paced: paced.call });
  const leads = createLeads({ db, bus: deps.bus, clock, log, sites, contacts, works: worksFor(deps) });
  const ledger = createLedgerFlows(deps, hooks, webhooks.storeAccountEvent);
  const { mailer, mail } = createMailFlows(deps);
  /** Ends the calls to the service that need an account's lease. Requests of the site owner are still answered. */
  async function stopCalls(): Promise<void> {
    await Promise.all([leads.stop(), ledger.grants.stop(), ledger.sends.stop()]);
  }
  /** Ends the work that waits for servers of the owner: mails, and questions to billing webhooks. */
  async function stopErrands(): Promise<void> {
    await mail?.stopSending();
    await ledger.credits.stop();
  }
  return {
    access,
    contacts,
    leads,
    mail,
    mailer,
    ...createCapture({ db, clock, log, signing, leads, storeEvent: webhooks.storeEvent }),
    /** Stores an event of a site for the owner's backend. */
    storeEvent: webhooks.storeEvent,
    credits: ledger.credits,
    outreach: ledger.outreach,
    creditAccounts: ledger.accounts.candidates,
    /** Why the service refuses an account's calls; undefined while it accepts them. */
    heldFor: gates.heldFor,
    /** After an account's key works again: refused calls are made now instead of at their next attempt. */
    async resume(account: string, why: "newKey" | "accepted"): Promise<void> {
      await ledger.sends.retryRefusedKey(account);
      await leads.retryRefusedKey(account);
      // An accepted message proves nothing for grants: the service refuses grants of a non-agency account with 401 too.
      if (why === "newKey") await ledger.grants.retryRefusedKey(account);
    },
    /** Starts the work of these flows. `access` starts by itself, earlier. */
    async start(): Promise<void> {
      await ledger.start();
      await leads.start();
      await webhooks.start();
      await mail?.start();
    },
    stopCalls,
    stopErrands,
    async stop(): Promise<void> {
      paced.stop();
      await stopCalls();
      await stopErrands();
      await access.stop();
      await mail?.stop();
      await webhooks.stop();
      await hooks.close();
    },
  };
}

/** Credits and messages to visitors. Both are ledger entries, each with a worker that makes its calls at most once. */
function createLedgerFlows(deps: OwnerDeps, hooks: Hooks, storeAccountEvent: StoreAccountEvent) {
  const { settings, db, bus, clock, log, sites, signing, services, gates } = deps;
  const accounts = creditAccounts(settings.accounts);
  const named = { node: randomId(12), accounts: settings.accounts.map(({ id }) => id) };
  const works = worksFor(deps);
  const worker = { db, clock, log, gates, ...named, works, assertWorks: assertWorksFor(deps) };
  const grants = createLedgerWorker({
    ...worker,
    kind: "grant",
    ordered: false,
    call: createGrantCall(services),
    settled: (tx, entry, verdict) => credits.settled(tx, entry, verdict),
  });
  const ask = createBilling({ clock, hooks, rulesOf: accounts.rulesOf });
  const credits = createCredits({
    db,
    clock,
    log,
    rules: accounts.rulesOf,
    wake: grants.wake,
    ask,
    works,
    storeAccountEvent,
  });
  const sends = createLedgerWorker({
    ...worker,
    kind: "send",
    ordered: true,
    call: createSendCall({ services, sites, verdict: sendVerdict }),
    settled: (tx, entry, verdict) => outreach.settled(tx, entry, verdict),
  });
  const outreach = createOutreach({ db, bus, clock, log, signing, wake: sends.wake });
  return {
    accounts,
    grants,
    sends,
    credits,
    outreach,
    async start(): Promise<void> {
      await grants.start();
      await sends.start();
      credits.start();
    },
  };
}

/** Whether this node makes the calls of an account. */
const worksFor =
  ({ cluster }: OwnerDeps) =>
  (account: string): boolean =>
    cluster === undefined || cluster.leases.holds(accountLease(account));

/** The same check inside a transaction. @throws LeaseLost */
const assertWorksFor =
  ({ cluster }: OwnerDeps) =>
  async (tx: Transaction, account: string): Promise<void> =>
    cluster?.leases.assertHeld(tx, [accountLease(account)]);

/** Mail to visitors; undefined if the settings name no mail server. */
function createMailFlows(deps: OwnerDeps) {
  const { settings, db, clock, log, sites, signing, cluster, presence = NOBODY_ONLINE } = deps;
  if (settings.mail === undefined) return { mailer: undefined, mail: undefined };
  const mailer = createMailer(settings.mail);
  const works = (): boolean => cluster === undefined || cluster.leases.holds(MAIL_LEASE);
  const shared = cluster?.shared ?? false;
  const rules = { after: settings.mail.after, relay: settings.publicUrl ?? "", shared };
  return { mailer, mail: createMail({ db, clock, log, sites, signing, presence, mailer, works, ...rules }) };
}

export type OwnerFlows = ReturnType<typeof createOwnerFlows>;
