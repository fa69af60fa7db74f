import type { Database } from "../../db/database.ts";
import { type RatingRow, ratingsPage } from "../../records/ratings.ts";
import type { AnswerOf } from "./operations.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, iso, pageWith } from "./views.ts";

/** A visitor who declined has no rating. */
export function ratingView(row: RatingRow | undefined): AnswerOf<"listRatings">["items"][number] | null {
  if (row === undefined || row.score === null) return null;
  const { visitor, at, score, best, comment } = row;
  return { visitor, at: iso(at), score, of: best, comment };
}

/** Handlers for ratings of conversations. */
export function ratings({ db }: { db: Database }) {
  return {
    async listRatings({ site, query }) {
      const after = cursorOf<{ at: number; visitor: string }>(query.cursor, { at: "number", visitor: "text" });
      const rows = await ratingsPage(db, { site: site.public.id, limit: query.limit + 1, ...(after && { after }) });
      const shown = pageWith(rows, query.limit, ratingView, ({ at, visitor }) => ({ at, visitor }));
      return { ...shown, items: shown.items.filter((item) => item !== null) };
    },
  } satisfies Partial<Handlers>;
}
