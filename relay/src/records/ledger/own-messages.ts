import type { Transaction } from "../../db/database.ts";
import { type Entry, laneEntries, link, move, type State } from "./ledger.ts";

/** What a message from the owner's side says, and to whom. */
export type SendContent = {
  site: string;
  text: string;
  campaign: string | undefined;
  firstName?: string;
  lastName?: string;
  email?: string;
};

export const sentContent = (entry: Entry): SendContent => JSON.parse(entry.content) as SendContent;

/** Whether the person it went to was forgotten: nothing of it is sent or shown any more. */
export const isErased = ({ site }: SendContent): boolean => site === "";

/** The ledger's states as people and programs are told them. */
export const SENT_STATES = {
  received: "queued",
  intent: "queued",
  calling: "sending",
  done: "sent",
  unknown: "unknown",
  refused: "failed",
  dismissed: "failed",
} as const satisfies Record<State, string>;

/** A message that we sent may come back as a callback this long after its answer. */
const ECHO_MS = 120_000;
const LOOK_AT = 50;

type Arrived = { visitor: string; external: string; text: string; now: number };

/**
 * Whether a reply that arrives is a message we sent ourselves, coming back: the service may call back under the
 * same id, under another one, before its answer, or not at all, and the visitor sees the message once.
 * @returns true: it is in the thread already; false: it is to be written there, as any reply
 */
export async function isEcho(tx: Transaction, arrived: Arrived): Promise<boolean> {
  const { visitor, external, text, now } = arrived;
  const sent = await laneEntries(tx, "send", visitor, LOOK_AT);
  if (sent.length === 0) return false;
  if (sent.some(({ echo }) => echo === external)) return true;
  const known = sent.find(({ shown }) => shown === external);
  // It has come back, then: the same words once more are somebody's own.
  if (known !== undefined && known.echo === null) await link(tx, known, "echo", external);
  if (known !== undefined) return false;
  const match = sent.findLast((entry) => fits(entry, text, now));
  if (match === undefined) return false;
  if (match.shown !== null) {
    await link(tx, match, "echo", external);
    return true;
  }
  // The callback came before the answer, or instead of it: proof that the message was sent.
  for (const field of ["shown", "echo"] as const) await link(tx, match, field, external);
  if (match.state === "unknown") await prove(tx, match, external, now);
  return false;
}

/**
 * A message that came back was sent, whatever became of its call: it is not sent again, and is nobody's to resolve.
 * @param external the reply that it came back as, which names the service's id of it unless the callback had none
 */
export function prove(tx: Transaction, entry: Entry, external: string, now: number): Promise<Entry | undefined> {
  const id = external.slice(entry.account.length + 1);
  const result = JSON.stringify(id.startsWith("~") ? {} : { messageId: id });
  const proof = { state: "done", reason: "came back as a reply", due: now, actor: "service", now, result } as const;
  return move(tx, entry, ["unknown", "intent"], proof);
}

/** Line ends as one kind, and nothing around: what the service calls back with may differ in both. */
const evened = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

function fits(entry: Entry, text: string, now: number): boolean {
  if (entry.echo !== null || evened(sentContent(entry).text) !== evened(text)) return false;
  if (entry.state === "calling") return true;
  return (entry.state === "done" || entry.state === "unknown") && now - entry.changed < ECHO_MS;
}
