import { html } from "hono/html";
import type { Database } from "../db/database.ts";
import { contentOf, GRANT_STATES } from "../records/ledger/grants.ts";
import {
  findEntry,
  historyOf,
  type LedgerEntry,
  type LedgerKind,
  type LedgerState,
  type LedgerStep,
} from "../records/ledger/ledger.ts";
import { SENT_STATES, sentContent } from "../records/ledger/own-messages.ts";
import { replyWithId } from "../records/search.ts";
import { badge, type Cell, count, facts, type Html, idText, sentBadge, time } from "./html.ts";
import { type JourneyStep, stepList } from "./journey-steps.ts";
import { conversationPath, messagePath } from "./paths.ts";
import { sees, type Viewer } from "./viewer.ts";

type EntryName = Pick<LedgerEntry, "kind" | "account" | "key">;

/** Whether a viewer may see an entry. A grant belongs to an account, which may serve several sites. */
export const seesEntry = (viewer: Viewer, entry: LedgerEntry): boolean =>
  viewer.site === null || (entry.kind === "send" && sees(viewer, sentContent(entry).site));

const NAMES: Record<LedgerKind, Record<LedgerState, string>> = {
  send: {
    received: "Received from your backend",
    intent: "Stored durably by the relay, to be sent",
    calling: "Sent to the service",
    done: "Accepted by the service",
    unknown: "Outcome unknown",
    refused: "Refused by the service",
    dismissed: "Dismissed",
  },
  grant: {
    received: "Stored durably by the relay",
    intent: "To be granted",
    calling: "Sent to the service",
    done: "Granted by the service",
    unknown: "Outcome unknown",
    refused: "Refused by the service",
    dismissed: "Dismissed",
  },
};

const BAD: readonly LedgerState[] = ["unknown", "refused", "dismissed"];

/** The steps of an entry, with the service's answer or the decision's reason, and with the person or program that decided. */
export async function entrySteps(db: Database, entry: LedgerEntry): Promise<JourneyStep[]> {
  const steps = await historyOf(db, entry);
  const relays = new Set(steps.flatMap(({ state, actor }) => (state === "calling" ? [actor] : [])));
  return steps.map(({ state, at, actor, reason }, n): JourneyStep => {
    const before: LedgerStep | undefined = steps[n - 1];
    const isRefused = state === "intent" && before?.state === "calling";
    const isStillWaiting = state === "received" && before !== undefined;
    const name = isRefused ? "Not accepted; sent again later" : isStillWaiting ? "Waits" : NAMES[entry.kind][state];
    const parts = [reason, relays.has(actor) ? null : `By ${actor}`].filter((part) => part !== null);
    return {
      name,
      at,
      ...(parts.length > 0 && { note: parts.join(" · ") }),
      ...((isRefused || BAD.includes(state)) && { kind: "bad" as const }),
    };
  });
}

/** Says where a person decides, by kind of entry. */
const DECIDED: Record<LedgerKind, Html> = {
  grant: html`An admin decides on the page <a href="/admin/ledger">Ledger</a>.`,
  send: html`<code>porchlight send resolve</code> records the outcome.`,
};

/** What comes next for an entry that is not settled. */
function nextStep({ kind, state, due }: LedgerEntry): JourneyStep[] {
  if (state === "intent")
    return [{ name: "Waits for its call", at: null, kind: "open", note: html`Not before ${time(due)}.` }];
  if (state === "calling") return [{ name: "Waits for the service's answer", at: null, kind: "open" }];
  if (state === "unknown" || (kind === "grant" && (state === "received" || state === "refused")))
    return [{ name: "Waits for a person's decision", at: null, kind: "open", note: DECIDED[kind] }];
  return [];
}

/** The path of the conversation's message that shows a sent message; undefined while none shows it. */
export async function shownMessagePath(
  db: Database,
  { shown }: Pick<LedgerEntry, "shown">,
): Promise<string | undefined> {
  const [message] = shown === null ? [] : await replyWithId(db, shown);
  return message && messagePath(message.visitor, message.id);
}

async function sentFacts(db: Database, entry: LedgerEntry): Promise<[string, Cell][]> {
  const { text, site } = sentContent(entry);
  const path = await shownMessagePath(db, entry);
  return [
    ["State", sentBadge(SENT_STATES[entry.state])],
    ["Text", text],
    ["Conversation", html`<a href="${conversationPath(entry.lane)}">${idText(entry.lane)}</a>`],
    ["In the conversation", path === undefined ? null : html`<a href="${path}">as this message</a>`],
    ["Site", site],
  ];
}

function grantFacts(entry: LedgerEntry): [string, Cell][] {
  const { email, amount, note } = contentOf(entry);
  return [
    ["State", badge(GRANT_STATES[entry.state])],
    ["Sub-account", email ?? null],
    ["Credits", amount === undefined ? null : count(amount)],
    ["Note", note],
  ];
}

/**
 * The page of a credit grant, or of a message of the owner's backend, with every step of its journey.
 * @returns undefined when there is no such entry, or the viewer may not see it
 */
export async function ledgerEntry(db: Database, name: EntryName, viewer: Viewer): Promise<Html | undefined> {
  const entry = await findEntry(db, name);
  if (entry === undefined || !seesEntry(viewer, entry)) return undefined;
  const own = entry.kind === "send" ? await sentFacts(db, entry) : grantFacts(entry);
  return html`${facts([
    ["Kind", entry.kind === "send" ? "message of your backend" : "credit grant"],
    ["Key", html`<span class="id">${entry.key}</span>`],
    ...own,
    ["Account", entry.account],
  ])}
<h2>Journey <span class="note">times in UTC</span></h2>
${stepList([...(await entrySteps(db, entry)), ...nextStep(entry)])}`;
}
