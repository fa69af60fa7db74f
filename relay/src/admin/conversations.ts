import type { Message } from "@porchlight/shared/protocol";
import { html } from "hono/html";
import type { Clock } from "../base/clock.ts";
import type { Database } from "../db/database.ts";
import { findListedVisitor } from "../records/listings.ts";
import {
  type ConversationCursor,
  type ConversationQuery,
  type ConversationRow,
  searchSlice,
} from "../records/search.ts";
import { messagesBefore as threadPage } from "../records/threads.ts";
import { findVisitor } from "../records/visitors.ts";
import { fileLink, type LinkTo } from "./file.ts";
import { badge, brief, facts, type Html, idText, lineText, table, time } from "./html.ts";
import { conversationPath, messagePath } from "./paths.ts";
import { sees, type Viewer } from "./viewer.ts";

const CONVERSATIONS_PER_PAGE = 30;
/**
 * Time limits of a search, in milliseconds: once it has found something, and while it has found nothing. A search ends then even
 * if the page is not full, and the next page continues it. An index of words would cost every write more than a slow search
 * costs an operator.
 */
const [SEARCH_MS, EMPTY_SEARCH_MS] = [1_500, 8_000];
/** Messages of a thread on one page. */
const MESSAGES_PER_PAGE = 200;

/** `from`, `to`: days in the form's notation, like `2026-11-22`. */
type Search = ConversationQuery & { days?: { from: string; to: string } };

/** Finds matching conversations until a page is full or the time limit is reached. */
async function search(
  db: Database,
  clock: Clock,
  asked: Search,
): Promise<{ rows: ConversationRow[]; next: ConversationCursor | undefined }> {
  const begin = clock.uptime();
  const rows: ConversationRow[] = [];
  let after = asked.after;
  for (;;) {
    const { found, next } = await searchSlice(db, { ...asked, after }, CONVERSATIONS_PER_PAGE + 1 - rows.length);
    rows.push(...found);
    const extra = rows.length > CONVERSATIONS_PER_PAGE ? rows[CONVERSATIONS_PER_PAGE - 1] : undefined;
    if (extra !== undefined)
      return { rows: rows.slice(0, CONVERSATIONS_PER_PAGE), next: { active: extra.active, id: extra.id } };
    const limit = rows.length === 0 ? EMPTY_SEARCH_MS : SEARCH_MS;
    if (next === undefined || clock.uptime() - begin > limit) return { rows, next };
    after = next;
    // Let other work run between two slices.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A position in the search as a query parameter: time, position in a long thread, visitor. */
const cursorText = ({ active, id, pos = 0 }: ConversationCursor): string => `${active}.${pos}.${id}`;

/** Parses the position after which a page begins. @returns undefined when the text is not one */
export const cursorOf = (text: string): ConversationCursor | undefined => {
  const [, active, pos, id] = /^(\d{1,16})\.(\d{1,16})\.(.*)$/.exec(text) ?? [];
  return active === undefined || id === undefined ? undefined : { active: Number(active), id, pos: Number(pos) };
};

const nameOf = (row: Pick<ConversationRow, "firstName" | "lastName" | "email" | "subject" | "id">): string =>
  [row.firstName, row.lastName].filter((part) => part !== null).join(" ") ||
  row.email ||
  row.subject ||
  `Visitor ${row.id.slice(0, 10)}…`;

const DAY_MS = 86_400_000;

/** The start and end (ms) of a range of days from the form, both days included. */
export function daysOf(from = "", to = ""): Pick<Search, "from" | "to" | "days"> {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  return {
    ...(Number.isNaN(begin) ? {} : { from: begin }),
    ...(Number.isNaN(end) ? {} : { to: end + DAY_MS }),
    days: { from: Number.isNaN(begin) ? "" : from, to: Number.isNaN(end) ? "" : to },
  };
}

const option = (value: string, name: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? html` selected` : ""}>${name}</option>`;

function filter({ words, site, state, days }: Search, sites: readonly string[]): Html {
  return html`<form class="filter" action="/admin/conversations">
<label class="wide">Words, visitor, email, or any id<input name="words" type="search" value="${words}"></label>
${sites.length < 2 ? "" : html`<label>Site<select name="site">${option("", "all", site)}${sites.map((id) => option(id, id, site))}</select></label>`}
<label>From (UTC)<input type="date" name="from" value="${days?.from ?? ""}"></label>
<label>Until<input type="date" name="to" value="${days?.to ?? ""}"></label>
<label>With a message that is<select name="state">${["", "sent", "delivered", "failed"].map((each) => option(each, each || "any", state))}</select></label>
<button class="main">Search</button></form>`;
}

/** Length of the newest message in a list, in UTF-16 units. */
const EXCERPT_MAX = 120;

const NONE_YET = html`No visitor has written yet. <a href="/admin/sites">Sites</a> has the tag for your pages.`;

const isFiltered = ({ words, site, state, from, to, after }: Search): boolean =>
  words !== "" || site !== "" || state !== "" || from !== undefined || to !== undefined || after !== undefined;

/** The list of conversations, newest first, with the search. */
export async function conversations(
  { db, clock, sites }: { db: Database; clock: Clock; sites: readonly string[] },
  asked: Search,
): Promise<Html> {
  const { rows, next } = await search(db, clock, asked);
  const query = new URLSearchParams({ words: asked.words, site: asked.site, state: asked.state, ...asked.days });
  if (next !== undefined) query.set("after", cursorText(next));
  const more =
    next &&
    html`<p><a href="/admin/conversations?${query.toString()}">${rows.length < CONVERSATIONS_PER_PAGE ? "Continue the search" : "Older"}</a></p>`;
  // The rows have the order of the index, whose times may be 10 s too early. Sort them by their exact times.
  const timeOf = (row: ConversationRow): number => row.at ?? row.created;
  const sorted = rows.toSorted((a, b) => timeOf(b) - timeOf(a));
  return html`${filter(asked, sites)}${table(
    "Conversations",
    ["Visitor", "Newest message", "State", "When (UTC)", "Messages", ...(sites.length > 1 ? ["Site"] : [])],
    sorted.map((row) => [
      html`<a href="${conversationPath(row.id)}">${lineText(nameOf(row))}</a>`,
      row.text === null
        ? null
        : lineText(`${row.author === "reply" ? "↩ " : ""}${brief(row.text, EXCERPT_MAX) || "[file]"}`),
      row.state === null ? null : badge(row.state),
      time(timeOf(row)),
      row.messages,
      lineText(row.site),
    ]),
    next !== undefined ? "Nothing found so far." : isFiltered(asked) ? "No conversation matches." : NONE_YET,
  )}${more ?? ""}`;
}

const bubble = (visitor: string, message: Message, linkTo: LinkTo): Html => html`<li class="${message.from}">
${message.text === "" ? "" : html`<p dir="auto">${message.text}</p>`}${message.media === undefined ? "" : fileLink(message.media, linkTo)}
<footer><a href="${messagePath(visitor, message.id)}">${time(message.at)}</a> ${message.from === "visitor" ? badge(message.state) : (message.reaction ?? "")}</footer></li>`;

/** The page of one conversation: its visitor and its messages. @returns undefined when no conversation has this id */
export async function conversation(
  { db, linkTo }: { db: Database; linkTo: LinkTo },
  id: string,
  { viewer, before }: { viewer: Viewer; before: number },
): Promise<{ title: string; body: Html } | undefined> {
  const visitor = await findVisitor(db, id);
  const row = visitor && (await findListedVisitor(db, visitor.site, id));
  if (visitor === undefined || row === undefined || !sees(viewer, visitor.site)) return undefined;
  const messages = await threadPage(db, id, before, MESSAGES_PER_PAGE);
  const [first] = messages;
  const older = messages.length === MESSAGES_PER_PAGE && first !== undefined;
  const body = html`${facts([
    ["Visitor", idText(id)],
    ["Site", visitor.site],
    ["First seen", time(row.created)],
    ["Email", row.email],
    ["Phone", row.phone],
    ["Your id (sub)", row.subject],
    ["Contact at the service", row.contact],
    ["Page", row.page],
    ["Deletion", row.deleting ? "in progress; it continues automatically" : null],
  ])}
${older ? html`<p><a href="${conversationPath(id)}?before=${first.pos}">Older messages</a></p>` : ""}
<ol class="thread">${messages.map((message) => bubble(id, message, linkTo))}</ol>`;
  return { title: nameOf(row), body };
}
