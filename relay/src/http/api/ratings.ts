import type { Database } from "../../db/database.ts";
import { ratingsPage } from "../../records/ratings.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, pageWith, ratingView } from "./views.ts";

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
