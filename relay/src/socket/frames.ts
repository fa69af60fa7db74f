import { PAGE } from "@porchlight/shared/limits";
import type { ErrorFrame, Lead as LeadFrame, React, Send as SendFrame, Transcript } from "@porchlight/shared/protocol";
import { isBlank } from "@porchlight/shared/text";
import { toSingleLine } from "../base/contact-details.ts";
import type { Limiter } from "../base/limiter.ts";
import { hashed, type Log } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import type { AccessPolicy } from "../flows/access-policy.ts";
import type { Budgets } from "../flows/budgets.ts";
import type { Capture, Wrong } from "../flows/capture.ts";
import type { Forget } from "../flows/forget.ts";
import type { Mail, Place } from "../flows/mail/mail.ts";
import type { Rate } from "../flows/rate.ts";
import type { Send } from "../flows/send.ts";
import type { Sessions } from "../flows/session.ts";
import { emailOf } from "../records/details.ts";
import type { PageSeen } from "../records/profiles.ts";
import { page } from "../records/threads.ts";
import { markRead } from "../records/visitors.ts";
import type { ConnectionActions, FrameHandler, Live, LiveFrame } from "./connection.ts";

type Parts = {
  db: Database;
  bus: Bus;
  log: Log;
  send: Send;
  forget: Forget;
  logout: Sessions["logout"];
  capture: Capture["capture"];
  /** Mail to visitors, where the relay sends any. */
  mail: Pick<Mail, "subscribe" | "transcript"> | undefined;
  rate: Rate;
  /** The owner's judge of newcomers. */
  admits: AccessPolicy["admits"];
  /** What a visitor may send a minute: each message and reaction may cost the owner. */
  messages: Limiter;
  /** How often a visitor may ask for what costs only work: history, read marks, signs of life. */
  questions: Limiter;
  /** What all visitors of one address, and of a site, may do. */
  budgets: Pick<Budgets, "message" | "visitor" | "lead">;
};

const TRY_LATER_MS = 3_000;
/** Frames without an id, so no answer could say which one was refused: a client that sends too many is disconnected. */
const QUESTIONS: ReadonlySet<LiveFrame["t"]> = new Set(["older", "read", "ping", "typing"]);
const FULL_MS = 3_600_000;
/** Which field of a form a complaint is about. */
const FIELDS = { invalid_email: "email", invalid_phone: "phone" } as const;
const COMPLAINTS = { no_email: "invalid_email", nothing: "not_allowed", rate_limited: "rate_limited" } as const;

/** The page on which a visitor wrote, where the frame names one of the origin that the site lets in. */
function pageSeen({ origin }: Live, { page, title }: { page?: string; title?: string }): PageSeen | undefined {
  const url = page !== undefined && URL.canParse(page, origin) ? new URL(page, origin) : undefined;
  if (url?.origin !== origin) return undefined;
  return { url: url.href, title: toSingleLine(title ?? "") || null };
}

/**
 * The page that a mail leads back to. Its origin is the browser's word for where the chat stands, and the site lets it in;
 * of the rest only the path is kept, because what stands behind it may be nobody else's business.
 */
function placeOf({ origin }: Live, { page = "/", locale = "" }: { page?: string; locale?: string }): Place {
  const url = URL.canParse(page, origin) ? new URL(page, origin) : new URL(origin);
  return { page: url.origin === origin ? `${origin}${url.pathname}` : origin, locale };
}

/** What each frame of a visitor asks for: from frames to flows, and back to frames. Knows nothing of lines. */
export function createFrames({
  db,
  bus,
  log,
  send,
  forget,
  logout,
  capture,
  mail,
  rate,
  admits,
  messages,
  questions,
  budgets,
}: Parts): FrameHandler {
  const refuse = (actions: ConnectionActions, live: Live, error: Omit<ErrorFrame, "t">): void =>
    actions.send(live, { t: "error", ...error });

  /** Does what costs something and may fail, or says when to try again. */
  async function attempt(actions: ConnectionActions, live: Live, id: string, work: () => Promise<void>): Promise<void> {
    const wait = messages.take(live.visitor);
    if (wait > 0) return refuse(actions, live, { code: "rate_limited", id, retryAfter: wait });
    const crowd = budgets.message(live);
    // It is not this visitor who is too fast: the words for it are other ones, and the message goes by itself.
    if (crowd > 0) return refuse(actions, live, { code: "try_later", id, retryAfter: crowd });
    try {
      await work();
    } catch (error) {
      log("database.failing", { visitor: hashed(live.visitor), cause: String(error) });
      refuse(actions, live, { code: "try_later", id, retryAfter: TRY_LATER_MS });
    }
  }

  /** Whether somebody may write for the first time; else they are told when. */
  function mayBegin(actions: ConnectionActions, live: Live, id: string): boolean {
    const wait = live.fresh ? budgets.visitor(live) : 0;
    if (wait > 0) refuse(actions, live, { code: "try_later", id, retryAfter: wait });
    return wait === 0;
  }

  async function write(actions: ConnectionActions, live: Live, frame: SendFrame): Promise<void> {
    const { id, media, locale, campaign } = frame;
    const page = pageSeen(live, frame);
    const text = frame.text.toWellFormed().replaceAll("\0", "");
    const blank = isBlank(text);
    if (blank && media === undefined) return refuse(actions, live, { code: "empty", id });
    return attempt(actions, live, id, async () => {
      if (!mayBegin(actions, live, id)) return;
      const situation = { page: frame.page, locale, name: campaign };
      if (!(await admits(live.site, { visitor: live.visitor, address: live.address, text, page })))
        return refuse(actions, live, { code: "not_allowed", id });
      const written = await send.send(live.visitor, live.site, { id, text: blank ? "" : text, media, situation, page });
      if (written === "gone") return actions.closeGone(live);
      if (written === "full") return refuse(actions, live, { code: "rate_limited", id, retryAfter: FULL_MS });
      if (written === "unknown_media") return refuse(actions, live, { code: written, id });
      live.fresh = false;
      if (!written.fresh && live.connection.phase === live && written.message.n <= live.sent)
        actions.send(live, { t: "message", after: live.sent, message: written.message });
    });
  }

  async function react(actions: ConnectionActions, live: Live, { id, emoji }: React): Promise<void> {
    return attempt(actions, live, id, async () => {
      if (!(await send.react(live.visitor, live.site, id, emoji))) refuse(actions, live, { code: "not_allowed", id });
    });
  }

  /** A form. The service's verdict on it is waited for aside: what the visitor writes meanwhile must not wait behind it. */
  async function fillIn(actions: ConnectionActions, live: Live, frame: LeadFrame): Promise<void> {
    const { id } = frame;
    const page = pageSeen(live, frame);
    const wait = budgets.lead(live);
    if (wait > 0) return refuse(actions, live, { code: "rate_limited", id, retryAfter: wait });
    if (!mayBegin(actions, live, id)) return;
    if (!(await admits(live.site, { visitor: live.visitor, address: live.address, text: "", page })))
      return refuse(actions, live, { code: "not_allowed", id });
    const taken = await capture(live.visitor, live.site, frame, page);
    if (typeof taken !== "string") live.fresh = false;
    if (typeof taken !== "string" && frame.reply && (await emailOf(db, live.visitor)) !== undefined)
      await mail?.subscribe(live.visitor, live.site, placeOf(live, frame));
    const answer = (code?: Wrong): void => {
      if (live.connection.phase !== live) return;
      if (code === undefined) actions.send(live, { t: "lead", id });
      else refuse(actions, live, { code, id, ...(code in FIELDS && { field: FIELDS[code as keyof typeof FIELDS] }) });
    };
    if (typeof taken === "string") answer(taken);
    else
      void taken.verdict.then(answer, (error: unknown) => {
        log("database.failing", { visitor: hashed(live.visitor), cause: String(error) });
        answer();
      });
  }

  async function transcript(actions: ConnectionActions, live: Live, frame: Transcript): Promise<void> {
    return attempt(actions, live, frame.id, async () => {
      const { visitor, site } = live;
      const request = { visitor, site, id: frame.id, place: placeOf(live, frame) };
      const asked = (await mail?.transcript(request)) ?? "nothing";
      if (typeof asked === "object") return actions.send(live, { t: "mailed", id: frame.id, email: asked.address });
      refuse(actions, live, { code: COMPLAINTS[asked], id: frame.id });
    });
  }

  async function older(actions: ConnectionActions, live: Live, before: number): Promise<void> {
    const found = await page(db, live.visitor, before, PAGE + 1);
    actions.send(live, { t: "history", before, messages: found.slice(-PAGE), older: found.length > PAGE });
  }

  return async function handleFrame(actions, live, frame) {
    const { visitor, site } = live;
    if (QUESTIONS.has(frame.t) && questions.take(visitor) > 0) return actions.closeBusy(live);
    switch (frame.t) {
      case "send":
        return write(actions, live, frame);
      case "retry":
        return attempt(actions, live, frame.id, async () => {
          if ((await send.retry(visitor, site, frame.id)) === undefined)
            refuse(actions, live, { code: "unknown_message", id: frame.id });
        });
      case "read":
        if (await db.transaction((tx) => markRead(tx, visitor, frame.n), [visitor]))
          bus.publish({ visitor, head: 0, read: frame.n });
        return;
      case "react":
        return react(actions, live, frame);
      case "older":
        return older(actions, live, frame.before);
      case "forget":
        return forget(visitor);
      case "logout":
        return logout(visitor, live.session);
      case "ping":
        return actions.pong(live);
      case "lead":
        return attempt(actions, live, frame.id, () => fillIn(actions, live, frame));
      case "transcript":
        return transcript(actions, live, frame);
      case "rate":
        return attempt(actions, live, frame.id, async () => {
          if (await rate(visitor, site, frame)) actions.send(live, { t: "lead", id: frame.id });
          else refuse(actions, live, { code: "not_allowed", id: frame.id });
        });
      case "typing":
        return;
    }
  };
}
