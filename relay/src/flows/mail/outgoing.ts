import { backoff } from "@porchlight/shared/backoff";
import { hashed } from "../../base/log.ts";
import { seal } from "../../base/sign.ts";
import { composeMail, type MailLine } from "../../hooks/compose-mail.ts";
import type { MailOutcome } from "../../hooks/mailer.ts";
import * as mails from "../../records/mails.ts";
import { messagesBefore } from "../../records/threads.ts";
import { hashOfMailbox, LINES_MAX, type MailDeps, mailingSite } from "./deps.ts";

/** Sends the stored mails. */

/** Waits between attempts: full jitter up to `min(cap, base * 2^attempt)`. */
const RETRY_BASE_MS = 30_000;
const RETRY_CAP_MS = 3_600_000;
/** After this many attempts a mail is too old to be useful. */
const TRIES_MAX = 24;

/**
 * Makes one attempt to send a mail, and stores the result before logging it. Repeats only an attempt that certainly sent
 * nothing: a duplicate mail is worse than a missing one, because the text is in the chat anyway.
 */
export async function sendMail(deps: MailDeps, mail: mails.Mail): Promise<void> {
  const { db, log, mailer, signing, relay } = deps;
  const site = mailingSite(deps, mail.site);
  const lines = await linesOf(deps, mail);
  if (!(await db.transaction((tx) => mails.claimMail(tx, mail.id), [mail.id]))) return;
  if (site === undefined || lines.length === 0)
    return record(deps, mail, { state: "failed", problem: "nothing is left to send" });
  const { id, address, locale } = mail;
  const name = site.public.title || new URL(mail.page).host;
  const stop = `${relay}/mail/stop/${seal(signing, "mail", JSON.stringify([mail.site, hashOfMailbox(deps, address)]))}`;
  const composed = composeMail({ site: name, lines, page: mail.page, stop, locale });
  const posted = await mailer.post({ id, to: address, name, stop, ...composed });
  await conclude(deps, mail, posted);
  const about = { visitor: hashed(mail.visitor), mail: id };
  if (posted.kind === "sent") log("mail.sent", about);
  else if (repeats(mail, posted)) log("mail.waiting", { ...about, reason: posted.reason });
  else log("mail.failed", { ...about, reason: posted.reason, kind: posted.kind });
}

/**
 * The lines of the mail, as the thread holds them now. The queue stores no text, so an erased visitor's text cannot be mailed.
 */
async function linesOf({ db }: MailDeps, { visitor, kind, since, upto }: mails.Mail): Promise<MailLine[]> {
  const found = await messagesBefore(db, visitor, upto + 1, LINES_MAX);
  const meant = found.filter(({ pos, from }) => pos > since && (kind === "transcript" || from === "reply"));
  return meant.map(({ from, at, text, media }) => ({ from, at, text, ...(media && { name: media.name }) }));
}

const repeats = ({ attempts }: mails.Mail, { kind }: MailOutcome): boolean =>
  kind === "again" && attempts + 1 < TRIES_MAX;

function conclude(deps: MailDeps, mail: mails.Mail, posted: MailOutcome): Promise<void> {
  const problem = posted.reason || null;
  if (repeats(mail, posted)) {
    const wait = backoff(mail.attempts, RETRY_BASE_MS, RETRY_CAP_MS, deps.random);
    return record(deps, mail, { state: "waiting", problem, wait });
  }
  const state = posted.kind === "sent" || posted.kind === "unknown" ? posted.kind : "failed";
  return record(deps, mail, { state, problem });
}

/**
 * Stores the result of an attempt.
 * @param wait milliseconds until the next attempt
 */
async function record(
  { db, clock }: MailDeps,
  { id, attempts }: mails.Mail,
  { state, problem, wait = 0 }: { state: mails.Mail["state"]; problem: string | null; wait?: number },
): Promise<void> {
  const result = { id, state, problem, attempts: attempts + 1, due: clock.now() + wait };
  await db.transaction((tx) => mails.setMail(tx, result), [id]);
}
