import { html } from "hono/html";
import type { Clock } from "../base/clock.ts";
import type { Database } from "../db/database.ts";
import type { Send } from "../flows/send/send.ts";
import { failedMessages, type OpenMessage, waitingMessages } from "../records/listings.ts";
import { addAudit } from "../records/operators.ts";
import { discardMessage } from "../records/search.ts";
import type { Sites } from "../records/sites.ts";
import { findVisitor } from "../records/visitors.ts";
import {
  brief,
  type Cell,
  type Html,
  idText,
  lineText,
  messageCount,
  outcomeLine,
  PAGE_ROWS,
  pagedTable,
  time,
  tokenField,
} from "./html.ts";
import { conversationPath, messagePath } from "./paths.ts";

const choice = ({ visitor, id }: OpenMessage): Cell =>
  html`<input type="checkbox" name="item" value="${visitor} ${id}" aria-label="Choose message ${id}">`;

const row = (given: OpenMessage, mayAct: boolean, tries: readonly Cell[]): Cell[] => {
  const { visitor, id, site, at, text, reason, error } = given;
  return [
    ...(mayAct ? [choice(given)] : []),
    time(at),
    html`<a href="${messagePath(visitor, id)}">${lineText(text === "" ? id : brief(text))}</a>`,
    ...tries,
    [reason, error].filter((part) => part !== null).join(": ") || null,
    html`<a href="${conversationPath(visitor)}">${idText(visitor)}</a>`,
    lineText(site),
  ];
};

/** The buttons for the chosen messages: always in view, because the list may be long. `anyFailed`: the list has failed ones. */
const buttons = (
  anyFailed: boolean,
): Html => html`<p class="actions bulk"><button class="main">Retry the chosen</button>
<button formaction="/admin/deliveries/discard">Discard the chosen</button>
${anyFailed ? html`<a class="button" href="/admin/deliveries/retry">Retry all failed…</a> <a class="button" href="/admin/deliveries/discard">Discard all failed…</a>` : ""}</p>
<p class="note">Retry sends a failed message again. Discard takes it off this list: the visitor still sees that it was not sent.
A waiting message is marked as failed first, within a minute. "All" shows how many messages it concerns before it does anything.</p>`;

const BUDGET_USED =
  "the site's budget of a whole week is used up. Raise messagesPerDay, run porchlight reload, and try again.";

/**
 * What the next page says after an action. `n`: the number of messages that it changed; `full`: those that were not sent again
 * because their site's budget is used up.
 */
type OutcomeText = (n: number, full: number) => string;

/** The texts for each action: on a message's page, and on the list. */
const OUTCOMES: Record<"retried" | "discarded", Record<"message" | "list", OutcomeText>> = {
  retried: {
    message: (n, full) =>
      n > 0
        ? "You sent this message again. The journey shows the result."
        : `This message was not sent again: ${full > 0 ? BUDGET_USED : "it had not failed."}`,
    list(n, full) {
      const sent = n > 0 ? [`You sent ${messageCount(n)} again.`] : [];
      const left = full > 0 ? [`Not sent again: ${messageCount(full)}, because ${BUDGET_USED}`] : [];
      return n + full > 0 ? [...sent, ...left].join(" ") : "No message was sent again: none of them had failed.";
    },
  },
  discarded: {
    message: (n) =>
      n === 0 ? "This message was not discarded: it neither waits nor has failed." : "You discarded this message.",
    list: (n) =>
      n === 0 ? "No message was discarded: none of them was on the list." : `You discarded ${messageCount(n)}.`,
  },
};

const countIn = (given = ""): number | undefined => (/^\d{1,9}$/.test(given) ? Number(given) : undefined);

/** The outcome of an action, from the query of the next page. */
export function outcomeOf(query: Record<string, string | undefined>, page: "message" | "list"): Html | "" {
  for (const [action, words] of Object.entries(OUTCOMES)) {
    const [n, full] = [countIn(query[action]), countIn(query.full) ?? 0];
    if (n !== undefined) return outcomeLine(n > 0, words[page](n, full));
  }
  return "";
}

/**
 * `mayAct`: whether the viewer may retry and discard. `site`: the only one to show, or null. `failed`, `waiting`: the number of
 * rows before the page of each list.
 */
type View = { token: string; note: Html | ""; mayAct: boolean; site: string | null; failed: number; waiting: number };

/** Messages that the service has not accepted, with Retry and Discard: the newest failed ones, then those that wait longest. */
export async function deliveries(
  { db, sites }: { db: Database; sites: Sites },
  { token, note, mayAct, site, failed, waiting }: View,
): Promise<Html> {
  const limit = PAGE_ROWS + 1;
  const failedRows = (await failedMessages(db, site, { skip: failed, limit })).map((each) =>
    row(each, mayAct, [each.attempts]),
  );
  const waitingRows = (await waitingMessages(db, site, { skip: waiting, limit })).map((each) =>
    row(each, mayAct, [each.attempts, time(each.due)]),
  );
  if (failedRows.length + waitingRows.length + failed + waiting === 0)
    return html`${note}<p class="empty">Nothing waits, and nothing failed. A message that the service has not accepted appears here, with Retry and Discard.</p>`;
  const headings = (...tries: string[]): string[] => [
    ...(mayAct ? ["Choose"] : []),
    ...["Written (UTC)", "Message", ...tries, "Last error", "Visitor"],
    ...(sites.all.length > 1 ? ["Site"] : []),
  ];
  const query = { failed, waiting };
  const lists = html`<h2>Failed</h2>
${pagedTable({ name: "failed", skip: failed, query }, "Failed messages", headings("Tries"), failedRows, "No message has failed.")}
<h2>Waiting</h2>
${pagedTable({ name: "waiting", skip: waiting, query }, "Waiting messages", headings("Tries", "Next try (UTC)"), waitingRows, "No message waits.")}`;
  return html`${note}
${mayAct ? html`<form method="post" action="/admin/deliveries/retry">${tokenField(token)}${lists}${buttons(failedRows.length > 0)}</form>` : lists}`;
}

type Deps = { db: Database; clock: Clock; sites: Sites; send: Pick<Send, "retry"> };

/** Runs an action on messages, and adds an entry to the audit log for each. @returns how many messages it changed */
async function applyToEach(
  { db, clock }: Deps,
  { items, actor, action }: { items: readonly string[]; actor: string; action: string },
  act: (visitor: string, id: string) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  for (const item of items) {
    const [visitor = "", id = ""] = item.split(" ");
    if (!(await act(visitor, id))) continue;
    count++;
    const entry = { at: clock.now(), actor, action, subject: `${visitor} ${id}` };
    await db.transaction((tx) => addAudit(tx, entry), [visitor]);
  }
  return count;
}

/**
 * Sends failed messages again.
 * @param items visitor and message, separated by a space
 * @returns how many are sent again, and how many are not because the budget of their site is used up (`full`)
 */
export async function retryAll(
  deps: Deps,
  items: readonly string[],
  actor: string,
): Promise<{ retried: number; full: number }> {
  let full = 0;
  const retried = await applyToEach(deps, { items, actor, action: "retry message" }, async (visitor, id) => {
    const site = deps.sites.find((await findVisitor(deps.db, visitor))?.site ?? "");
    const again = site && (await deps.send.retry(visitor, site, id));
    if (again === "full") full++;
    return again !== undefined && again !== "full";
  });
  return { retried, full };
}

/** Removes messages from the list. @param items as for `retryAll`. @returns how many were removed */
export const discardAll = (deps: Deps, items: readonly string[], actor: string): Promise<number> =>
  applyToEach(deps, { items, actor, action: "discard message" }, (visitor, id) =>
    deps.db.transaction((tx) => discardMessage(tx, visitor, id, deps.clock.now()), [visitor]),
  );
