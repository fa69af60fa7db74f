import type { Site } from "../../base/config.ts";
import { campaignFor, isChoice, type Situation } from "../../base/routes.ts";
import type { Transaction } from "../../db/database.ts";
import { describeFile, type MediaRow, markMediaSent } from "../../records/media.ts";
import { addOutboxEntries, type LaneHead, type OutboxEntry } from "../../records/outbox.ts";
import { setPage } from "../../records/profiles.ts";
import { appendSent, createNumbers, NO_FILE, type WrittenMessage } from "../../records/threads.ts";
import { ensureVisitorRows, routingOf, setCampaign, type VisitorRow } from "../../records/visitors.ts";
import { type ArrivedDraft, type Draft, type DraftOutcome, dueFor, newEntry, type SendState } from "./state.ts";

type StoredItem = { item: ArrivedDraft; written: WrittenMessage; visitorRow: VisitorRow; media: MediaRow | undefined };

/** The budget of the next days is used up. Thrown, so that the transaction writes nothing. */
export class BudgetUsedUp extends Error {}

/** Writes messages of many visitors into their threads and into the outbox. */
export async function writeItems(
  state: SendState,
  tx: Transaction,
  items: readonly ArrivedDraft[],
): Promise<DraftOutcome[]> {
  const visitorRows = await ensureVisitorRows(
    tx,
    items.map(({ visitor, site, at }) => ({ id: visitor, site: site.public.id, now: at })),
  );
  const files = await filesOf(tx, items);
  const known = items.filter((_, i) => files[i] !== "unknown_media");
  const media = files.filter((file) => file !== "unknown_media");
  const numbers = createNumbers(visitorRows.values());
  const written = await appendSent(
    tx,
    numbers,
    known.map((item, i) => rowOf(item, media[i])),
  );
  await numbers.write(tx);
  const entries: OutboxEntry[] = [];
  const outcomes = new Map<ArrivedDraft, DraftOutcome>();
  for (const [i, item] of known.entries()) {
    const row = written[i];
    const visitorRow = visitorRows.get(item.visitor);
    if (row === undefined || visitorRow === undefined) outcomes.set(item, "gone");
    else if (!row.fresh) outcomes.set(item, row);
    else outcomes.set(item, await addToOutbox(state, tx, { item, written: row, visitorRow, media: media[i] }, entries));
  }
  await addOutboxEntries(tx, entries);
  return items.map((item) => outcomes.get(item) ?? "unknown_media");
}

/** A message as it is stored. */
const rowOf = ({ visitor, draft, at, sid }: ArrivedDraft, media: MediaRow | undefined) => {
  const { id, text } = draft;
  return { visitor, id, text, at, sid, typed: typedAt(draft, at), media };
};

/** When a message was written, in milliseconds since 1970 by the relay's clock; undefined when the client does not say. */
const typedAt = ({ age }: Draft, at: number): number | undefined =>
  age === undefined || age < 0 || age >= at ? undefined : at - age;

/** The files of messages; undefined for a message without a file. */
async function filesOf(
  tx: Transaction,
  items: readonly ArrivedDraft[],
): Promise<(MediaRow | undefined | "unknown_media")[]> {
  const files: (MediaRow | undefined | "unknown_media")[] = [];
  for (const { visitor, draft } of items)
    files.push(
      draft.media === undefined ? undefined : ((await markMediaSent(tx, draft.media, visitor)) ?? "unknown_media"),
    );
  return files;
}

/**
 * Adds a written message to `entries`, the new entries of the outbox. Chooses its campaign, and stores the visitor's page and
 * the event for the owner's backend.
 * @throws BudgetUsedUp
 */
async function addToOutbox(
  state: SendState,
  tx: Transaction,
  stored: StoredItem,
  entries: OutboxEntry[],
): Promise<DraftOutcome> {
  const { item, written, visitorRow, media } = stored;
  const { visitor, site, draft, at } = item;
  const { id, text, page } = draft;
  const due = await dueFor(state.deps, tx, site, at);
  if (due === undefined) throw new BudgetUsedUp();
  const { pos } = written.message;
  const added = newEntry(state, visitor, site, pos, pos, due);
  entries.push(added);
  const routed = site.routes !== undefined && site.routes.length > 0;
  if (routed) await route(tx, visitor, site, draft.situation);
  if (page !== undefined && (page.url !== visitorRow.page || page.title !== visitorRow.page_title))
    await setPage(tx, visitor, page);
  const file = media && { file: describeFile(media) };
  await state.deps.storeEvent(tx, site.public.id, "message.visitor", { visitor, id, text, ...file });
  // A message that already waits in the lane goes first; the courier reads it from the outbox.
  const isNext = visitorRow.waiting === null;
  visitorRow.waiting ??= pos;
  return { ...written, due, head: routed || !isNext ? undefined : headFrom(stored, added) };
}

/** The outbox entry with the message's contents, as the courier would read it. */
function headFrom({ item, visitorRow, media }: StoredItem, added: OutboxEntry): LaneHead {
  const { visitor, draft, at, sid } = item;
  const { site, campaign, has_unsent_details } = visitorRow;
  const message = { id: draft.id, at, text: draft.text, sid, error: null };
  return { ...added, ...message, site, sender: visitor, campaign, has_unsent_details, ...(media ?? NO_FILE) };
}

/**
 * Chooses the campaign that answers, once per conversation: a later change would confuse both sides (C7). Only the visitor's
 * own choice of a topic or a person changes it.
 */
async function route(tx: Transaction, visitor: string, site: Site, situation: Situation = {}): Promise<void> {
  if (site.routes === undefined || site.routes.length === 0) return;
  const row = await routingOf(tx, visitor);
  if (row === undefined || (row.campaign !== null && !isChoice(site.routes, situation))) return;
  const claims = row.claims === null ? {} : (JSON.parse(row.claims) as Record<string, unknown>);
  await setCampaign(tx, visitor, campaignFor(site.routes, site.campaign, { ...situation, claims }) ?? "");
}
