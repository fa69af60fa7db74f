import { COMMENT_MAX } from "@porchlight/shared/limits";
import type { Rating } from "@porchlight/shared/protocol";
import { cut } from "@porchlight/shared/text";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { toMultiLine } from "../base/input-text.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import { addRating, ratingOf } from "../records/ratings.ts";
import { findVisitor } from "../records/visitors.ts";
import type { StoreEvent } from "./webhooks.ts";

type RatingDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  /** Stores an event for the owner's backend in the same transaction. */
  storeEvent: StoreEvent;
};

/**
 * Creates the function that stores a visitor's rating of the conversation, once, and tells the owner's backend and all tabs of the
 * visitor (WIDGET 8.5). It returns false when the visitor does not exist, or the score is too high. When it throws an error of the
 * database, nothing was written.
 */
export function createRating({ db, bus, clock, storeEvent }: RatingDeps) {
  return async function rate(visitor: string, site: Site, { score, of, comment = "" }: Rating): Promise<boolean> {
    if (score !== undefined && score > of) return false;
    const words = cut(toMultiLine(comment).trim(), COMMENT_MAX);
    const kept = score === undefined || words === "" ? null : words;
    const rating = await db.transaction(
      async (tx) => {
        if ((await findVisitor(tx, visitor)) === undefined) return undefined;
        const row = { visitor, score: score ?? null, best: of, comment: kept, at: clock.now() };
        const fresh = await addRating(tx, site.public.id, row);
        if (fresh && score !== undefined)
          await storeEvent(tx, site.public.id, "conversation.rated", { visitor, score, of, comment: kept });
        return ratingOf(tx, visitor);
      },
      [visitor],
    );
    if (rating !== undefined) bus.publish({ visitor, head: 0, rating });
    return rating !== undefined;
  };
}

/** Stores a rating; see `createRating`. */
export type RatingFlow = ReturnType<typeof createRating>;
