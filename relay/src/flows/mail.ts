import { backoff } from "@porchlight/shared/backoff";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { hashed, type Log } from "../base/log.ts";
import { blind, isIdentified, seal, unseal } from "../base/sign.ts";
import type { Presence } from "../bus/presence.ts";
import type { Database, Transaction } from "../db/database.ts";
import { type Line, letterOf } from "../hooks/letters.ts";
import type { Mailer } from "../hooks/mailer.ts";
import { emailOf } from "../records/details.ts";
import * as mails from "../records/mails.ts";
import { dayOf, dropQuotas, takeOne } from "../records/quotas.ts";
import type { Sites } from "../records/sites.ts";
import { page } from "../records/threads.ts";
import { addVisitor, findVisitor } from "../records/visitors.ts";
import * as wishes from "../records/wishes.ts";

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  sites: Sites;
  presence: Presence;
  mailer: Mailer;
  /** Milliseconds that somebody has been away, and a reply unread, before it is mailed. */
  after: number;
  /** The relay's public address. */
  relay: string;
  /** Signs links in mails. */
  signing: string;
  random?: () => number;
};

/** The page that a visitor wrote from, and their language (BCP 47). */
export type Place = { page: string; locale: string };
/** What came of asking for a transcript. */
export type Asked = { id: string; address: string } | "no_email" | "nothing" | "rate_limited";

const HOUR_MS = 3_600_000;
/** One mail with replies an hour at most: what comes meanwhile is in the next one. */
const QUIET_MS = HOUR_MS;
const LOOK_MS = 1_000;
/** Who is here is looked at again after so long, or as soon as their replies may be mailed once they have left. */
const HERE_MS = 60_000;
const BATCH = 20;
/** Messages of one mail. */
const LINES_MAX = 200;
/**
 * Mails a day to one address, over all visitors and sites: whoever types somebody else's address can annoy them no more
 * than this. More for people whose identity is signed. And what one site's visitors can make the owner's server send.
 */
const PER_ADDRESS = 3;
const PER_KNOWN_ADDRESS = 20;
const PER_SITE = 1_000;
const RETRY_BASE_MS = 30_000;
const RETRY_CAP_MS = HOUR_MS;
/** Later than this a mail says nothing new. */
const TRIES_MAX = 24;
const KEEP_MS = 30 * 24 * HOUR_MS;

/**
 * Mails to visitors: the replies that came while they were away, and the transcript they asked for (C18, C23). Written
 * down first, then sent at most once: a mail that may have left is never sent again, because its words wait in the chat.
 */
export function createMail(parts: Parts) {
  const { db, clock, log, sites, presence, mailer, after, relay, signing, random = Math.random } = parts;
  const working = new Set<Promise<void>>();
  let stopped = false;
  let cancel = (): void => {};

  /** The site, when it mails. */
  function mailing(id: string): Site | undefined {
    const site = sites.find(id);
    return site?.mail === true ? site : undefined;
  }

  const stopLink = (site: string, address: string): string =>
    `${relay}/mail/stop/${seal(signing, "mail", JSON.stringify([site, blind(signing, address)]))}`;

  /** Takes what a mail uses up, or says that there is none left today. */
  async function take(tx: Transaction, visitor: string, site: string, address: string): Promise<boolean> {
    const day = dayOf(clock.now());
    const cap = isIdentified(visitor) ? PER_KNOWN_ADDRESS : PER_ADDRESS;
    if (!(await takeOne(tx, { name: `mail to ${blind(signing, address)}`, day, cap }))) return false;
    return takeOne(tx, { name: `mail of ${site}`, day, cap: PER_SITE });
  }

  // ── replies while away ────────────────────────────────────────────────────────────────────────────────────────

  /** The visitor wants replies by mail. Their address is the one they left, or the one that was signed. */
  async function wish(visitor: string, site: Site, place: Place): Promise<void> {
    if (mailing(site.public.id) === undefined) return;
    await db.transaction(async (tx) => {
      if (await wishes.hasWish(tx, { visitor, ...place })) return;
      await addVisitor(tx, visitor, site.public.id, clock.now());
      if ((await findVisitor(tx, visitor)) !== undefined) await wishes.addWish(tx, { visitor, ...place });
    });
  }

  /** When the replies may be mailed: after everybody is away and has been for a while, and not too often. */
  async function notBefore(tx: Transaction, visitor: string, oldest: number): Promise<number> {
    const away = presence.awaySince(visitor);
    if (away === undefined) return clock.now() + Math.max(LOOK_MS, Math.min(HERE_MS, after));
    return Math.max(away + after, oldest + after, (await mails.lastMailTo(tx, visitor)) + QUIET_MS);
  }

  /** Writes the mail that is due, or when to look again. */
  async function consider(wish: wishes.Wish): Promise<void> {
    const { visitor, site, email, head, locale, page: place } = wish;
    const since = Math.max(wish.told, wish.read);
    await db.transaction(async (tx) => {
      const unread = (await page(tx, visitor, head + 1, LINES_MAX)).filter(
        ({ from, pos }) => from === "reply" && pos > since,
      );
      const [first] = unread;
      const told = unread.at(-1)?.pos ?? wish.told;
      const nothing = first === undefined || mailing(site) === undefined || (await isStopped(tx, site, email));
      if (nothing) return void (await wishes.settleWish(tx, visitor, head, told));
      const due = await notBefore(tx, visitor, first.at);
      const now = clock.now();
      if (due > now) return wishes.putOff(tx, visitor, due);
      if (!(await take(tx, visitor, site, email))) {
        log("mail.capped", { visitor: hashed(visitor), site });
        return wishes.putOff(tx, visitor, now + HOUR_MS);
      }
      if (!(await wishes.settleWish(tx, visitor, head, told))) return;
      const about = { visitor, kind: "replies", address: email, since, upto: told, page: place, locale } as const;
      await mails.addMail(tx, { id: `mail_${randomId(20)}`, ...about, at: now });
    });
  }

  const isStopped = (tx: Transaction, site: string, address: string): Promise<boolean> =>
    mails.isStopped(tx, site, blind(signing, address));

  // ── transcripts ───────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Writes a mail with the whole conversation, once per id. To the address that is known of the visitor, within what one
   * address gets a day; or to the one that the owner names, who may send what they like.
   */
  async function transcript(visitor: string, site: Site, id: string, place: Place, to?: string): Promise<Asked> {
    if (mailing(site.public.id) === undefined) return "nothing";
    return db.transaction(async (tx) => {
      const row = await findVisitor(tx, visitor);
      if (row === undefined || row.head === 0) return "nothing";
      const address = to ?? (await emailOf(tx, visitor));
      if (address === undefined) return "no_email";
      if (to === undefined && (await isStopped(tx, site.public.id, address))) return "no_email";
      if (to === undefined && !(await take(tx, visitor, site.public.id, address))) return "rate_limited";
      const about = { visitor, kind: "transcript", address, since: 0, upto: row.head, ...place } as const;
      await mails.addMail(tx, {
        id: `mail_${blind(signing, `${visitor} ${id}`).slice(0, 24)}`,
        ...about,
        at: clock.now(),
      });
      return { id, address };
    });
  }

  // ── the post ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** The mail's lines, as the thread has them now. */
  async function linesOf({ visitor, kind, since, upto }: mails.Mail): Promise<Line[]> {
    const found = await page(db, visitor, upto + 1, LINES_MAX);
    const meant = found.filter(({ pos, from }) => pos > since && (kind === "transcript" || from === "reply"));
    return meant.map(({ from, at, text, media }) => ({ from, at, text, ...(media && { name: media.name }) }));
  }

  async function post(mail: mails.Mail): Promise<void> {
    const site = mailing(mail.site);
    const lines = await linesOf(mail);
    if (!(await db.transaction((tx) => mails.holdMail(tx, mail.id)))) return;
    const { id, address, attempts } = mail;
    const done = async (state: mails.Mail["state"], problem: string | null, wait = 0): Promise<void> =>
      void (await db.transaction((tx) =>
        mails.setMail(tx, { id, state, problem, attempts: attempts + 1, due: clock.now() + wait }),
      ));
    if (site === undefined || lines.length === 0) return done("failed", "there is nothing to send any more");
    const name = site.public.title || new URL(mail.page).host;
    const stop = stopLink(mail.site, address);
    const letter = letterOf({ site: name, lines, page: mail.page, stop, locale: mail.locale });
    const { kind, reason } = await mailer.post({ id, to: address, name, stop, ...letter });
    const about = { visitor: hashed(mail.visitor), mail: id };
    // Written down, then said: whoever hears of it finds it so.
    if (kind === "again" && attempts + 1 < TRIES_MAX) {
      await done("waiting", reason, backoff(attempts, RETRY_BASE_MS, RETRY_CAP_MS, random));
      return log("mail.waiting", { ...about, reason });
    }
    await done(kind === "sent" ? "sent" : kind === "unknown" ? "unknown" : "failed", reason || null);
    if (kind === "sent") log("mail.sent", about);
    else log("mail.failed", { ...about, reason, kind });
  }

  async function look(): Promise<void> {
    for (const wish of await wishes.dueWishes(db, clock.now(), BATCH)) await consider(wish);
    for (const mail of await mails.dueMails(db, clock.now(), BATCH)) if (!stopped) await post(mail);
  }

  function lookLater(ms: number): void {
    cancel = clock.after(ms, () => {
      const work = look()
        .catch((error: unknown) => log("database.failing", { cause: String(error) }))
        .finally(() => {
          working.delete(work);
          if (!stopped) lookLater(LOOK_MS);
        });
      working.add(work);
    });
  }

  return {
    relay,
    wish,
    transcript,
    /** Ends the mails that a link out of one of them is about. @returns false when the link is none of ours */
    async stopBy(link: string): Promise<boolean> {
      const found = unseal(signing, "mail", link);
      if (found === undefined) return false;
      const [site, address] = JSON.parse(found) as [string, string];
      await db.transaction((tx) => mails.stopMail(tx, site, address, clock.now()));
      return true;
    },
    isStopLink: (link: string): boolean => unseal(signing, "mail", link) !== undefined,
    async start(): Promise<void> {
      const now = clock.now();
      const stranded = await db.transaction(async (tx) => {
        await mails.dropMails(tx, now - KEEP_MS);
        await dropQuotas(tx, dayOf(now - KEEP_MS));
        return mails.strand(tx);
      });
      if (stranded > 0) log("mail.failed", { kind: "unknown", count: stranded });
      lookLater(0);
    },
    async stop(): Promise<void> {
      stopped = true;
      cancel();
      await Promise.all(working);
      mailer.close();
    },
  };
}

export type Mail = ReturnType<typeof createMail>;
