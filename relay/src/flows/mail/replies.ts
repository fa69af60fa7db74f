import { randomId } from "@porchlight/shared/id";
import type { Site } from "../../base/config.ts";
import { hashed } from "../../base/log.ts";
import type { Transaction } from "../../db/database.ts";
import * as mails from "../../records/mails.ts";
import * as subscriptions from "../../records/subscriptions.ts";
import { messagesBefore } from "../../records/threads.ts";
import { addVisitor, findVisitor } from "../../records/visitors.ts";
import { isUnsubscribed, LINES_MAX, type MailDeps, mailingSite, takeFromBudget, type VisitorContext } from "./deps.ts";

/** Mails the replies that came while a visitor was away (C18). */

const HOUR_MS = 3_600_000;
/** Shortest time between two mails with replies to one visitor, in ms. Replies that come meanwhile go into the next mail. */
const QUIET_MS = HOUR_MS;
/** Shortest pause before an online visitor is checked again, in ms. */
const SOONEST_MS = 1_000;
/** Longest pause before an online visitor is checked again, in ms. */
const ONLINE_MS = 60_000;

/**
 * Before a mail, the other nodes have this long (ms) to say that the visitor is connected to them. Each node checks once a
 * second.
 */
const ANSWER_MS = 4_000;
/** An answer is valid for this long after its question, in ms. It is used at once, unless many mails wait. */
const FRESH_MS = 10 * 60_000;
/** Questions up to this age (ms) are answered. It is longer than the difference between the clocks of nodes. */
const LOOK_BACK_MS = 15_000;

/** Stores that the visitor wants replies by mail, at the address that the visitor typed or that the signed identity has. */
export async function subscribe(deps: MailDeps, visitor: string, site: Site, context: VisitorContext): Promise<void> {
  const { db, clock } = deps;
  if (mailingSite(deps, site.public.id) === undefined) return;
  await db.transaction(
    async (tx) => {
      if (await subscriptions.hasSubscription(tx, { visitor, ...context })) return;
      await addVisitor(tx, visitor, site.public.id, clock.now());
      if ((await findVisitor(tx, visitor)) !== undefined)
        await subscriptions.addSubscription(tx, { visitor, ...context });
    },
    [visitor],
  );
}

/** Writes the mail of a subscription if it is due; otherwise stores the time of the next check. */
export async function checkSubscription(deps: MailDeps, subscription: subscriptions.Subscription): Promise<void> {
  const { db, clock, log } = deps;
  const { visitor, site, email, head, locale, page: pageUrl } = subscription;
  const since = Math.max(subscription.mailedUpTo, subscription.read);
  await db.transaction(
    async (tx) => {
      const unread = (await messagesBefore(tx, visitor, head + 1, LINES_MAX)).filter(
        ({ from, pos }) => from === "reply" && pos > since,
      );
      const [first] = unread;
      const mailedUpTo = unread.at(-1)?.pos ?? subscription.mailedUpTo;
      const unwanted = mailingSite(deps, site) === undefined || (await isUnsubscribed(deps, tx, site, email));
      if (first === undefined || unwanted) return void (await subscriptions.recordCheck(tx, visitor, head, mailedUpTo));
      const due = await notBefore(deps, tx, subscription, first.at);
      const now = clock.now();
      if (due > now) return subscriptions.postponeCheck(tx, visitor, due);
      if (deps.shared && !isAnswered(subscription, now))
        return subscriptions.askNodes(tx, visitor, now, now + ANSWER_MS);
      if (!(await takeFromBudget(deps, tx, subscription))) {
        log("mail.capped", { visitor: hashed(visitor), site });
        return subscriptions.postponeCheck(tx, visitor, now + HOUR_MS);
      }
      if (!(await subscriptions.recordCheck(tx, visitor, head, mailedUpTo))) return;
      const about = {
        visitor,
        kind: "replies",
        address: email,
        since,
        upto: mailedUpTo,
        page: pageUrl,
        locale,
      } as const;
      await mails.addMail(tx, { id: `mail_${randomId(20)}`, ...about, at: now });
    },
    [visitor],
  );
}

/** Earliest time for a mail: the visitor has been away long enough, and the last mail is old enough. */
async function notBefore(
  { clock, presence, after }: MailDeps,
  tx: Transaction,
  subscription: subscriptions.Subscription,
  oldest: number,
): Promise<number> {
  const { visitor, asked, seen } = subscription;
  const now = clock.now();
  const away = presence.awaySince(visitor);
  const elsewhere = isAnswered(subscription, now) && seen >= asked;
  if (away === undefined || elsewhere) return now + Math.max(SOONEST_MS, Math.min(ONLINE_MS, after));
  return Math.max(away + after, seen + after, oldest + after, (await mails.lastMailTo(tx, visitor)) + QUIET_MS);
}

/** Whether the nodes were asked about the visitor, had the time to answer, and the answer is still valid. */
const isAnswered = ({ asked }: subscriptions.Subscription, now: number): boolean =>
  now >= asked + ANSWER_MS && now < asked + FRESH_MS;

/** Answers the newest questions of the node that sends the mails: whether visitors are connected to this node. */
export async function answerQuestions({ db, clock, presence }: MailDeps): Promise<void> {
  const questions = await subscriptions.questionsSince(db, clock.now() - LOOK_BACK_MS);
  if (questions.length === 0) return;
  const seenAt = ({ visitor, asked }: subscriptions.PresenceQuestion): number =>
    Math.min(presence.awaySince(visitor) ?? asked, asked);
  const answers = questions.map((question) => ({ visitor: question.visitor, seen: seenAt(question) }));
  const visitors = answers.map(({ visitor }) => visitor);
  await db.transaction((tx) => subscriptions.answerQuestions(tx, answers), visitors);
}
