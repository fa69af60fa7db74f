import type { Clock } from "../../base/clock.ts";
import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import { eventsPage, renewEvent } from "../../records/events.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, eventView, pageWith } from "./views.ts";

/** Handlers for the delivery log of the site's webhook. */
export function webhook({ db, clock }: { db: Database; clock: Clock }) {
  return {
    async listWebhookEvents({ site, query }) {
      const after = cursorOf<{ at: number; id: string }>(query.cursor, { at: "number", id: "text" });
      const rows = await eventsPage(db, {
        site: site.public.id,
        limit: query.limit + 1,
        ...(after && { after }),
        ...(query.state && { state: query.state }),
      });
      return pageWith(rows, query.limit, eventView, ({ at, id }) => ({ at, id }));
    },
    async retryWebhookEvent({ site, params }) {
      const event = await db.transaction(
        (tx) => renewEvent(tx, site.public.id, params.event, clock.now()),
        [params.event],
      );
      if (event === undefined) throw new RelayError("not_found");
      return eventView(event);
    },
  } satisfies Partial<Handlers>;
}
