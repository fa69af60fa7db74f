import { hashed, type Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { type Details, told, untold } from "../records/details.ts";
import type { Head } from "../records/outbox.ts";
import type { Outcome } from "../service/outcome.ts";

type Carry = (head: Head, about?: Omit<Details, "phone">) => Promise<Outcome>;

/**
 * Carries a message with what the service has not heard of its visitor: names and e-mail travel once, with the first
 * message after they became known, and again when they change. Told twice after a failure here, nothing is lost.
 */
export async function introduce({ db, log }: { db: Database; log: Log }, head: Head, carry: Carry): Promise<Outcome> {
  const news = head.reaction === null && head.untold ? await untold(db, head.visitor) : undefined;
  const outcome = await carry(head, news?.details);
  if (news !== undefined && (outcome.kind === "ok" || outcome.kind === "duplicate")) {
    await db
      .transaction((tx) => told(tx, head.visitor, news.version))
      .catch((error: unknown) => log("database.failing", { visitor: hashed(head.visitor), cause: String(error) }));
  }
  return outcome;
}
