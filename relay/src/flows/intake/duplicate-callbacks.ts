import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../../base/clock.ts";
import type { Reply, ReplyCallback } from "./reply.ts";

/**
 * The body of a callback without a message id: its key, when it came (uptime in ms), and whether its sender got the relay's
 * answer.
 */
type Body = { key: string; at: number; answered: boolean };
/** The recent callbacks without a message id, by the digest of their bodies. */
export type DuplicateKeys = { clock: Clock; bodies: Map<string, Body> };

/**
 * The same body counts as a repeat for this long (ms), and longer while its sender has not got the relay's answer. Another
 * process does not know which answers were sent, so it compares only with the bodies that were stored within this time.
 */
export const REPEAT_MS = 2_000;
/** Most bodies in memory. When there are more, all of them are forgotten. */
const BODIES_MAX = 10_000;

/** Creates an empty memory of recent callbacks. */
export const createDuplicateKeys = (clock: Clock): DuplicateKeys => ({ clock, bodies: new Map() });

/**
 * The key by which a duplicate callback is recognised: the service's message id. A callback without one is recognised by its
 * body: its key begins with `bodyKey`. `storedDuplicates` in `records/threads.ts` searches for both.
 */
export function duplicateKeyOf(
  { clock, bodies }: DuplicateKeys,
  { messageId, digest }: ReplyCallback,
): Pick<Reply, "key" | "bodyKey"> {
  if (messageId !== undefined) return { key: messageId };
  const bodyKey = `~${digest.slice(0, 20)}`;
  const body = bodies.get(digest);
  const repeated = body !== undefined && (!body.answered || clock.uptime() - body.at < REPEAT_MS);
  const key = repeated ? body.key : `${bodyKey}${randomId(8)}`;
  if (bodies.size >= BODIES_MAX) bodies.clear();
  bodies.set(digest, { key, at: clock.uptime(), answered: false });
  return { key, bodyKey };
}

/** Records that the sender got the relay's answer. After `REPEAT_MS`, the same body without an id is a new reply. */
export function markAnswered({ bodies }: DuplicateKeys, { digest }: ReplyCallback): void {
  const body = bodies.get(digest);
  if (body !== undefined) body.answered = true;
}
