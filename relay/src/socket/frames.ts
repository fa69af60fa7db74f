import { PAGE_MESSAGES } from "@porchlight/shared/limits";
import type { ErrorFrame, Lead as LeadFrame, React, Send as SendFrame, Transcript } from "@porchlight/shared/protocol";
import { isBlank } from "@porchlight/shared/text";
import type { Clock } from "../base/clock.ts";
import { toMultiLine, toSingleLine } from "../base/input-text.ts";
import type { Limiter } from "../base/limiter.ts";
import { hashed, type Log } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import type { AccessPolicy } from "../flows/access-policy.ts";
import type { Budgets } from "../flows/budgets.ts";
import type { Capture, FormError } from "../flows/capture.ts";
import type { Forget } from "../flows/forget.ts";
import type { Mail, VisitorContext } from "../flows/mail/mail.ts";
import type { RatingFlow } from "../flows/rating.ts";
import type { Send } from "../flows/send/send.ts";
import type { Sessions } from "../flows/session/session.ts";
import { storedEmail } from "../records/details.ts";
import type { PageSeen } from "../records/profiles.ts";
import { messagesBefore } from "../records/threads.ts";
import { markRead } from "../records/visitors.ts";
import type { ConnectionActions, FrameHandler, Live, LiveFrame } from "./connection.ts";

/** The flows and limits that frames are passed to. */
export type FrameDeps = {
  db: Database;
  bus: Bus;
  clock: Pick<Clock, "now">;
  log: Log;
  send: Send;
  forget: Forget;
  logout: Sessions["logout"];
  capture: Capture["capture"];
  /** Email to visitors; absent where the relay sends none. */
  mail: Pick<Mail, "subscribe" | "transcript"> | undefined;
  rate: RatingFlow;
  /** The owner's guard, which may refuse new visitors. */
  passesGuard: AccessPolicy["passesGuard"];
  /** Limits messages and reactions of one visitor per minute: each may cost the owner. */
  messages: Limiter;
  /** Limits per visitor for `FREE_FRAMES`, which cost only computing time. */
  freeFrames: Limiter;
  /** Limits for all visitors of one address, and for all visitors of a site. */
  budgets: Pick<Budgets, "message" | "visitor" | "lead">;
};

/** Who sent a frame, and how to answer. */
type Context = { deps: FrameDeps; actions: ConnectionActions; live: Live };

/** Frames that cost the owner nothing. They have no id that an answer could name, so a client that sends too many is disconnected. */
const FREE_FRAMES: ReadonlySet<LiveFrame["t"]> = new Set(["older", "read", "ping", "typing"]);
/** Clients are told to wait this long (ms) when the database fails. */
const TRY_LATER_MS = 1_500;
/** Clients are told to wait this long (ms) when the site's budget is used up. */
const FULL_MS = 3_600_000;
/** The form field that an error is about. */
const FIELDS = { invalid_email: "email", invalid_phone: "phone" } as const;
/** Error codes for transcripts that were not sent. */
const TRANSCRIPT_ERRORS = { no_email: "invalid_email", nothing: "not_allowed", rate_limited: "rate_limited" } as const;

/** Creates the handler of frames from visitors whose hello was accepted. It calls the flows, and answers with frames. */
export const createFrames =
  (deps: FrameDeps): FrameHandler =>
  (actions, live, frame) =>
    handle({ deps, actions, live }, frame);

async function handle(context: Context, frame: LiveFrame): Promise<void> {
  const { deps, actions, live } = context;
  if (FREE_FRAMES.has(frame.t) && deps.freeFrames.take(live.visitor) > 0) return actions.closeBusy(live);
  switch (frame.t) {
    case "send":
      return send(context, frame);
    case "retry":
      return retry(context, frame.id);
    case "read":
      return markAsRead(context, frame.n);
    case "react":
      return react(context, frame);
    case "older":
      return sendOlder(context, frame.before);
    case "forget":
      return deps.forget(live.visitor).then(() => {});
    case "logout":
      return deps.logout(live.visitor, live.session);
    case "ping":
      return actions.pong(live);
    case "lead":
      return attempt(context, frame.id, () => submitForm(context, frame));
    case "transcript":
      return sendTranscript(context, frame);
    case "rate":
      return attempt(context, frame.id, async () => {
        if (await deps.rate(live.visitor, live.site, frame)) actions.send(live, { t: "lead", id: frame.id });
        else refuse(context, { code: "not_allowed", id: frame.id });
      });
    case "typing":
      return;
  }
}

function refuse({ actions, live }: Context, error: Omit<ErrorFrame, "t">): void {
  actions.send(live, { t: "error", ...error });
}

/** Runs work that costs the owner something. If a limit or the database refuses it, tells the client when to try again. */
async function attempt(context: Context, id: string, work: () => Promise<void>): Promise<void> {
  const { deps, live } = context;
  const wait = deps.messages.take(live.visitor);
  if (wait > 0) return refuse(context, { code: "rate_limited", id, retryAfter: wait });
  const budgetWait = deps.budgets.message(live);
  // The address exceeds its limit, not this visitor: the client shows another text and sends the message again by itself.
  if (budgetWait > 0) return refuse(context, { code: "try_later", id, retryAfter: budgetWait });
  try {
    await work();
  } catch (error) {
    deps.log("database.failing", { visitor: hashed(live.visitor), cause: String(error) });
    refuse(context, { code: "try_later", id, retryAfter: TRY_LATER_MS });
  }
}

/** Whether the visitor may write. A new visitor may be told to wait. */
function mayBegin(context: Context, id: string): boolean {
  const { deps, live } = context;
  const wait = live.fresh ? deps.budgets.visitor(live) : 0;
  if (wait > 0) refuse(context, { code: "try_later", id, retryAfter: wait });
  return wait === 0;
}

/**
 * Stores a message. The client learns of it from the bus, like all tabs of the visitor; there is no other acknowledgement. A
 * client that sends a stored message again gets it back.
 */
async function send(context: Context, frame: SendFrame): Promise<void> {
  const text = toMultiLine(frame.text);
  const blank = isBlank(text);
  if (blank && frame.media === undefined) return refuse(context, { code: "empty", id: frame.id });
  return attempt(context, frame.id, () => store(context, frame, blank ? "" : text));
}

async function store(context: Context, frame: SendFrame, text: string): Promise<void> {
  const { deps, actions, live } = context;
  const { id, media, age, locale, campaign, chosen } = frame;
  const page = pageSeen(live, frame);
  if (!mayBegin(context, id)) return;
  if (!(await deps.passesGuard(live.site, { visitor: live.visitor, address: live.address, text, page })))
    return refuse(context, { code: "not_allowed", id });
  const situation = { page: frame.page, locale, name: campaign, chosen };
  const written = await deps.send.send(live.visitor, live.site, { id, text, media, age, situation, page });
  if (written === "gone") return actions.closeGone(live);
  if (written === "full") return refuse(context, { code: "rate_limited", id, retryAfter: FULL_MS });
  if (written === "unknown_media") return refuse(context, { code: written, id });
  live.fresh = false;
  if (!written.fresh && live.connection.phase === live && written.message.n <= live.sent)
    actions.send(live, { t: "message", after: live.sent, message: written.message });
}

function retry(context: Context, id: string): Promise<void> {
  const { deps, live } = context;
  return attempt(context, id, async () => {
    const again = await deps.send.retry(live.visitor, live.site, id);
    if (again === "full") refuse(context, { code: "rate_limited", id, retryAfter: FULL_MS });
    else if (again === undefined) refuse(context, { code: "unknown_message", id });
  });
}

async function markAsRead({ deps, live }: Context, n: number): Promise<void> {
  const { visitor } = live;
  const moved = await deps.db.transaction((tx) => markRead(tx, visitor, n, deps.clock.now()), [visitor]);
  if (moved) deps.bus.publish({ visitor, head: 0, read: n });
}

function react(context: Context, { id, emoji }: React): Promise<void> {
  const { deps, live } = context;
  return attempt(context, id, async () => {
    const refused = await deps.send.react(live.visitor, live.site, id, emoji);
    if (refused === "full") refuse(context, { code: "try_later", id, retryAfter: FULL_MS });
    else if (refused !== undefined) refuse(context, { code: refused, id });
  });
}

async function sendOlder({ deps, actions, live }: Context, before: number): Promise<void> {
  const found = await messagesBefore(deps.db, live.visitor, before, PAGE_MESSAGES + 1);
  actions.send(live, {
    t: "history",
    before,
    messages: found.slice(-PAGE_MESSAGES),
    older: found.length > PAGE_MESSAGES,
  });
}

/** Stores a form, and answers after the service has answered. The visitor's next frames need not wait for that. */
async function submitForm(context: Context, frame: LeadFrame): Promise<void> {
  const { deps, live } = context;
  const { id } = frame;
  const page = pageSeen(live, frame);
  const wait = deps.budgets.lead(live);
  if (wait > 0) return refuse(context, { code: "rate_limited", id, retryAfter: wait });
  if (!mayBegin(context, id)) return;
  if (!(await deps.passesGuard(live.site, { visitor: live.visitor, address: live.address, text: "", page })))
    return refuse(context, { code: "not_allowed", id });
  const taken = await deps.capture(live.visitor, live.site, frame, page);
  if (typeof taken === "string") return answerForm(context, id, taken);
  live.fresh = false;
  if (frame.reply && (await storedEmail(deps.db, live.visitor)) !== undefined)
    await deps.mail?.subscribe(live.visitor, live.site, visitorContext(live, frame));
  live.forms ??= new Map();
  live.forms.set(id, "awaited");
  void taken.verdict.then(
    (code) => concludeForm(context, id, code),
    (error: unknown) => {
      deps.log("database.failing", { visitor: hashed(live.visitor), cause: String(error) });
      concludeForm(context, id);
    },
  );
}

/** Answers a stored form, and remembers a refusal. A later refusal of an accepted form reaches the client as news. */
function concludeForm(context: Context, id: string, code?: FormError): void {
  const { forms } = context.live;
  if (code === undefined) forms?.delete(id);
  else forms?.set(id, "refused");
  answerForm(context, id, code);
}

/** Answers a form. @param code the error of the form; absent: none */
function answerForm(context: Context, id: string, code?: FormError): void {
  const { actions, live } = context;
  if (live.connection.phase !== live) return;
  if (code === undefined) return actions.send(live, { t: "lead", id });
  refuse(context, { code, id, ...(code in FIELDS && { field: FIELDS[code as keyof typeof FIELDS] }) });
}

function sendTranscript(context: Context, frame: Transcript): Promise<void> {
  const { deps, actions, live } = context;
  return attempt(context, frame.id, async () => {
    const { visitor, site } = live;
    const request = { visitor, site, id: frame.id, context: visitorContext(live, frame) };
    const asked = (await deps.mail?.transcript(request)) ?? "nothing";
    if (typeof asked === "object") return actions.send(live, { t: "mailed", id: frame.id, email: asked.address });
    refuse(context, { code: TRANSCRIPT_ERRORS[asked], id: frame.id });
  });
}

/** The page on which a visitor wrote; undefined unless the frame names a page of the connection's origin. */
function pageSeen(
  { origin }: Live,
  { page, title }: { page?: string | undefined; title?: string | undefined },
): PageSeen | undefined {
  const url = urlOn(origin, page);
  return url && { url: url.href, title: toSingleLine(title ?? "") || null };
}

/**
 * The address that a page of this origin names; undefined for an address of another origin or scheme. A `blob:` address has the
 * origin of the address inside it (url.spec.whatwg.org, "origin"), and its path begins with that.
 */
function urlOn(origin: string, page: string | undefined): URL | undefined {
  const url = page !== undefined && URL.canParse(page, origin) ? new URL(page, origin) : undefined;
  return url?.origin === origin && url.protocol !== "blob:" ? url : undefined;
}

/**
 * The page to which an email links, and the visitor's language. The browser guarantees the origin, and the site allows it.
 * Only the path of the frame's address is kept, because a query may contain secrets.
 */
function visitorContext(
  { origin }: Live,
  { page = "/", locale = "" }: { page?: string | undefined; locale?: string | undefined },
): VisitorContext {
  const url = urlOn(origin, page);
  return { page: url === undefined ? origin : `${origin}${url.pathname}`, locale: toSingleLine(locale) };
}
