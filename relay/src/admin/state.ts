import { html } from "hono/html";
import type { Clock } from "../base/clock.ts";
import type { Finding } from "../base/finding.ts";
import { cellWithCode, withCode } from "../base/with-code.ts";
import type { Database } from "../db/database.ts";
import { type Alert, alertsPage, openAlerts } from "../records/alerts.ts";
import { callbackFields } from "../records/callback-fields.ts";
import { type SeriesRow, STEPS, samplesBetween } from "../records/series.ts";
import { badge, type Html, idText, PAGE_ROWS, pagedTable, table, time } from "./html.ts";

/** Readers get the findings of an examination for this long, in milliseconds. */
const FINDINGS_MS = 10_000;

/**
 * Examines the relay once for all requests that arrive meanwhile, and for readers at most once in ten seconds: each examination
 * calls the service with the account's key (RELIABILITY A27).
 * @returns a function; its argument says whether the findings must be new
 */
export function shareExaminations({
  examine,
  clock,
}: {
  examine: () => Promise<Finding[]>;
  clock: Pick<Clock, "uptime">;
}): (fresh: boolean) => Promise<Finding[]> {
  let last: { findings: Promise<Finding[]>; ended: number | undefined } | undefined;
  return (fresh) => {
    const { ended } = last ?? {};
    const isOver = ended !== undefined && (fresh || clock.uptime() - ended >= FINDINGS_MS);
    if (last !== undefined && !isOver) return last.findings;
    const begun: typeof last = { findings: examine(), ended: undefined };
    last = begun;
    const end = (): void => {
      begun.ended = clock.uptime();
    };
    begun.findings.then(end, end);
    return begun.findings;
  };
}

/** The page with the findings of `porchlight doctor`, failed ones first. */
export function doctor(findings: readonly Finding[]): Html {
  const sorted = findings.toSorted((a, b) => Number(a.ok) - Number(b.ok));
  const bad = findings.filter(({ ok }) => !ok).length;
  return html`<p role="status" class="${bad === 0 ? "done" : "error"}">${bad === 0 ? "Everything that was checked is in order." : `${bad} of ${findings.length} checks failed.`}</p>
${table(
  "Checks",
  ["Result", "What", "Found", "What to do"],
  sorted.map(({ ok, check, found, cure }) => [
    badge(ok ? "ok" : "failed"),
    check,
    found,
    cure === undefined ? null : cellWithCode(cure),
  ]),
  "",
)}
<p class="note">The same as <code>porchlight doctor</code>, checked now. It asks the service with the account's key, and changes nothing.</p>`;
}

/** A page of all alerts of the last year. @param skip rows before the page */
export async function alerts(db: Database, skip: number): Promise<Html> {
  const rows = (await alertsPage(db, { limit: PAGE_ROWS + 1, skip })).map(
    ({ kind, subject, since, ended, problem }) => [
      badge(ended === null ? "open" : "over"),
      kind,
      subject || null,
      problem,
      time(since),
      ended === null ? null : time(ended),
    ],
  );
  const headings = ["State", "Kind", "Of", "Problem", "Since (UTC)", "Until (UTC)"];
  return pagedTable(
    { name: "skip", skip },
    "Alerts",
    headings,
    rows,
    "No alerts yet. A problem that needs attention appears here, and at the top of the overview.",
  );
}

/** The page on which an alert of each kind is dealt with: its path and its name in the navigation. */
const PLACES: Record<string, readonly [path: string, name: string]> = {
  failures: ["/admin/deliveries", "Deliveries"],
  ledger: ["/admin/ledger", "Ledger"],
  budget: ["/admin/conversations", "Conversations"],
  webhook: ["/admin/webhooks", "Webhooks"],
};
const DOCTOR = ["/admin/doctor", "Doctor"] as const;

function openProblem({ kind, problem, cure, since }: Alert): Html {
  const [path, name] = PLACES[kind] ?? DOCTOR;
  return html`<li><p>${problem} ${withCode(cure)}</p><p><a href="${path}">${name}</a> <span class="note">since ${time(since)} UTC</span></p></li>`;
}

/** No alert can be stored while the database accepts no writes, so the overview checks this itself. */
const NO_WRITES = html`<li><p>The database accepts no writes. Visitors see that their new messages wait: these stay in their browsers. Make room on its disk, and check that it can be reached and written.</p><p><a href="${DOCTOR[0]}">${DOCTOR[1]}</a> <span class="note">now</span></p></li>`;

/**
 * The present problems, for the top of the overview, each with the page on which it is dealt with: the open alerts, and a
 * database that accepts no writes.
 */
export async function openProblems(db: Database, takesWrites: boolean): Promise<Html | ""> {
  const open = await openAlerts(db);
  if (takesWrites && open.length === 0) return "";
  return html`<div class="problems"><h2>Needs attention</h2><ul>${takesWrites ? "" : NO_WRITES}${open.map(openProblem)}</ul><p><a href="/admin/alerts">All alerts</a></p></div>`;
}

/** The page of the fields of the service's callbacks, and when each was first seen. */
export async function callbacks(db: Database): Promise<Html> {
  const rows = (await callbackFields(db)).map(({ kind, field, type, at }) => [
    kind,
    html`<code class="name">${field}</code>`,
    type,
    time(at),
  ]);
  return html`${table("Fields of callbacks", ["Callback", "Field", "Type", "First seen (UTC)"], rows, "No callbacks yet. When the first reply of the service arrives, the names of its fields appear here.")}
<p class="note">Names only, never values. A field that appears later than the others is one that the service has added.</p>`;
}

/** A node counts as running if it wrote a row of the series within this time, in milliseconds. */
const NODE_MS = 3 * 60_000;

type Node = { node: string; at: number; host?: string; pid?: number; connections: number };

/** The running nodes of this database, each with its newest row. @param own the row of this node; on SQLite there is no other */
export async function runningNodes(db: Database, now: number, own: SeriesRow): Promise<Node[]> {
  const others = db.dialect === "sqlite" ? [] : await samplesBetween(db, STEPS.minute, now - NODE_MS, now + NODE_MS);
  const newest = new Map([...others, own].map((row) => [row.node, row]));
  return [...newest.values()].map(({ node, at, body }) => ({
    ...(JSON.parse(body) as Omit<Node, "node" | "at">),
    node,
    at,
  }));
}

/** The table of the running nodes. */
export const nodeTable = (nodes: readonly Node[]): Html =>
  table(
    "Nodes",
    ["Machine", "Process", "Node", "Open chats", "Last minute (UTC)"],
    nodes.map(({ node, at, host = null, pid, connections }) => [
      ...[host, pid === undefined ? null : String(pid), idText(node)],
      ...[connections, time(at)],
    ]),
    "",
  );
