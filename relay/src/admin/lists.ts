import { html } from "hono/html";
import { TABLE } from "../base/settings/table.ts";
import type { Database } from "../db/database.ts";
import { blocksPage } from "../records/blocks.ts";
import { eventsPage } from "../records/events.ts";
import { leadsPage } from "../records/leads.ts";
import { auditPage } from "../records/operators.ts";
import { newestMails } from "../records/search.ts";
import type { Sites } from "../records/sites.ts";
import { conversationPath } from "./conversations.ts";
import { badge, type Cell, type Html, table, time } from "./html.ts";

/** Rows of each list: the newest. */
const ROWS = 100;

type Deps = { db: Database; sites: Sites };

/** Rows of every site, with the site's id behind each. */
async function ofSites({ sites }: Deps, read: (site: string) => Promise<Cell[][]>): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const {
    public: { id },
  } of sites.all)
    rows.push(...(await read(id)).map((row) => [...row, id]));
  return rows;
}

const visitorLink = (visitor: string | null): Cell =>
  visitor === null ? null : html`<a class="id" href="${conversationPath(visitor)}">${visitor}</a>`;

export async function leads(deps: Deps): Promise<Html> {
  const rows = await ofSites(deps, async (site) =>
    (await leadsPage(deps.db, { site, limit: ROWS })).map((lead) => [
      time(lead.at),
      [lead.firstName, lead.lastName].filter((part) => part !== null).join(" ") || null,
      lead.email,
      lead.phone,
      badge(lead.state),
      lead.problem,
      visitorLink(lead.visitor),
    ]),
  );
  return table(
    "Leads",
    ["When", "Name", "E-mail", "Phone", "State", "Problem", "Visitor", "Site"],
    rows,
    "Nobody left their details yet.",
  );
}

export async function mails(deps: Deps): Promise<Html> {
  const rows = await ofSites(deps, async (site) =>
    (await newestMails(deps.db, site, ROWS)).map(({ visitor, kind, address, state, attempts, problem, at }) => [
      ...[time(at), kind, address, badge(state), attempts, problem],
      visitorLink(visitor),
    ]),
  );
  return table(
    "Mails",
    ["When", "Kind", "To", "State", "Tries", "Problem", "Visitor", "Site"],
    rows,
    "No mails within the last weeks.",
  );
}

export async function webhooks(deps: Deps): Promise<Html> {
  const rows = await ofSites(deps, async (site) =>
    (await eventsPage(deps.db, { site, limit: ROWS })).map(({ id, at, type, state, attempts, status, problem }) => [
      ...[time(at), type, badge(state), attempts, status, problem],
      html`<span class="id">${id}</span>`,
    ]),
  );
  return table(
    "Webhooks",
    ["When", "Event", "State", "Tries", "Status", "Problem", "Id", "Site"],
    rows,
    "Your webhook was told nothing yet.",
  );
}

export async function blocks(deps: Deps): Promise<Html> {
  const rows = await ofSites(deps, async (site) =>
    (await blocksPage(deps.db, { site, limit: ROWS })).map(({ value, reason, actor, at }) => [
      time(at),
      value,
      reason,
      actor,
    ]),
  );
  return table("Blocks", ["Since", "Whom", "Reason", "By", "Site"], rows, "Nobody is blocked.");
}

export async function audit({ db }: Deps): Promise<Html> {
  const rows = (await auditPage(db, ROWS)).map(({ at, actor, action, subject }) => [time(at), actor, action, subject]);
  return table("Audit log", ["When", "Who", "What", "To what"], rows, "No operator did anything here yet.");
}

/** The sites with their tags. @param address of the relay, for people to read */
export function siteList({ sites }: Deps, address: string): Html {
  return html`${sites.all.map(({ public: { id, title }, account, origins }) => {
    const script = id === "default" ? "widget.js" : `w/${id}.js`;
    return html`<section><h2>${title === "" ? id : title}</h2>
<pre tabindex="0" aria-label="Tag of ${id}">${`<script async src="${address}/${script}" data-site="${id}"></script>`}</pre>
<p>Account ${account}. Pages that may open it: ${origins.length === 0 ? "only the relay's own" : origins.join(", ")}.
<a href="/c/${encodeURIComponent(id)}/snippet">Settings of the tag</a> · <a href="/c/${encodeURIComponent(id)}">The chat as a page</a></p></section>`;
  })}`;
}

/** Settings whose values are secrets, or addresses that may hold a password. */
const SECRET = /KEY|SECRET|TOKEN|_URL$|SMTP|MAIL/;

/** The settings in force and where each came from. @param env the environment of the process */
export function settingsList(env: Readonly<Record<string, string | undefined>>): Html {
  const rows = Object.values<{ env: string; fallback: string; help: string }>(TABLE).map(
    ({ env: name, fallback, help }) => {
      const set = env[name] !== undefined && env[name] !== "";
      const value = set ? (SECRET.test(name) ? "set; not shown" : (env[name] ?? "")) : fallback;
      return [
        html`<code class="name">${name}</code>`,
        value === "" ? "–" : value,
        set ? "environment" : "default",
        help,
      ];
    },
  );
  return table("Settings", ["Setting", "Value", "From", "What it is"], rows, "");
}
