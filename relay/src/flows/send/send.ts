import { EMOJI_MAX } from "@porchlight/shared/limits";
import type { Message } from "@porchlight/shared/protocol";
import type { Site } from "../../base/config.ts";
import type { Transaction } from "../../db/database.ts";
import { addOutboxEntry } from "../../records/outbox.ts";
import { takeToday } from "../../records/quotas.ts";
import {
  findReply,
  findSent,
  markMessage,
  renewSid,
  setReaction,
  sidAt,
  type WrittenMessage,
} from "../../records/threads.ts";
import { addTry, SENT_AGAIN } from "../../records/tries.ts";
import { release } from "./release.ts";
import { announce, type Draft, dueFor, newEntry, newSid, type SendDeps, type SendState, sidOf } from "./state.ts";
import { BudgetUsedUp, writeItems } from "./write.ts";

/** Stores what a visitor writes in thread and outbox, in one transaction, before anything is sent. */

/** One emoji, of any number of code points. */
const EMOJI = /^\p{RGI_Emoji}$/v;

/** What a visitor can do with messages and reactions. */
export type Send = {
  /**
   * Stores a visitor's message.
   * @returns the stored message; `fresh` is false when its id was known, and then nothing was written. `gone`: the visitor no
   * longer exists. `unknown_media`: the file is not theirs. `full`: the site's budget of the next days is used up; the client
   * keeps the message
   * @throws any error of the database; nothing was written in that case, and the client keeps the message
   */
  send: (visitor: string, site: Site, draft: Draft) => Promise<WrittenMessage | "gone" | "unknown_media" | "full">;
  /**
   * Sends a failed message again, at the end of the visitor's lane. A message that expired keeps its `messageSid`: the
   * service may have processed an attempt whose answer was lost.
   * @returns the message; undefined when none of this id has failed. `full`: the site's budget of the next days is used up, and
   * nothing was changed
   */
  retry: (visitor: string, site: Site, id: string) => Promise<Message | "full" | undefined>;
  /**
   * Stores the visitor's reaction to a reply. The service applies a reaction to the newest reply, and cannot remove one
   * . So only the newest reply can get a reaction, and only the relay knows of its removal.
   * A reaction costs as much as a message, so it counts in the site's daily budget. It cannot wait for another day, because
   * then its reply may no longer be the newest.
   * @param emoji one emoji; empty: remove the reaction
   * @returns why it was refused; undefined when it was stored or nothing changed. `full`: the day's budget is used up
   */
  react: (visitor: string, site: Site, id: string, emoji: string) => Promise<"not_allowed" | "full" | undefined>;
  /** Whether messages of a site wait for another day's budget. */
  isHeld: (site: string) => boolean;
  /** Lets messages that wait for another day leave as far as the sites' budgets allow now. The courier has to reread the outbox. */
  release: (sites: readonly Site[]) => Promise<void>;
};

type Optional = "storeEvent" | "onHeld" | "onReleased";

/** Creates the flow that stores what visitors send, and tells the courier about it. */
export function createSend(given: Omit<SendDeps, Optional> & Partial<Pick<SendDeps, Optional>>): Send {
  const deps = { storeEvent: async () => {}, onHeld: () => {}, onReleased: () => {}, ...given };
  const state: SendState = { deps, write: (tx, items) => writeItems(state, tx, items), held: new Map() };
  return {
    send: (visitor, site, draft) => sendDraft(state, visitor, site, draft),
    retry: (visitor, site, id) => retry(state, visitor, site, id),
    react: (visitor, site, id, emoji) => react(state, visitor, site, id, emoji),
    isHeld: (site) => (state.held.get(site) ?? 0) > deps.clock.now(),
    release: (sites) => release(state, sites),
  };
}

async function sendDraft(
  state: SendState,
  visitor: string,
  site: Site,
  draft: Draft,
): Promise<WrittenMessage | "gone" | "unknown_media" | "full"> {
  const { db, clock } = state.deps;
  const at = clock.now();
  const item = { visitor, site, draft, at, sid: sidOf(visitor, draft.id) };
  const written = await db.append(state.write, item, [visitor]).catch(fullOrThrow);
  if (typeof written === "string") return written;
  const { message, fresh, due = at, head } = written;
  if (due > at) hold(state, site, due);
  if (fresh) announce(state, visitor, site, { n: message.n, first: message.pos === 1, message, head });
  return { message, fresh };
}

function fullOrThrow(error: unknown): "full" {
  if (error instanceof BudgetUsedUp) return "full";
  throw error;
}

/** Records that messages of the site wait for a later day, and tells its visitors. */
function hold({ held, deps }: SendState, site: Site, until: number): void {
  const name = site.public.id;
  const midnight = Math.min(until, held.get(name) ?? until);
  if (held.get(name) === midnight) return;
  held.set(name, midnight);
  deps.onHeld(site, midnight);
}

async function retry(state: SendState, visitor: string, site: Site, id: string): ReturnType<Send["retry"]> {
  const { db, clock } = state.deps;
  const at = clock.now();
  const again = await db.transaction(
    async (tx) => {
      const message = await findSent(tx, visitor, id);
      if (message?.from !== "visitor" || message.state !== "failed") return undefined;
      const due = await dueFor(state.deps, tx, site, at);
      if (due === undefined) return "full" as const;
      const answer = `${SENT_AGAIN}${await sidAt(tx, visitor, message.pos)}`;
      await addTry(tx, visitor, message.pos, { at, answer });
      if (message.reason !== "expired") await renewSid(tx, visitor, message.pos, newSid());
      const n = await markMessage(tx, visitor, message.pos, "sent");
      if (n === undefined) return undefined;
      await addOutboxEntry(tx, newEntry(state, visitor, site, n, message.pos, due));
      return { n, message, due };
    },
    [visitor],
  );
  if (again === undefined || again === "full") return again;
  if (again.due > at) hold(state, site, again.due);
  announce(state, visitor, site, { n: again.n, first: false });
  return again.message;
}

async function react(
  state: SendState,
  visitor: string,
  site: Site,
  id: string,
  emoji: string,
): Promise<"not_allowed" | "full" | undefined> {
  if (emoji !== "" && (emoji.length > EMOJI_MAX || !EMOJI.test(emoji))) return "not_allowed";
  const written = await state.deps.db.transaction(
    (tx) => writeReaction(state, tx, { visitor, site, id, emoji }),
    [visitor],
  );
  if (typeof written === "string") return written;
  if (written.n !== undefined) announce(state, visitor, site, { n: written.n, first: false });
  return undefined;
}

/**
 * Writes a reaction.
 * @returns `n`: the thread's new number, undefined when nothing changed; or why the reaction was refused
 */
async function writeReaction(
  state: SendState,
  tx: Transaction,
  { visitor, site, id, emoji }: { visitor: string; site: Site; id: string; emoji: string },
): Promise<{ n: number | undefined } | "not_allowed" | "full"> {
  const reply = await findReply(tx, visitor, id);
  if (emoji === (reply?.reaction ?? "")) return { n: undefined };
  const now = state.deps.clock.now();
  if (reply === undefined || (emoji !== "" && !reply.newest)) return "not_allowed";
  if (emoji !== "") {
    const { messagesPerDay: perDay } = site;
    if (perDay !== undefined && !(await takeToday(tx, { site: site.public.id, perDay, now }))) return "full";
  }
  const n = await setReaction(tx, visitor, reply.pos, emoji === "" ? null : emoji);
  if (n === undefined) return { n };
  const added = newEntry(state, visitor, site, n, reply.pos, now);
  if (emoji !== "") await addOutboxEntry(tx, { ...added, reaction: emoji, reaction_sid: newSid() });
  return { n };
}
