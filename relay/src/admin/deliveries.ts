import { html } from "hono/html";
import type { Clock } from "../base/clock.ts";
import type { Database } from "../db/database.ts";
import type { Send } from "../flows/send/send.ts";
import { type DeliveryRow, deliveriesPage } from "../records/listings.ts";
import { addAudit } from "../records/operators.ts";
import type { Sites } from "../records/sites.ts";
import { findVisitor } from "../records/visitors.ts";
import { conversationPath, messagePath } from "./conversations.ts";
import { badge, type Html, table, time, tokenField } from "./html.ts";

/** Messages on one page. */
const PAGE = 100;

const row = (site: string, { visitor, id, state, attempts, due, reason, error }: DeliveryRow) => [
  state === "failed"
    ? html`<input type="checkbox" name="item" value="${visitor} ${id}" aria-label="Choose message ${id}">`
    : "",
  html`<a class="id" href="${messagePath(visitor, id)}">${id}</a>`,
  badge(state),
  attempts,
  due === null ? null : time(due),
  [reason, error].filter((part) => part !== null).join(": ") || null,
  html`<a class="id" href="${conversationPath(visitor)}">${visitor}</a>`,
  site,
];

/** Messages that the service has not taken: failed ones first, with Retry. */
export async function deliveries(
  { db, sites }: { db: Database; sites: Sites },
  { token, note }: { token: string; note: string },
): Promise<Html> {
  const rows = [];
  for (const state of ["failed", "waiting"] as const)
    for (const {
      public: { id },
    } of sites.all)
      rows.push(...(await deliveriesPage(db, { site: id, state, limit: PAGE })).map((each) => row(id, each)));
  const shown = rows.slice(0, PAGE);
  return html`${note === "" ? "" : html`<p role="status">${note}</p>`}
<form method="post" action="/admin/deliveries/retry">${tokenField(token)}
${table("Deliveries", ["Choose", "Message", "State", "Tries", "Next try", "Last error", "Visitor", "Site"], shown, "Nothing waits, and nothing failed.")}
${shown.length === 0 ? "" : html`<p><button class="main">Retry the chosen</button> <button name="all" value="1">Retry all failed</button></p>`}</form>
${rows.length > PAGE ? html`<p>There are more: these are the first ${PAGE}.</p>` : ""}`;
}

type Deps = { db: Database; clock: Clock; sites: Sites; send: Pick<Send, "retry"> };

/** Starts failed messages anew. @param items visitor and message, separated by a space. @returns how many went */
export async function retryAll(
  { db, clock, sites, send }: Deps,
  items: readonly string[],
  actor: string,
): Promise<number> {
  let count = 0;
  for (const item of items) {
    const [visitor = "", id = ""] = item.split(" ");
    const site = sites.find((await findVisitor(db, visitor))?.site ?? "");
    if (site === undefined || (await send.retry(visitor, site, id)) === undefined) continue;
    count++;
    const entry = { at: clock.now(), actor, action: "retry message", subject: `${visitor} ${id}` };
    await db.transaction((tx) => addAudit(tx, entry), [visitor]);
  }
  return count;
}

/** Every failed message, as the form names them; at most 1,000 at once. */
export async function failedItems({ db, sites }: { db: Database; sites: Sites }): Promise<string[]> {
  const items: string[] = [];
  for (const {
    public: { id },
  } of sites.all)
    for (const { visitor, id: message } of await deliveriesPage(db, { site: id, state: "failed", limit: 1_000 }))
      items.push(`${visitor} ${message}`);
  return items.slice(0, 1_000);
}
