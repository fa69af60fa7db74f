import { html } from "hono/html";
import type { Settings } from "../base/config.ts";
import { withCode } from "../base/with-code.ts";
import type { Database } from "../db/database.ts";
import type { Credits } from "../flows/credits/credits.ts";
import { contentOf, GRANT_STATES } from "../records/ledger/grants.ts";
import { entriesPage, type LedgerEntry } from "../records/ledger/ledger.ts";
import { SENT_STATES, sentContent } from "../records/ledger/own-messages.ts";
import {
  badge,
  brief,
  type Cell,
  type Html,
  idText,
  lineText,
  outcomeLine,
  pagedTable,
  sentBadge,
  table,
  time,
  tokenField,
  wholeAddress,
  wholeText,
} from "./html.ts";
import { entryPath } from "./paths.ts";
import { type ListPart, mergedPage } from "./reads.ts";

/** Most entries that wait for a decision, of one account and state. */
const DECIDE_MAX = 1_000;

type Deps = {
  db: Database;
  settings: Pick<Settings, "accounts">;
  credits: Pick<Credits, "approve" | "dismiss" | "resolve">;
};

/** The decisions that each state allows, with the labels of their buttons. */
const DECISIONS: Partial<Record<LedgerEntry["state"], readonly (readonly [string, string])[]>> = {
  received: [
    ["approve", "Approve"],
    ["dismiss", "Dismiss"],
  ],
  refused: [
    ["approve", "Grant again"],
    ["dismiss", "Dismiss"],
  ],
  unknown: [
    ["granted", "It was granted"],
    ["not granted", "It was not granted"],
  ],
};

const OUTCOMES: Record<string, string> = {
  done: "Recorded",
  missing: "No such entry",
  wrong_state: "The entry's state no longer allows this",
  incomplete: "Sub-account or amount is missing: use `porchlight credits approve` with `--email` or `--amount`",
  amount: "The amount exceeds perGrant of the account",
  email: "The email address is invalid",
  reason: "A reason is needed",
};

/** The form of an entry that waits for a person. */
function decisionForm({ account, key, state }: LedgerEntry, token: string): Cell {
  const choices = DECISIONS[state];
  if (choices === undefined) return null;
  return html`<form class="decide" method="post" action="/admin/ledger/decide">${tokenField(token)}
<input type="hidden" name="account" value="${account}"><input type="hidden" name="key" value="${key}">
<label class="hidden" for="why ${key}">Reason for ${key}</label><input id="why ${key}" name="reason" placeholder="Your reason" required maxlength="200">
${choices.map(([value, words]) => html`<button name="decision" value="${value}">${words}</button>`)}</form>`;
}

/** A page of the entries of all accounts, newest first, and one entry more if another page follows. */
function newest({ db, settings }: Deps, kind: "grant" | "send", skip: number): Promise<LedgerEntry[]> {
  const lists = settings.accounts.map(
    ({ id: account }) =>
      ({ after, ...part }: ListPart<LedgerEntry>): Promise<LedgerEntry[]> =>
        entriesPage(db, { kind, account, ...part, ...(after && { before: after }) }),
  );
  return mergedPage(lists, ({ created }) => created, skip);
}

/** The grants that wait for a person, the oldest first. */
async function undecided({ db, settings }: Deps): Promise<LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  for (const { id: account } of settings.accounts)
    for (const state of Object.keys(DECISIONS) as LedgerEntry["state"][])
      found.push(...(await entriesPage(db, { kind: "grant", account, state, limit: DECIDE_MAX })));
  return found.sort((a, b) => a.created - b.created);
}

function grantRow(entry: LedgerEntry, token: string | undefined): Cell[] {
  const { email, amount } = contentOf(entry);
  return [
    time(entry.created),
    html`<a href="${entryPath(entry)}">${wholeText(entry.key)}</a>`,
    badge(GRANT_STATES[entry.state]),
    email === undefined ? null : wholeAddress(email),
    amount ?? null,
    entry.reason,
    ...(token === undefined ? [] : [decisionForm(entry, token)]),
    lineText(entry.account),
  ];
}

const sentRow = (entry: LedgerEntry): Cell[] => [
  time(entry.created),
  html`<a href="${entryPath(entry)}">${idText(entry.key)}</a>`,
  sentBadge(SENT_STATES[entry.state]),
  lineText(brief(sentContent(entry).text ?? "", 120)),
  entry.reason,
  lineText(entry.account),
];

/**
 * The page of credit grants with their approvals, and of the messages that the owner's backend sent. Grants that wait for a
 * decision come first, all of them.
 * @param token CSRF token of the forms; absent for a viewer who may not decide
 * @param query for each of the two lists, the number of entries before the page
 */
export async function ledger(
  deps: Deps,
  token: string | undefined,
  note: Html | "",
  query: { grants: number; messages: number },
): Promise<Html> {
  const open = await undecided(deps);
  const grants = (await newest(deps, "grant", query.grants)).map((entry) => grantRow(entry, undefined));
  const sent = (await newest(deps, "send", query.messages)).map(sentRow);
  const account = deps.settings.accounts.length > 1 ? ["Account"] : [];
  const headings = (...decision: string[]): string[] => [
    ...["When (UTC)", "Key", "State", "Sub-account", "Credits", "Reason", ...decision, ...account],
  ];
  const decisions = html`<h2>Waiting for a decision</h2>
${table(
  "Waiting for a decision",
  headings(...(token === undefined ? [] : ["Decision"])),
  open.map((entry) => grantRow(entry, token)),
  "",
)}`;
  return html`${note}
${open.length === 0 ? "" : decisions}
<h2>Credit grants</h2>
${pagedTable({ name: "grants", skip: query.grants, query }, "Credit grants", headings(), grants, "No credit grants yet. Each recharge that the service reports and each grant of your backend appears here.")}
<h2>Messages of your backend</h2>
${pagedTable({ name: "messages", skip: query.messages, query }, "Messages of your backend", ["When (UTC)", "Key", "State", "Text", "Reason", ...account], sent, "Your backend has sent no messages yet. Each message that it sends over the API appears here.")}
<p class="note">A call with an unknown outcome is never repeated automatically. Search the service for its key, and enter the outcome: for a grant on this page, for a message with <code>porchlight send resolve</code>.</p>`;
}

/** What the page says about the outcome of a decision. */
export const outcomeNote = (outcome: string | undefined, key = ""): Html | "" =>
  outcome === undefined
    ? ""
    : outcomeLine(outcome === "done", html`${withCode(OUTCOMES[outcome] ?? "Not done")}: ${key}.`);

/** Carries out a decision of the ledger's form. @returns `outcome`: a key of `OUTCOMES` */
export async function decide(
  { credits }: Deps,
  form: URLSearchParams,
  actor: string,
): Promise<{ outcome: string; key: string; decision: string }> {
  const field = (name: string): string => (form.get(name) ?? "").trim().slice(0, 200);
  const [account, key, decision, reason] = [field("account"), field("key"), field("decision"), field("reason")];
  if (reason === "") return { outcome: "reason", key, decision };
  const given = { account, key, actor, reason };
  const result = await (decision === "approve"
    ? credits.approve(given)
    : decision === "dismiss"
      ? credits.dismiss(given)
      : credits.resolve({ ...given, granted: decision === "granted" }));
  return { outcome: typeof result === "string" ? result : "done", key, decision };
}
