import { html } from "hono/html";
import type { Database } from "../db/database.ts";
import { refusedAccounts } from "../records/alerts.ts";
import { entryShownAs, type LedgerEntry } from "../records/ledger/ledger.ts";
import { type JourneyRow, journeyOf, mailsWith, replyAfter } from "../records/search.ts";
import { messagesBefore as threadPage } from "../records/threads.ts";
import { countCalls, NOT_SENT, SENT_AGAIN, type Try, triesOf } from "../records/tries.ts";
import { formerIds } from "../records/visitors.ts";
import type { Pushed } from "./context.ts";
import { duration } from "./duration.ts";
import { entrySteps } from "./entry.ts";
import { fileLink, type LinkTo } from "./file.ts";
import { badge, facts, type Html, liveScript, STALE_NOTICE, time, tokenField } from "./html.ts";
import { type JourneyStep, stepList } from "./journey-steps.ts";
import { conversationPath, entryPath, messagePath } from "./paths.ts";
import { sees, type Viewer } from "./viewer.ts";

/** Seconds between two updates of the page: while the service has not settled the message, and afterwards. */
const [UNSETTLED_S, SETTLED_S] = [2, 15];

/** Most failed attempts that a journey shows; the newest ones. */
const TRIES_SHOWN = 50;

const REASONS: Record<string, string> = {
  rejected: "The service refused this message.",
  expired: "It could not be delivered in time.",
  "not-configured": "The site's campaign or account refuses it.",
};

const tries = (n: number): string => (n === 1 ? "1 try" : `${n} tries`);

/** What the page needs to know of this node's present state. `paused`: see `Gauges.paused`. */
type Present = { now: number; paused: Record<string, string | undefined>; pushed: Pushed };

/** Why the relay itself held a message back; undefined for an answer of the service. */
const ownReason = (answer: string | null): string | undefined =>
  answer?.startsWith(NOT_SENT) ? answer.slice(NOT_SENT.length) : undefined;

/** Whether the service answered a call: the text of an answer begins with its status, that of a failed connection does not. */
const hasStatus = (answer: string | null): boolean => /^\d{3}\b/.test(answer ?? "");

/** The result of a call, as a sentence without its full stop. */
const callResult = (answer: string | null, service = "The service"): Html =>
  hasStatus(answer)
    ? html`${service} answered <code>${answer}</code>`
    : html`${service} did not answer${answer === null ? "" : html`: <code>${answer}</code>`}`;

/** The step of a Retry. `former`: the `messageSid` before it. `sid`: the present one. */
function sentAgainStep({ at, former, sid }: { at: number; former: string; sid: string | null }): JourneyStep {
  const note = former === "" || former === sid ? "" : html` Until then, its messageSid was <code>${former}</code>.`;
  return { name: "To be sent again", at, note: html`By Retry of the visitor or of an operator.${note}` };
}

function triedStep({ at, answer }: Try, sid: string | null): JourneyStep {
  if (answer?.startsWith(SENT_AGAIN)) return sentAgainStep({ at, former: answer.slice(SENT_AGAIN.length), sid });
  const why = ownReason(answer);
  if (why !== undefined)
    return { name: "Not sent", at, kind: "bad", note: html`The relay held it back: <code>${why}</code>` };
  const name = hasStatus(answer) ? "Sent, but not accepted" : "Tried, without an answer";
  return { name, at, kind: "bad", note: html`${callResult(answer)}.` };
}

/** The answer with which the service accepted a message. Older messages have no status. */
const acceptance = ({ accepted }: JourneyRow): Html =>
  accepted === null
    ? html`The service answered with success.`
    : accepted >= 300
      ? html`The service answered <code>${accepted}</code>: it had the message already.`
      : html`The service answered <code>${accepted}</code>.`;

/** Why a message failed. */
function failure({ reason, error }: JourneyRow): Html {
  const why = ownReason(error);
  if (why !== undefined) return html`The relay did not send it: <code>${why}</code>`;
  const said = error === null ? "" : html` ${callResult(error)}.`;
  return html`${REASONS[reason ?? ""] ?? reason ?? ""}${said}`;
}

/**
 * Says why the service refuses the calls of an account; undefined while it accepts them. The node that makes the calls knows it;
 * the others read the alert that this node stores within half a minute.
 */
async function refusalOf(db: Database, account: string, { paused }: Present): Promise<Html | undefined> {
  if (!Object.hasOwn(paused, account)) {
    const problem = (await refusedAccounts(db)).get(account);
    return problem === undefined ? undefined : html`${problem}`;
  }
  const why = paused[account];
  return why === undefined
    ? undefined
    : html`The service refuses the calls of account ${account}: <code>${why}</code>.`;
}

/** When a waiting message is sent next, and why not now. */
async function nextTry(db: Database, row: JourneyRow, present: Present): Promise<Html> {
  const { account, due, expires, answer } = row;
  const refusal = await refusalOf(db, account ?? "", present);
  const next =
    refusal !== undefined
      ? html`${refusal} This message is sent when the service accepts the account's calls again`
      : due !== null && due > present.now
        ? html`Next try at ${time(due)}`
        : html`Next try when its turn comes at the pace that the service allows`;
  const why = ownReason(answer);
  const last =
    answer === null
      ? ""
      : why === undefined
        ? html` At the last try, ${callResult(answer, "the service")}.`
        : html` The relay holds it back: <code>${why}</code>`;
  return html`${next}; no tries after ${time(expires)}.${last}`;
}

const NO_REPLY =
  "The service has the message. If the service shows an answer, that answer did not reach this relay: Doctor tests the callback address. If it shows none, neither its bot nor a person has answered.";

/** When the visitor wrote a message: the time of arrival by the relay's clock, minus the message's wait in the browser. */
function typedStep({ typed, at }: JourneyRow): JourneyStep {
  const name = "Written by the visitor";
  if (typed === null) return { name, at: null, note: "At an unknown time: the client did not say when." };
  const note = `It waited ${duration((at - typed) / 1_000)} in the browser, by the browser's clock.`;
  return { name, at: typed, note };
}

/** The steps of a visitor's message to the service. */
async function sentSteps(db: Database, row: JourneyRow, present: Present): Promise<JourneyStep[]> {
  const stored: JourneyStep = {
    name: "Stored durably by the relay",
    at: row.at,
    note: "Then acknowledged to the visitor.",
  };
  const begin = [typedStep(row), stored];
  const tried = (await triesOf(db, row.visitor, row.pos, TRIES_SHOWN)).map((each) => triedStep(each, row.sid));
  const calls = await countCalls(db, row.visitor, row.pos);
  // Retry resets the counter, but the page still lists the tries before it.
  const allTries = (counted: number | null): number => Math.max(counted ?? 0, calls);
  if (row.state === "delivered")
    return [...begin, ...tried, { name: "Accepted by the service", at: row.settled, note: acceptance(row) }];
  if (row.state === "failed")
    return [
      ...begin,
      ...tried,
      {
        name: `Failed after ${tries(allTries(row.attempts))}`,
        at: row.settled,
        kind: "bad",
        note: failure(row),
      },
    ];
  const waits: JourneyStep = {
    name: `Waiting for the service, after ${tries(allTries(row.tries))}`,
    at: null,
    kind: "open",
    note: await nextTry(db, row, present),
  };
  return [...begin, ...tried, waits];
}

/** How a reply came into the conversation: from the service's callback, or as a message of the owner's backend. */
async function arrivalSteps(db: Database, { at }: JourneyRow, sent: LedgerEntry | undefined): Promise<JourneyStep[]> {
  if (sent === undefined) return [{ name: "Stored from the service's callback", at }];
  const stored: JourneyStep = { name: "Stored in the conversation", at };
  return [...(await entrySteps(db, sent)), stored].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/** The message of the owner's backend that a reply shows. */
async function sentAs(db: Database, { visitor, external }: JourneyRow): Promise<LedgerEntry | undefined> {
  if (external === null) return undefined;
  return entryShownAs(db, [visitor, ...(await formerIds(db, visitor))], external);
}

const NO_TAB = "No tab of the visitor is connected to this relay now.";
const NO_TAB_HERE =
  "No tab of the visitor is connected to this node now. Each node knows only its own tabs, and when it sent something to them: another node may have one.";
const PUSH_NOTE =
  "The first time that this node remembers. The node forgets it when it restarts, and after 10,000 to 20,000 further replies.";

/** The step of a reply that was sent to a tab. */
const pushStep = ({ at, open }: NonNullable<ReturnType<Pushed>>): JourneyStep => ({
  name: open ? "Sent to a tab that is still open" : "Sent to a tab that has closed since",
  at,
  note: at === null ? "This node no longer knows when: it has restarted since, or sent many other replies." : PUSH_NOTE,
});

/** Adds the next reply to the steps, at its time: a reply to an earlier message may precede the delivery. */
function withReply(steps: readonly JourneyStep[], reply: JourneyStep): JourneyStep[] {
  const later = reply.at === null ? -1 : steps.findIndex(({ at }) => at !== null && at > (reply.at ?? 0));
  return later === -1 ? [...steps, reply] : steps.toSpliced(later, 0, reply);
}

/** The steps of a reply to the visitor. */
async function replySteps(
  db: Database,
  row: JourneyRow,
  sent: LedgerEntry | undefined,
  present: Present,
): Promise<JourneyStep[]> {
  const push = present.pushed(row.visitor, row);
  const seen: JourneyStep =
    row.read >= row.n
      ? {
          name: "Seen by the visitor",
          at: row.readAt,
          note: "Or earlier: at this time the visitor's read mark moved.",
        }
      : {
          name: "Not seen yet",
          at: null,
          kind: "open",
          ...(push?.open !== true && { note: db.dialect === "sqlite" ? NO_TAB : NO_TAB_HERE }),
        };
  return [...(await arrivalSteps(db, row, sent)), ...(push === undefined ? [] : [pushStep(push)]), seen];
}

/** All steps of a message, with the mails that contained it. @param sent the backend's message that a reply shows */
async function journeySteps(
  db: Database,
  row: JourneyRow,
  sent: LedgerEntry | undefined,
  present: Present,
): Promise<JourneyStep[]> {
  const { visitor, pos } = row;
  const mails = (await mailsWith(db, visitor, pos)).map(
    ({ kind, state, at }): JourneyStep => ({
      name: `Mail (${kind}): ${state}`,
      at,
      ...(state === "failed" && { kind: "bad" }),
    }),
  );
  if (row.author === "reply") return [...(await replySteps(db, row, sent, present)), ...mails];
  const reply = await replyAfter(db, visitor, pos);
  const answered: JourneyStep = reply
    ? { name: "Next reply", at: reply.at, note: html`<a href="${messagePath(visitor, reply.id)}">its journey</a>` }
    : { name: "No reply yet", at: null, kind: "open", ...(row.state === "delivered" && { note: NO_REPLY }) };
  return [...withReply(await sentSteps(db, row, present), answered), ...mails];
}

/** The service's id of a reply; null when the service gave none. The relay's own key of such a reply begins with `~`. */
function serviceId(external: string | null): Html | null {
  const id = external?.slice(external.indexOf(":") + 1) ?? "~";
  return id.startsWith("~") ? null : html`<span class="id">${id}</span>`;
}

/**
 * The page of a message with every step of its journey.
 * @param note outcome of an action, shown first
 * @returns undefined when no such message exists
 */
export async function journey(
  { db, linkTo }: { db: Database; linkTo: LinkTo },
  { visitor, id }: { visitor: string; id: string },
  { token, viewer, note, present }: { token: string; viewer: Viewer; note: Html | ""; present: Present },
): Promise<Html | undefined> {
  const row = await journeyOf(db, visitor, id);
  if (row === undefined || !sees(viewer, row.site)) return undefined;
  const sent = await sentAs(db, row);
  const steps = await journeySteps(db, row, sent, present);
  const [message] = await threadPage(db, row.visitor, row.pos + 1, 1);
  const retry =
    row.state === "failed" && viewer.role === "admin"
      ? html`<form method="post" action="/admin/deliveries/retry">${tokenField(token)}<input type="hidden" name="from" value="message"><input type="hidden" name="item" value="${row.visitor} ${row.id}"><p class="actions"><button class="main">Retry</button> <button formaction="/admin/deliveries/discard">Discard</button></p></form>`
      : "";
  const path = messagePath(row.visitor, row.id);
  const every = row.state === "sent" ? UNSETTLED_S : SETTLED_S;
  return html`${STALE_NOTICE}${note}${facts([
    ["Message", html`<span class="id">${row.id}</span>`],
    ["messageSid at the service", row.sid === null ? null : html`<span class="id">${row.sid}</span>`],
    ["The service's id", serviceId(row.external)],
    ["Key of your backend", sent === undefined ? null : html`<a href="${entryPath(sent)}" class="id">${sent.key}</a>`],
    [
      "State",
      html`<span id="state" data-live="${every}" role="status">${row.state === null ? "reply" : badge(row.state)}</span>`,
    ],
    ["Conversation", html`<a href="${conversationPath(row.visitor)}" class="id">${row.visitor}</a>`],
    ["Site", row.site],
  ])}
${row.text === "" ? "" : html`<pre class="text" dir="auto" tabindex="0" role="region" aria-label="Text of the message">${row.text}</pre>`}
${message?.media === undefined ? "" : fileLink(message.media, linkTo)}
<h2>Journey <span class="note">times in UTC</span></h2>
<div id="journey" data-live="${every}">${stepList(steps)}${retry}</div>
${liveScript(path)}`;
}
