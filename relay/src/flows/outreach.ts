import { createHash } from "node:crypto";
import { TEXT_MAX } from "@porchlight/shared/limits";
import { isBlank } from "@porchlight/shared/text";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { presentDetails, readContactDetails } from "../base/contact-details.ts";
import { toMultiLine, toSingleLine } from "../base/input-text.ts";
import { hashed, type Log } from "../base/log.ts";
import { identifiedVisitorId, isVisitorId } from "../base/sign.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import {
  addEntry,
  type LedgerEntry,
  type LedgerVerdict,
  ledgerKey,
  linkReply,
  type TransitionProblem,
  transition,
  transitionProblem,
} from "../records/ledger/ledger.ts";
import { isErased, type SendContent, sentContent, settleAsSent } from "../records/ledger/own-messages.ts";
import { setSubject } from "../records/profiles.ts";
import { appendReply } from "../records/threads.ts";
import { addVisitor, findVisitor, NO_SITE, ownerOf, setContact } from "../records/visitors.ts";
import type { SendAnswer } from "../service/api.ts";

type OutreachDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** The key that signs visitor ids. */
  signing: string;
  /** Called when a message may have become an intent. */
  wake: () => void;
};

/** A message to a visitor, or to a person by the owner's own id (`user`). */
export type SendOrder = {
  site: Site;
  /** The same key means the same message. */
  key: string;
  to: { visitor: string } | { user: string };
  text: string;
  campaign?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  actor: string;
};

/** Why a message is not stored. `conflict`: its key is known with another recipient, text or campaign. */
export type OutreachRefusal = "empty" | "too_long" | "invalid_email" | "unknown_visitor" | "conflict";

/** Statuses after which the service certainly sent nothing. */
const NOT_SENT = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429]);

/** Reads the answer to a send. A send with an uncertain outcome must not be repeated (R-452). */
export function sendVerdict(answer: SendAnswer): LedgerVerdict {
  const { kind, status, message, waitMs, messageId, contactId } = answer;
  if (kind === "ok") return { kind: "done", result: { messageId, contactId } };
  const reason = `${status === 0 ? "not sent" : status}: ${message}`;
  if (status === 0 && kind === "unknown") return { kind: "unknown", reason: `no answer: ${message}` };
  if (status !== 0 && !NOT_SENT.has(status) && !(status < 300 && kind === "permanent"))
    return { kind: "unknown", reason };
  if (kind === "permanent") return { kind: "refused", reason };
  return { kind: "again", reason, ...(waitMs === undefined ? {} : { waitMs }) };
}

/** The key of a message in the ledger: two sites of one account may use the same key. */
export const sendKey = (site: Site, key: string): string => `${site.public.id}/${key}`;

type Submitted = { entry: LedgerEntry; fresh: boolean } | OutreachRefusal;
/** Runs after the commit. */
type AfterCommit = (() => void) | undefined;
/** A person's decision about a message with an unknown outcome. */
type Decision = {
  site: Site;
  key: string;
  sent: boolean;
  actor: string;
  reason: string;
};

/**
 * Messages from the owner (C14, C15): stored in the ledger before they are sent, sent at most once without a person's decision,
 * and shown to the visitor once, also if the service sends a callback for them.
 */
export type Outreach = {
  /** Stores a message to be sent. The same key returns the stored entry. */
  submit: (order: SendOrder) => Promise<Submitted>;
  /** Stores the consequences of a send's outcome, in the transaction that settles the entry. */
  settled: (tx: Transaction, entry: LedgerEntry, verdict: LedgerVerdict) => Promise<AfterCommit>;
  /** Stores a person's decision: the unknown message was sent, and is shown; or it was not, and is sent again. */
  resolve: (decision: Decision) => Promise<LedgerEntry | TransitionProblem>;
};

/** Creates the flow of messages from the owner. */
export const createOutreach = (deps: OutreachDeps): Outreach => ({
  submit: (order) => submit(deps, order),
  settled: (tx, entry, verdict) => settled(deps, tx, entry, verdict),
  resolve: (decision) => resolve(deps, decision),
});

const visitorOf = ({ signing }: OutreachDeps, site: Site, to: SendOrder["to"]): string =>
  "user" in to ? identifiedVisitorId(signing, site.public.id, to.user) : to.visitor;

/**
 * The thread that an id currently refers to, if a message may go there: it belongs to this relay and this site, and is not
 * deleted. A person with the owner's own id may never have visited, so no row names their site; their visitor id contains it.
 */
async function reachable(
  { signing }: OutreachDeps,
  tx: Transaction,
  visitor: string,
  { site, to }: Pick<SendOrder, "site" | "to">,
): Promise<string | undefined> {
  if (!isVisitorId(signing, visitor)) return undefined;
  const owner = await ownerOf(tx, visitor);
  if (owner === undefined) return undefined;
  const row = await findVisitor(tx, owner);
  const placed = row !== undefined && row.site !== NO_SITE;
  return (placed ? row.site === site.public.id : "user" in to) ? owner : undefined;
}

/** Stores a message to be sent. The same key returns the stored entry. */
async function submit(deps: OutreachDeps, order: SendOrder): Promise<Submitted> {
  const { site, actor } = order;
  const [text, campaign] = [toMultiLine(order.text), toSingleLine(order.campaign ?? "") || site.campaign];
  const { firstName, lastName, email } = order;
  const person = readContactDetails({ firstName, lastName, email }, undefined);
  if (isBlank(text)) return "empty";
  if (text.length > TEXT_MAX) return "too_long";
  if (typeof person === "string") return "invalid_email";
  const asked = visitorOf(deps, site, order.to);
  const content: SendContent = { site: site.public.id, text, campaign, ...presentDetails(person) };
  const digest = createHash("sha256")
    .update(JSON.stringify([asked, text, campaign ?? null]))
    .digest("base64url");
  const now = deps.clock.now();
  const written = await deps.db.transaction(
    async (tx) => {
      const visitor = await reachable(deps, tx, asked, order);
      if (visitor === undefined) return "unknown_visitor";
      await tx.lock([visitor]);
      // Written before the call, because a callback may come before the answer. Also, a person who only received messages must
      // be exportable and erasable.
      await addVisitor(tx, visitor, site.public.id, now);
      if ("user" in order.to) await setSubject(tx, visitor, order.to.user);
      return addEntry(tx, {
        kind: "send",
        account: site.account,
        key: sendKey(site, order.key),
        lane: visitor,
        digest,
        content: JSON.stringify(content),
        state: "intent",
        reason: null,
        actor,
        now,
      });
    },
    [asked, ledgerKey(site.account)],
  );
  if (typeof written !== "string" && written.entry.digest !== digest) return "conflict";
  deps.wake();
  return written;
}

/** Puts a sent message into its thread, unless a callback has done so. */
async function show(
  { clock, bus }: OutreachDeps,
  tx: Transaction,
  entry: LedgerEntry,
  messageId: string | undefined,
): Promise<AfterCommit> {
  const content = sentContent(entry);
  const now = clock.now();
  const visitor = await ownerOf(tx, entry.lane);
  if (visitor === undefined || isErased(content) || entry.shown !== null) return undefined;
  await tx.lock([visitor]);
  const { text } = content;
  const external = `${entry.account}:${messageId ?? `~sent:${entry.key}`}`;
  await linkReply(tx, entry, "shown", external);
  const id = `s_${createHash("sha256").update(external).digest("base64url").slice(0, 20)}`;
  const head = await appendReply(tx, { visitor, id, text, at: now, external });
  return typeof head === "number" ? () => bus.publish({ visitor, head }) : undefined;
}

/** Stores the consequences of a send's outcome. A callback may have shown the message during the call. */
async function settled(
  deps: OutreachDeps,
  tx: Transaction,
  entry: LedgerEntry,
  verdict: LedgerVerdict,
): Promise<AfterCommit> {
  const { clock, log } = deps;
  const about = { visitor: hashed(entry.lane), key: entry.key };
  if (verdict.kind !== "done") {
    const { shown } = entry;
    const sent = shown !== null && verdict.kind !== "refused" && (await settleAsSent(tx, entry, shown, clock.now()));
    return () => (sent ? log("outreach.sent", about) : log("outreach.waiting", { ...about, why: verdict.kind }));
  }
  const { messageId, contactId } = verdict.result as { messageId?: string; contactId?: string };
  const publish = await show(deps, tx, entry, messageId);
  if (contactId !== undefined) await setContact(tx, entry.lane, contactId);
  return () => {
    log("outreach.sent", about);
    publish?.();
  };
}

/** Stores a person's decision: the unknown message was sent, and is shown; or it was not, and is sent again. */
async function resolve(deps: OutreachDeps, decision: Decision): Promise<LedgerEntry | TransitionProblem> {
  const { db, clock } = deps;
  const { site, sent, actor, reason } = decision;
  const name = { kind: "send", account: site.account, key: sendKey(site, decision.key) } as const;
  const now = clock.now();
  const outcome = await db.transaction(
    async (tx) => {
      const next = { state: sent ? "done" : "intent", reason, due: now, actor, now } as const;
      const entry = await transition(tx, name, ["unknown"], next);
      if (entry === undefined) return transitionProblem(tx, name);
      return { entry, publish: sent ? await show(deps, tx, entry, undefined) : undefined };
    },
    [ledgerKey(site.account)],
  );
  if (typeof outcome === "string") return outcome;
  outcome.publish?.();
  deps.wake();
  return outcome.entry;
}
