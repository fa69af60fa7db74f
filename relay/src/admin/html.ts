import { cut } from "@porchlight/shared/text";
import { html } from "hono/html";
import type { Viewer } from "./viewer.ts";

/** Part of a page; `html` has escaped its values. */
export type Html = ReturnType<typeof html>;

/** The values that every page needs. */
export type PageFrame = {
  /** Path of the page in the navigation, like `/admin/conversations`. */
  at: string;
  title: string;
  /** CSRF token for the forms of this session. */
  token: string;
  viewer: Viewer;
};

/** The pages, and whether a reader of one site may see them. */
const NAVIGATION = [
  ["/admin", "Overview", false],
  ["/admin/conversations", "Conversations", true],
  ["/admin/deliveries", "Deliveries", true],
  ["/admin/leads", "Leads", true],
  ["/admin/mails", "Mails", true],
  ["/admin/webhooks", "Webhooks", true],
  ["/admin/ledger", "Ledger", false],
  ["/admin/blocks", "Blocks", true],
  ["/admin/sites", "Sites", true],
  ["/admin/settings", "Settings", false],
  ["/admin/doctor", "Doctor", false],
  ["/admin/alerts", "Alerts", false],
  ["/admin/callbacks", "Callbacks", false],
  ["/admin/audit", "Audit log", false],
] as const;

/** Pages about the whole relay: a reader of one site does not see them. */
export const RELAY_PAGES: readonly string[] = NAVIGATION.filter(([, , ofSite]) => !ofSite).map(([path]) => path);

/** A whole page without the navigation. */
export const pageFrame = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Porchlight</title>
<link rel="stylesheet" href="/admin/style.css">
<script src="/admin/page.js" defer></script>
</head>
<body>${body}</body>
</html>`;

/** The element in which the live script says that it cannot update the page. */
export const STALE_NOTICE = html`<p id="stale" class="stale" role="status"></p>`;

/** Loads the script that keeps the page up to date; without scripts, shows a link instead. @param path of the page */
export const liveScript = (path: string): Html =>
  html`<noscript><p><a href="${path}">Show the present state</a></p></noscript><script src="/admin/live.js" defer></script>`;

/** The hidden field with the form's CSRF token. */
export const tokenField = (token: string): Html => html`<input type="hidden" name="token" value="${token}">`;

const link = (at: string, [path, name]: readonly [string, string]): Html =>
  html`<li><a href="${path}"${path === at ? html` aria-current="page"` : ""}>${name}</a></li>`;

/** A page with the navigation. */
export const page = ({ at, title, token, viewer }: PageFrame, body: Html): Html =>
  pageFrame(
    title,
    html`<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<p class="brand"><a href="/admin">Porchlight</a></p>
<form class="find" role="search" action="/admin/find"><label class="hidden" for="find">Find a message or visitor by id</label>
<input id="find" name="id" type="search" placeholder="Id of a message or visitor" autocomplete="off" spellcheck="false"><button>Find</button></form>
<details class="menu"><summary>Session</summary><div>
<p class="note">${viewer.role === "admin" ? "Admin" : viewer.site === null ? "Reader of all sites" : `Reader of ${viewer.site}`}</p>
<form method="post" action="/admin/logout">${tokenField(token)}<button class="plain">Sign out</button></form>
${viewer.role === "admin" ? html`<form method="post" action="/admin/logout-everywhere">${tokenField(token)}<button class="plain">Sign out everywhere</button></form>` : ""}</div></details>
</header>
<nav aria-label="Pages"><ul>${NAVIGATION.filter(([, , ofSite]) => ofSite || viewer.site === null).map(([path, name]) => link(at, [path, name]))}</ul></nav>
<main id="main" tabindex="-1"><h1>${title}</h1>${body}</main>`,
  );

/** A time in UTC, for people and for programs. */
export const time = (ms: number | null): Html =>
  ms === null
    ? html`–`
    : html`<time datetime="${new Date(ms).toISOString()}">${new Date(ms).toISOString().slice(0, 19).replace("T", " ")}</time>`;

/** A state as a coloured word. @param look the state whose colour it has */
export const badge = (state: string, look = state): Html =>
  html`<span class="badge ${look.replaceAll(/[^a-z]/g, "")}">${state}</span>`;

/** The state of a mail or of a message of the backend. "sent" is their last state, unlike that of a visitor's message. */
export const sentBadge = (state: string): Html => badge(state, state === "sent" ? "done" : state);

/** The beginning of a text: at most `max` UTF-16 units, cut at a grapheme border. */
export const brief = (text: string, max = 90): string => (text.length > max ? `${cut(text, max - 1)}…` : text);

/** What a page says about the action that led to it. @param isDone whether the action changed anything */
export const outcomeLine = (isDone: boolean, words: string | Html): Html =>
  html`<p class="${isDone ? "done" : "error"}" role="status">${words}</p>`;

export type Cell = string | number | null | Html;

/** A count with separators of thousands, as everywhere on these pages. */
export const count = (value: number): string => value.toLocaleString("en");

/** A number of messages in words: `1 message`, `1,200 messages`. */
export const messageCount = (n: number): string => (n === 1 ? "1 message" : `${count(n)} messages`);

/** A text on one line, cut by CSS where the column ends; on phones at most three lines. */
export const lineText = (text: string): Html => html`<span class="line" dir="auto" title="${text}">${text}</span>`;

/** An id on one line, cut by CSS where it is too long. Copying it gives the whole id. */
export const idText = (id: string): Html => html`<span class="id" title="${id}">${id}</span>`;

/** A short name on one line, whole; on phones it may wrap. */
export const nameText = (text: string): Html => html`<span class="name">${text}</span>`;

/** A text that a decision depends on: always whole, over several lines if needed. */
export const wholeText = (text: string | Html): Html => html`<span class="whole" dir="auto">${text}</span>`;

/** An email address, whole; a line that is too short for it ends after the @. */
export const wholeAddress = (email: string): Html =>
  wholeText(html`${email.split("@").map((part, n) => (n === 0 ? part : html`@<wbr>${part}`))}`);

/** From this length on (characters) a text needs a wide column. */
const LONG_TEXT = 24;

/** A cell. Numbers are counts; phones leave out empty cells. */
function cellOf(cell: Cell | undefined, heading = ""): Html {
  if (cell === undefined || cell === null || cell === "") return html`<td class="none" data-label="${heading}">–</td>`;
  if (typeof cell === "number")
    return html`<td data-label="${heading}"><span class="number">${count(cell)}</span></td>`;
  const isLong = typeof cell === "string" && cell.length >= LONG_TEXT;
  return html`<td${isLong ? html` class="long"` : ""} data-label="${heading}">${cell}</td>`;
}

const headingOf = (heading: string, isCount: boolean): Html =>
  html`<th scope="col"${isCount ? html` class="number"` : ""}>${heading}</th>`;

/**
 * A table that scrolls when it is too wide; columns of counts are aligned to the right.
 * @param empty text to show when there are no rows
 */
export const table = (
  name: string,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string | Html,
): Html =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table><thead><tr>${headings.map(
        (each, n) =>
          headingOf(
            each,
            rows.some((row) => typeof row[n] === "number"),
          ),
      )}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${headings.map((each, n) => cellOf(row[n], each))}</tr>`)}</tbody></table></div>`;

/** Rows on one page of a list. */
export const PAGE_ROWS = 100;
/** Most rows before a page. A page also reads the rows before it. */
const SKIP_MAX = 10_000;

/** The number of rows before a page, from its query. Anything else counts as none. */
export const skipOf = (given: string | undefined): number => {
  const skip = Number(given ?? 0);
  return Number.isSafeInteger(skip) && skip > 0 ? Math.min(skip, SKIP_MAX) : 0;
};

/**
 * A page of a list, with links to the pages before and after it.
 * @param query the page's other query parameters, which its links keep. `name`: the one with the rows before the page, `skip`
 * @param rows of the page, and one more if another page follows
 */
export function pagedTable(
  { name, skip, query = {} }: { name: string; skip: number; query?: Record<string, number> },
  ...[title, headings, rows, empty]: Parameters<typeof table>
): Html {
  const to = (rowsBefore: number): string =>
    `?${new URLSearchParams(Object.entries({ ...query, [name]: rowsBefore }).map(([key, value]) => [key, String(value)])).toString()}`;
  const shown = rows.slice(0, PAGE_ROWS);
  const before = skip > 0 ? html`<a href="${to(Math.max(0, skip - PAGE_ROWS))}">Previous ${PAGE_ROWS}</a>` : "";
  const after =
    rows.length > PAGE_ROWS && skip < SKIP_MAX ? html`<a href="${to(skip + PAGE_ROWS)}">Next ${PAGE_ROWS}</a>` : "";
  const range = shown.length === 0 ? "" : html`<span>${count(skip + 1)} to ${count(skip + shown.length)}</span>`;
  const pages =
    before === "" && after === ""
      ? ""
      : html`<div class="actions pages" role="navigation" aria-label="Pages of ${title}">${before} ${range} ${after}</div>`;
  return html`${table(title, headings, shown, skip > 0 ? "No further entries." : empty)}${pages}`;
}

/** A list of names and values. Entries with the value null are left out. */
export const facts = (all: readonly (readonly [string, Cell])[]): Html =>
  html`<dl class="facts">${all
    .filter(([, value]) => value !== null)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
