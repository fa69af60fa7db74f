import type { Transaction } from "../../db/database.ts";
import { type LedgerEntry, type LedgerState, laneEntries, linkReply, transition } from "./ledger.ts";

/** Content of a message from the site owner to a visitor. */
export type SendContent = {
  site: string;
  text: string;
  campaign: string | undefined;
  firstName?: string;
  lastName?: string;
  email?: string;
};

/** The content of a sent message's entry. */
export const sentContent = (entry: LedgerEntry): SendContent => JSON.parse(entry.content) as SendContent;

/** Whether the recipient was erased: the message is neither sent nor shown any more. */
export const isErased = ({ site }: SendContent): boolean => site === "";

/** The ledger's states as the API and the command line show them. */
export const SENT_STATES = {
  received: "queued",
  intent: "queued",
  calling: "sending",
  done: "sent",
  unknown: "unknown",
  refused: "failed",
  dismissed: "failed",
} as const satisfies Record<LedgerState, string>;

/** A sent message may come back as a callback until this long (ms) after the answer to its call. */
const ECHO_MS = 120_000;
/** Most messages of a visitor that are compared with a reply, newest first. */
const RECENT_MAX = 50;

type Arrived = { visitor: string; external: string; text: string; now: number };

/**
 * Recognises a message of the owner that comes back as a reply, so that the visitor sees it once. The service may send
 * this callback with the message's id or with another one, before or after it answers the call, or not at all. Links the reply
 * to the message, and settles an unknown outcome.
 * @param arrived.external the key of the reply
 * @returns true: the thread already has the message; false: the reply must be stored
 */
export async function isOwnMessage(tx: Transaction, arrived: Arrived): Promise<boolean> {
  const { visitor, external, text, now } = arrived;
  const sent = await laneEntries(tx, "send", visitor, RECENT_MAX);
  if (sent.length === 0) return false;
  if (sent.some(({ echo }) => echo === external)) return true;
  const known = sent.find(({ shown }) => shown === external);
  // The message has already come back once, so another reply with the same text is a message of its own.
  if (known !== undefined && known.echo === null) await linkReply(tx, known, "echo", external);
  if (known !== undefined) return false;
  const match = sent.findLast((entry) => mayReturnAs(entry, text, now));
  if (match === undefined) return false;
  if (match.shown !== null) {
    await linkReply(tx, match, "echo", external);
    return true;
  }
  // The callback came before the answer, or instead of it; it proves that the message was sent.
  for (const field of ["shown", "echo"] as const) await linkReply(tx, match, field, external);
  if (match.state === "unknown") await settleAsSent(tx, match, external, now);
  return false;
}

/**
 * Settles a message that came back as a reply: it was sent, whatever the outcome of its call was.
 * @param external key of the reply; contains the service's message id, if the callback had one
 */
export function settleAsSent(
  tx: Transaction,
  entry: LedgerEntry,
  external: string,
  now: number,
): Promise<LedgerEntry | undefined> {
  const id = external.slice(entry.account.length + 1);
  const result = JSON.stringify(id.startsWith("~") ? {} : { messageId: id });
  const proof = { state: "done", reason: "came back as a reply", due: now, actor: "service", now, result } as const;
  return transition(tx, entry, ["unknown", "intent"], proof);
}

/** Normalises line ends and trims the text, because the service's callback may differ in both. */
const normalised = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** Whether a message may come back as a reply with this text now. */
function mayReturnAs(entry: LedgerEntry, text: string, now: number): boolean {
  if (entry.echo !== null || normalised(sentContent(entry).text) !== normalised(text)) return false;
  if (entry.state === "calling") return true;
  return (entry.state === "done" || entry.state === "unknown") && now - entry.changed < ECHO_MS;
}
