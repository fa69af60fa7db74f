import type { Message } from "@porchlight/shared/protocol";
import { MISSING_FILE_TEXT } from "../../base/missing-file.ts";
import type { Transaction } from "../../db/database.ts";
import { isOwnMessage } from "../../records/ledger/own-messages.ts";
import { describeFile, markMediaSent } from "../../records/media.ts";
import type { Sites } from "../../records/sites.ts";
import { appendReplies, createNumbers } from "../../records/threads.ts";
import { ensureVisitorRows, setContact, type VisitorRow } from "../../records/visitors.ts";
import type { StoreEvent } from "../webhooks.ts";
import { REPEAT_MS } from "./duplicate-callbacks.ts";
import type { Reply } from "./reply.ts";
import { destinationOf, ownersAndRows, type ReplyThread } from "./reply-destination.ts";

/** A reply to store. `file`: key of the file that came with it, once the file is stored. */
export type NewReply = { reply: Reply; file: string | undefined };
/** A reply and the thread that takes it. `i`: its position in the batch. */
type Placed = NewReply & ReplyThread & { i: number };
/** The outcome of one reply. `duplicate`: the thread has it already. `nobody`: no visitor of this relay has such a thread. */
export type StoredReply = { visitor: string; message: Message } | "duplicate" | "nobody";

type StoreDeps = { sites: Sites; storeEvent: StoreEvent };

/** The key of a reply among those of all accounts. */
export const externalOf = (account: string, { key }: Pick<Reply, "key">): string => `${account}:${key}`;

/** Appends replies to their visitors' threads, each once per key. @returns the outcome of each reply */
export async function storeReplies(
  deps: StoreDeps,
  tx: Transaction,
  replies: readonly NewReply[],
): Promise<StoredReply[]> {
  const { placed, visitorRows } = await place(deps, tx, replies);
  const fresh = await withoutOwnMessages(tx, placed, visitorRows);
  const numbers = createNumbers(visitorRows.values());
  const entries = await Promise.all(fresh.map((reply) => entryOf(tx, reply)));
  const written = await appendReplies(tx, numbers, entries);
  await numbers.write(tx);
  const stored = new Map<number, StoredReply>(placed.map(({ i }) => [i, "duplicate"]));
  for (const [at, { i, site, owner }] of fresh.entries()) {
    const message = written[at] ?? "nobody";
    stored.set(i, typeof message === "string" ? message : { visitor: owner, message });
    const entry = entries[at];
    if (typeof message === "string" || entry === undefined) continue;
    const { id, text, media } = entry;
    await deps.storeEvent(tx, site, "message.reply", {
      visitor: owner,
      id,
      text,
      ...(media && { file: describeFile(media) }),
    });
  }
  return replies.map((_, i) => stored.get(i) ?? "nobody");
}

/** Finds the thread of each reply, and makes rows for the owners that have none. Replies without a thread are left out. */
async function place({ sites }: StoreDeps, tx: Transaction, replies: readonly NewReply[]) {
  const ids = replies.map(({ reply }) => reply.visitor);
  const { owners, visitorRows: known } = await ownersAndRows(tx, ids);
  const placed = replies.flatMap(({ reply, file }, i): Placed[] => {
    const owner = owners.get(reply.visitor);
    const home = owner === undefined ? undefined : destinationOf(sites, known.get(owner), reply.named);
    return owner === undefined || home === undefined ? [] : [{ i, reply, file, owner, ...home }];
  });
  const visitors = placed.map(({ reply, owner, site }) => ({ id: owner, site, now: reply.at }));
  return { placed, visitorRows: await ensureVisitorRows(tx, visitors, known) };
}

/** Removes the owner's own messages that come back as callbacks. Stores the service's contact id of each visitor. */
async function withoutOwnMessages(
  tx: Transaction,
  placed: readonly Placed[],
  visitorRows: ReadonlyMap<string, VisitorRow>,
): Promise<Placed[]> {
  const fresh: Placed[] = [];
  for (const one of placed) {
    const { visitor, contact, text, at } = one.reply;
    const visitorRow = visitorRows.get(visitor);
    // Stored under the callback's own id: the service has a separate contact for the id before a login.
    if (contact !== null && visitorRow?.contact !== contact) await setContact(tx, visitor, contact);
    const external = externalOf(one.account, one.reply);
    // Only a visitor to whom the owner has written can get such a callback. For an id from before a login, no row tells this.
    const mayBeOwn = visitorRow === undefined || Boolean(visitorRow.written_to);
    if (!mayBeOwn || !(await isOwnMessage(tx, { visitor, external, text, now: at }))) fresh.push(one);
  }
  return fresh;
}

async function entryOf(tx: Transaction, { reply, file, owner, account }: Placed) {
  const media = file === undefined ? undefined : await markMediaSent(tx, file, owner);
  const lost = reply.file !== undefined && media === undefined ? MISSING_FILE_TEXT : "";
  const text = [reply.text, lost].filter((part) => part !== "").join("\n");
  const { id, at, bodyKey } = reply;
  const sameBody =
    bodyKey === undefined ? undefined : { prefix: externalOf(account, { key: bodyKey }), within: REPEAT_MS };
  return { visitor: owner, id, text, at, external: externalOf(account, reply), sameBody, media };
}
