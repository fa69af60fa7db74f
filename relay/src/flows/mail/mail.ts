import type { Site } from "../../base/config.ts";
import { createPoll } from "../../base/poll.ts";
import { keyedHash, unseal } from "../../base/sign.ts";
import { storedEmail } from "../../records/details.ts";
import * as mails from "../../records/mails.ts";
import { dueSubscriptions } from "../../records/subscriptions.ts";
import { findVisitor } from "../../records/visitors.ts";
import { isUnsubscribed, type MailDeps, mailingSite, takeFromBudget, type VisitorContext } from "./deps.ts";
import { sendMail } from "./outgoing.ts";
import { answerQuestions, checkSubscription, subscribe } from "./replies.ts";

export type { VisitorContext } from "./deps.ts";

/** The answer to a request for a transcript. */
export type TranscriptResult = { id: string; address: string } | "no_email" | "nothing" | "rate_limited";

type TranscriptRequest = {
  visitor: string;
  site: Site;
  /** Repeated requests with the same id lead to one mail. */
  id: string;
  context: VisitorContext;
  /** Address that the owner names. Without it: the visitor's own, within its daily budget. */
  to?: string | undefined;
};

/** Interval of the search for due mails, in ms, and the most that one search finds. */
const POLL_MS = 1_000;
const BATCH = 20;

type Optional = "random" | "works" | "shared";

/**
 * Creates the flow of mails to visitors: the replies that came while they were away, and the transcript that they requested (C18,
 * C23). A mail is stored first, and then sent at most once.
 */
export function createMail(given: Omit<MailDeps, Optional> & Partial<Pick<MailDeps, Optional>>) {
  const deps: MailDeps = { random: Math.random, works: () => true, shared: false, ...given };
  const { clock, log, signing } = deps;
  /** Whether the mails that an earlier process was sending are settled. */
  let recovered = false;
  let stopping = false;
  /** The last run that sends. */
  let run = Promise.resolve();
  async function send(): Promise<void> {
    if (!recovered) await recover(deps);
    recovered = true;
    await sendDue(deps, () => stopping);
  }
  async function work(): Promise<void> {
    if (deps.works() && !stopping) {
      run = send();
      return run;
    }
    recovered = false;
    if (deps.shared) await answerQuestions(deps);
  }
  const poll = createPoll({
    clock,
    every: POLL_MS,
    run: work,
    onError: (error) => log("database.failing", { cause: String(error) }),
  });
  async function stopSending(): Promise<void> {
    stopping = true;
    // The poll reports an error of the run.
    await Promise.allSettled([run]);
  }
  return {
    relay: deps.relay,
    /** Stores that a visitor wants replies by mail. */
    subscribe: (visitor: string, site: Site, context: VisitorContext) => subscribe(deps, visitor, site, context),
    /** Stores a mail with the whole conversation. */
    transcript: (request: TranscriptRequest) => mailTranscript(deps, request),
    /** Unsubscribes an address by the link of a mail. Resolves to false when this relay did not sign the link. */
    unsubscribeBy: (link: string) => unsubscribeBy(deps, link),
    /** The site to whose mails an unsubscribe link belongs; undefined when this relay did not sign the link. */
    siteOfLink: (link: string): string | undefined => readLink(signing, link)?.[0],
    /** Settles the mails that an earlier process was sending, and starts to send. */
    async start(): Promise<void> {
      if (deps.works()) await recover(deps);
      recovered = deps.works();
      poll.start();
    },
    /**
     * Sends no more mails; resolves when the mail under way is settled. With several nodes, this one still answers whether
     * visitors are connected to it, until `stop`.
     */
    stopSending,
    async stop(): Promise<void> {
      await stopSending();
      await poll.stop();
      deps.mailer.close();
    },
  };
}

/** The flow of mails; see `createMail`. */
export type Mail = ReturnType<typeof createMail>;

/** Checks due subscriptions, then sends due mails. */
async function sendDue(deps: MailDeps, stopped: () => boolean): Promise<void> {
  const { db, clock } = deps;
  for (const subscription of await dueSubscriptions(db, clock.now(), BATCH))
    await checkSubscription(deps, subscription);
  for (const mail of await mails.dueMails(db, clock.now(), BATCH)) if (!stopped()) await sendMail(deps, mail);
}

/** Writes a mail with the whole conversation, once per request id. A repeated request costs no budget. */
async function mailTranscript(
  deps: MailDeps,
  { visitor, site, id, context, to }: TranscriptRequest,
): Promise<TranscriptResult> {
  const { db, clock, signing } = deps;
  const siteId = site.public.id;
  if (mailingSite(deps, siteId) === undefined) return "nothing";
  return db.transaction(
    async (tx) => {
      const row = await findVisitor(tx, visitor);
      if (row === undefined || row.head === 0) return "nothing";
      const mailId = `mail_${keyedHash(signing, `${visitor} ${id}`).slice(0, 24)}`;
      const known = await mails.addressOf(tx, mailId);
      if (known !== undefined) return { id, address: known };
      const own = to === undefined ? await storedEmail(tx, visitor) : undefined;
      const address = to ?? own?.email;
      if (address === undefined) return "no_email";
      if (own !== undefined && (await isUnsubscribed(deps, tx, siteId, address))) return "no_email";
      if (own !== undefined && !(await takeFromBudget(deps, tx, { ...own, site: siteId }))) return "rate_limited";
      const about = { visitor, kind: "transcript", address, since: 0, upto: row.head, ...context } as const;
      await mails.addMail(tx, { id: mailId, ...about, at: clock.now() });
      return { id, address };
    },
    [visitor],
  );
}

/** The site and the hash of the address in an unsubscribe link; undefined when this relay did not sign it. */
function readLink(signing: string, link: string): [site: string, address: string] | undefined {
  const found = unseal(signing, "mail", link);
  return found === undefined ? undefined : JSON.parse(found);
}

/** Unsubscribes the address in the link of a mail from the site's mails. @returns false when this relay did not sign the link */
async function unsubscribeBy({ db, clock, signing }: MailDeps, link: string): Promise<boolean> {
  const found = readLink(signing, link);
  if (found === undefined) return false;
  const [site, address] = found;
  await db.transaction((tx) => mails.unsubscribe(tx, site, address, clock.now()));
  return true;
}

/** Marks the mails that an earlier process was sending as unknown: they may have been sent. */
async function recover({ db, log }: MailDeps): Promise<void> {
  const stranded = await db.transaction(mails.settleInterrupted);
  if (stranded > 0) log("mail.failed", { kind: "unknown", count: stranded });
}
