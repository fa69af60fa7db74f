import { hash } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import type { Message } from "@porchlight/shared/protocol";
import type { Clock } from "../../base/clock.ts";
import type { Site } from "../../base/config.ts";
import type { Situation } from "../../base/routes.ts";
import type { Bus } from "../../bus/bus.ts";
import type { Batch, Database, Transaction } from "../../db/database.ts";
import type { LaneHead } from "../../records/outbox.ts";
import type { PageSeen } from "../../records/profiles.ts";
import { reserveMessage } from "../../records/quotas.ts";
import type { WrittenMessage } from "../../records/threads.ts";
import type { StoreEvent } from "../webhooks.ts";

/** What a visitor wrote: the client's id for it, the text, the key of its file, and when and where they wrote it. */
export type Draft = {
  id: string;
  text: string;
  media?: string | undefined;
  /** Milliseconds since it was written, as the client says; negative when that is wrong. */
  age?: number | undefined;
  situation?: Situation;
  page?: PageSeen | undefined;
};

/** A draft of a visitor, when it arrived, and its `messageSid`. */
export type ArrivedDraft = { visitor: string; site: Site; draft: Draft; at: number; sid: string };
/**
 * The outcome of an item. `due`: earliest time to send it, in ms since 1970. `head`: the message as the courier needs it, when
 * the batch knows all of that.
 */
export type DraftOutcome = (WrittenMessage & { due?: number; head?: LaneHead | undefined }) | "gone" | "unknown_media";
/** A change of a thread, for the visitor's tabs and the courier. */
export type ThreadChange = { n: number; first: boolean; message?: Message; head?: LaneHead | undefined };

/** What the flow works with. */
export type SendDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  /** Milliseconds until an undelivered message fails. */
  horizon: number;
  /** Tells the courier that a lane has something to deliver. */
  wake: (lane: { visitor: string; account: string; first: boolean; head?: LaneHead | undefined }) => void;
  /** Stores an event for the owner's backend. */
  storeEvent: StoreEvent;
  /** Called when a message of the site waits for a later day's budget. `until`: start of that day, in ms since 1970. */
  onHeld: (site: Site, until: number) => void;
  /** Called when no message of the site waits for a later day's budget any more, because the budget was raised or removed. */
  onReleased: (site: Site) => void;
};

/** The flow's dependencies, and what it keeps in memory. */
export type SendState = {
  deps: SendDeps;
  /** Writes items. Always the same function, so that the database groups its calls in one transaction. */
  write: Batch<ArrivedDraft, DraftOutcome>;
  /** Sites whose budget of the day is used up, and when the next budget begins (ms since 1970). */
  held: Map<string, number>;
};

/**
 * The `messageSid` of a message: a hash of the visitor's id and the client's id, which are unique together (R-224). A message
 * that is sent again after a restored backup therefore has the same sid, and the service recognises it.
 */
export const sidOf = (visitor: string, id: string): string =>
  `pl_${hash("sha256", `${visitor}\0${id}`, "base64url").slice(0, 26)}`;

/** A new `messageSid`. It is never used again, also not by another relay (R-224). */
export const newSid = (): string => `pl_${randomId(26)}`;

/** A new entry of the outbox. @param at earliest time to send it, in ms since 1970 */
export const newEntry = ({ deps }: SendState, visitor: string, site: Site, turn: number, pos: number, at: number) => ({
  visitor,
  turn,
  pos,
  account: site.account,
  attempts: 0,
  due: at,
  expires: at + deps.horizon,
  reaction: null,
  reaction_sid: null,
});

/** Tells the visitor's tabs and the courier what was written. */
export function announce(
  { deps }: SendState,
  visitor: string,
  site: Site,
  { n, first, message, head }: ThreadChange,
): void {
  deps.bus.publish({ visitor, head: n, ...(message && { changes: [message] }) });
  deps.wake({ visitor, account: site.account, first, head });
}

/**
 * Reserves budget for a message, and tells the owner when it is the first one of the day that must wait.
 * @returns when it may be sent, in ms since 1970: now, or on the first later day whose budget has room; undefined when the
 *   budget of a whole week is used up
 */
export async function dueFor(
  { storeEvent }: SendDeps,
  tx: Transaction,
  site: Site,
  now: number,
): Promise<number | undefined> {
  const { messagesPerDay: perDay } = site;
  if (perDay === undefined) return now;
  const found = await reserveMessage(tx, { site: site.public.id, perDay, now });
  if (found?.first) await storeEvent(tx, site.public.id, "budget.reached", { messagesPerDay: perDay });
  return found?.due;
}
