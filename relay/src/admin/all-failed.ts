import { html } from "hono/html";
import type { Database } from "../db/database.ts";
import { type DeliveryRow, deliveriesPage } from "../records/listings.ts";
import type { Sites } from "../records/sites.ts";
import { brief, count, type Html, messageCount, skipOf, table, tokenField } from "./html.ts";

/** What a form does with failed messages. */
export type Action = "retry" | "discard";

/** Most messages that "Retry all" and "Discard all" change at once. */
const ALL_MAX = 1_000;
/** Most reasons that the confirmation page lists; the most frequent ones. */
const REASONS_SHOWN = 10;

type Deps = { db: Database; sites: Sites };

/** The failed messages of these sites, at most `max`. */
async function allFailed({ db, sites }: Deps, max: number): Promise<DeliveryRow[]> {
  const all: DeliveryRow[] = [];
  for (const { public: site } of sites.all)
    if (all.length < max)
      all.push(...(await deliveriesPage(db, { site: site.id, state: "failed", limit: max - all.length })));
  return all;
}

/**
 * The messages that a form names, as "visitor message". With `all`: as many failed messages as the confirmation page counted,
 * even if more have failed since.
 */
export async function itemsOf(deps: Deps, form: URLSearchParams): Promise<string[]> {
  if (!form.has("all")) return form.getAll("item");
  const confirmed = Math.min(skipOf(form.get("all") ?? undefined), ALL_MAX);
  return (await allFailed(deps, confirmed)).map(({ visitor, id }) => `${visitor} ${id}`);
}

/** How many messages failed for each reason, most frequent first. */
function reasonsOf(failed: readonly DeliveryRow[]): Html {
  const groups = Map.groupBy(failed, ({ reason, error }) =>
    brief([reason, error].filter((part) => part !== null).join(": ") || "unknown", 200),
  );
  const rows = [...groups].map(([reason, { length }]) => [reason, length] as const).sort(([, a], [, b]) => b - a);
  const more = rows.length - REASONS_SHOWN;
  return html`${table("Why they failed", ["Why they failed", "Messages"], rows.slice(0, REASONS_SHOWN), "")}
${more > 0 ? html`<p class="note">and ${count(more)} further ${more === 1 ? "reason" : "reasons"}</p>` : ""}`;
}

/** The consequences of each action, and the label of its button. */
const WORDS: Record<Action, { ask: (n: number) => string; button: (n: number) => string; note: string }> = {
  retry: {
    ask: (n) => `Send ${messageCount(n)} to the service again?`,
    button: (n) => `Send ${messageCount(n)} again`,
    note: "Each of them can cost money: the service may charge for it, and its bot may answer. A message that the service refused is usually refused again until the reason is corrected.",
  },
  discard: {
    ask: (n) => `Take ${messageCount(n)} off the list?`,
    button: (n) => `Discard ${messageCount(n)}`,
    note: "The visitors still see that these messages were not sent. Each can still be sent again on its own page.",
  },
};

/** Asks to confirm that all failed messages are sent again or discarded. @param token absent for a viewer who may do neither */
export async function confirmation(deps: Deps, action: Action, token: string | undefined): Promise<Html> {
  const failed = await allFailed(deps, ALL_MAX);
  const back = html`<a href="/admin/deliveries">Back to Deliveries</a>`;
  if (failed.length === 0) return html`<p class="empty">No message has failed. ${back}</p>`;
  const { ask, button, note } = WORDS[action];
  const most = failed.length === ALL_MAX ? html` ${count(ALL_MAX)} is the most at once; the list may have more.` : "";
  const form =
    token === undefined
      ? html`<p>Only an admin can do this. ${back}</p>`
      : html`<form method="post" action="/admin/deliveries/${action}">${tokenField(token)}<p class="actions"><button class="main" name="all" value="${failed.length}">${button(failed.length)}</button> <a class="button" href="/admin/deliveries">Cancel</a></p></form>`;
  return html`<p class="ask">${ask(failed.length)}</p>
<p class="consequences">${note}${most}</p>
${form}
${reasonsOf(failed)}`;
}
