import type { Clock } from "../../base/clock.ts";
import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import { type Event, eventsPage, renewEvent } from "../../records/events.ts";
import type { AnswerOf } from "./operations.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, iso, pageWith } from "./views.ts";

const eventView = ({ id, type, at, state, attempts, due, status, problem }: Event): AnswerOf<"retryWebhookEvent"> => ({
  id,
  type,
  at: iso(at),
  state,
  attempts,
  due: state === "waiting" ? iso(due) : null,
  status,
  problem,
});

/** The webhook's delivery log. */
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
      const event = await db.transaction((tx) => renewEvent(tx, site.public.id, params.event, clock.now()));
      if (event === undefined) throw new RelayError("not_found");
      return eventView(event);
    },
  } satisfies Partial<Handlers>;
}
