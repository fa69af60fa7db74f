import { hashed, type Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { type Details, markDetailsSent, unsentDetails } from "../records/details.ts";
import type { LaneHead } from "../records/outbox.ts";
import { isAccepted, type Outcome } from "../service/outcome.ts";

type Send = (head: LaneHead, about?: Omit<Details, "phone">) => Promise<Outcome>;

/**
 * Sends a message together with the contact details that the service does not know yet. Name and email address are sent once,
 * with the first message after they became known, and again after a change. After a failed write they are sent twice,
 * which is harmless.
 */
export async function sendWithProfile(
  { db, log }: { db: Database; log: Log },
  head: LaneHead,
  send: Send,
): Promise<Outcome> {
  const news = head.reaction === null && head.has_unsent_details ? await unsentDetails(db, head.visitor) : undefined;
  const outcome = await send(head, news?.details);
  if (news !== undefined && isAccepted(outcome)) {
    await db
      .transaction((tx) => markDetailsSent(tx, head.visitor, news.version))
      .catch((error: unknown) => log("database.failing", { visitor: hashed(head.visitor), cause: String(error) }));
  }
  return outcome;
}
