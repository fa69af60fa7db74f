import { html } from "hono/html";
import { withCode } from "../base/with-code.ts";
import type { Database } from "../db/database.ts";
import { type Block, blocksPage } from "../records/blocks.ts";
import { type Event, eventsPage, eventTries, findEvent } from "../records/events.ts";
import { type Lead, leadsPage } from "../records/leads.ts";
import { auditPage } from "../records/operators.ts";
import { newestMails } from "../records/search.ts";
import type { Sites } from "../records/sites.ts";
import {
  badge,
  brief,
  type Cell,
  type Html,
  idText,
  lineText,
  nameText,
  PAGE_ROWS,
  pagedTable,
  sentBadge,
  table,
  time,
  wholeAddress,
  wholeText,
} from "./html.ts";
import { conversationPath } from "./paths.ts";
import { type ListPart, mergedPage } from "./reads.ts";

/** `skip`: rows before the page. */
type Deps = { db: Database; sites: Sites; skip: number };

/** A page of the rows of all sites, newest first. The last cell of each row is the site's id. */
async function siteRows<Row extends { at: number; site: string }>(
  { sites, skip }: Deps,
  read: (query: { site: string; after?: Row; skip: number; limit: number }) => Promise<Row[]>,
  cellsOf: (row: Row) => Cell[],
): Promise<Cell[][]> {
  const lists = sites.all.map(
    ({ public: { id } }) =>
      ({ after, ...part }: ListPart<Row>): Promise<Row[]> =>
        read({ ...part, site: id, ...(after && { after }) }),
  );
  const rows = await mergedPage(lists, ({ at }) => at, skip);
  return rows.map((row) => [time(row.at), ...cellsOf(row), lineText(row.site)]);
}

/** The headings of a list of sites; the site has a column when there are several. */
const headingsOf = ({ sites }: Deps, first: string, ...others: string[]): string[] => [
  `${first} (UTC)`,
  ...others,
  ...(sites.all.length > 1 ? ["Site"] : []),
];

const visitorLink = (visitor: string | null): Cell =>
  visitor === null ? null : html`<a href="${conversationPath(visitor)}">${idText(visitor)}</a>`;

/** The email address and the phone number in one cell. */
function contactCell({ email, phone }: Pick<Lead, "email" | "phone">): Cell {
  const lines = [email === null ? "" : wholeAddress(email), phone === null ? "" : wholeText(phone)];
  return email === null && phone === null ? null : html`${lines}`;
}

/** The page of leads: contact details from forms, and from the owner's backend. */
export async function leads(deps: Deps): Promise<Html> {
  const rows = await siteRows<Lead>(
    deps,
    (query) => leadsPage(deps.db, query),
    (lead) => [
      [lead.firstName, lead.lastName].filter((part) => part !== null).join(" ") || null,
      contactCell(lead),
      badge(lead.state),
      lead.problem,
      visitorLink(lead.visitor),
    ],
  );
  return pagedTable(
    { name: "skip", skip: deps.skip },
    "Leads",
    headingsOf(deps, "When", "Name", "Contact", "State", "Problem", "Visitor"),
    rows,
    withCode(
      "No visitor has left contact details yet. Each form that a visitor fills in appears here. The settings `prechat` and `emailOffer` show forms.",
    ),
  );
}

/** The page of mails to visitors: replies to those who are away, and transcripts. */
export async function mails(deps: Deps): Promise<Html> {
  const { db, sites, skip } = deps;
  const ids = sites.all.map(({ public: { id } }) => id);
  const found = await newestMails(db, { sites: ids, skip, limit: PAGE_ROWS + 1 });
  const rows = found.map(({ at, visitor, site, kind, address, state, attempts, problem }) => [
    ...[time(at), kind, wholeAddress(address), sentBadge(state), attempts, problem],
    visitorLink(visitor),
    lineText(site),
  ]);
  return pagedTable(
    { name: "skip", skip: deps.skip },
    "Mails",
    headingsOf(deps, "When", "Kind", "To", "State", "Tries", "Problem", "Visitor"),
    rows,
    withCode(
      "No mails in the last weeks. A reply that arrives while the visitor is away is mailed, if the relay has `SMTP_URL`, and appears here.",
    ),
  );
}

/** The HTTP status of a try as text. 0: the endpoint gave no answer. */
const statusName = (status: number | null): Cell =>
  status === null ? null : status === 0 ? "no answer" : String(status);

/** Characters of a problem that an endpoint's answer caused: it may be a whole page. */
const PROBLEM_MAX = 160;

/** The problem of the last try, and a list of all tries to open, each with its time and answer. */
function problemCell(event: Pick<Event, "problem" | "tries">): Cell {
  const tries = eventTries(event);
  const last = event.problem === null ? null : brief(event.problem, PROBLEM_MAX);
  if (tries.length === 0) return last;
  const items = tries.map(
    ({ at, status, problem }) =>
      html`<li>${time(at)} · ${statusName(status)}${problem === null ? "" : html` · ${brief(problem, PROBLEM_MAX)}`}</li>`,
  );
  return html`${last === null ? "" : wholeText(last)}<details class="tries"><summary>Each try</summary><ol>${items}</ol></details>`;
}

const eventCells = ({ id, type, state, attempts, status, ...rest }: Event): Cell[] => [
  ...[type, badge(state), attempts, statusName(status)],
  problemCell(rest),
  idText(id),
];

/**
 * The page of events for the owners' webhooks, each with its tries.
 * @param id shows only this event
 */
export async function webhooks(deps: Deps, id?: string): Promise<Html> {
  const headings = headingsOf(deps, "When", "Event", "State", "Tries", "Status", "Problem", "Id");
  if (id !== undefined) {
    const event = await findEvent(deps.db, id);
    const isSeen = event !== undefined && deps.sites.find(event.site) !== undefined;
    const rows = isSeen ? [[time(event.at), ...eventCells(event), lineText(event.site)]] : [];
    return html`${table("Webhooks", headings, rows, "There is no such event.")}<p><a href="/admin/webhooks">All events</a></p>`;
  }
  const rows = await siteRows<Event>(deps, (query) => eventsPage(deps.db, query), eventCells);
  return pagedTable(
    { name: "skip", skip: deps.skip },
    "Webhooks",
    headings,
    rows,
    withCode("No events for your webhook yet. If the site has a `webhook`, each event appears here with its tries."),
  );
}

/** The beginning of a visitor's id. Blocked addresses do not begin like this. */
const VISITOR = /^[uv]_/;

/** The page of blocked visitors, addresses and networks. */
export async function blocks(deps: Deps): Promise<Html> {
  const rows = await siteRows<Block>(
    deps,
    (query) => blocksPage(deps.db, query),
    ({ value, reason, actor }) => [
      VISITOR.test(value) ? html`<a href="${conversationPath(value)}"><span class="id">${value}</span></a>` : value,
      reason,
      actor,
    ],
  );
  const list = pagedTable(
    { name: "skip", skip: deps.skip },
    "Blocks",
    headingsOf(deps, "Since", "Whom", "Reason", "By"),
    rows,
    withCode("No visitor and no address is blocked. `porchlight block add` blocks one, and it appears here."),
  );
  return html`${list}${rows.length === 0 ? "" : html`<p class="note">${withCode("`porchlight block add` and `porchlight block remove` change this list.")}</p>`}`;
}

/** The page of operators' actions and sign-ins. */
export async function audit({ db, skip }: Pick<Deps, "db" | "skip">): Promise<Html> {
  const rows = (await auditPage(db, PAGE_ROWS + 1, skip)).map(({ at, actor, action, subject }) => [
    time(at),
    nameText(actor),
    nameText(action),
    subject,
  ]);
  return pagedTable(
    { name: "skip", skip },
    "Audit log",
    ["When (UTC)", "Who", "What", "To what"],
    rows,
    "No entries yet.",
  );
}

/**
 * The sites with their tags.
 * @param address of the relay, as the tag names it
 * @param preview whether the chat's page has the same origin, so that a frame can show it
 */
export function siteList({ sites }: Pick<Deps, "sites">, address: string, preview: boolean): Html {
  return html`${sites.all.map(({ public: { id, title }, account, origins }) => {
    const page = `${preview ? "" : address}/c/${encodeURIComponent(id)}`;
    const script = id === "default" ? "widget.js" : `w/${id}.js`;
    return html`<section class="site"><h2>${title === "" ? id : html`${title} <span class="note">${id}</span>`}</h2>
<pre tabindex="0" role="region" aria-label="Tag of ${id}" data-copy="Copy the tag">${`<script async src="${address}/${script}" data-site="${id}"></script>`}</pre>
<p>Account ${account}. Pages that may open the chat: ${origins.length === 0 ? "only the relay's own" : origins.join(", ")}.
<a href="${page}/snippet">Settings of the tag</a> · <a href="${page}">The chat as a page</a></p>
${preview ? html`<details class="preview"><summary>Preview</summary><iframe src="${page}" loading="lazy" title="Chat of ${id}"></iframe></details>` : ""}</section>`;
  })}`;
}
