import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Forget } from "../../flows/forget.ts";
import type { Send } from "../../flows/send/send.ts";
import type { SessionEndings } from "../../flows/session-endings.ts";
import { leadsOf } from "../../records/leads.ts";
import { laneEntries } from "../../records/ledger/ledger.ts";
import {
  type DeliveryPlace,
  deliveriesPage,
  type VisitorRow,
  visitorRow,
  visitorsPage,
} from "../../records/listings.ts";
import { findRating } from "../../records/ratings.ts";
import { page } from "../../records/threads.ts";
import { formerIds } from "../../records/visitors.ts";
import type { AnswerOf } from "./operations.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, deliveryView, leadView, messageView, pageWith, ratingView, sentView, visitorView } from "./views.ts";

type LinkTo = Parameters<typeof messageView>[0];

/** Number of messages that an export reads at once. */
const BATCH = 500;

async function known(db: Database, site: string, visitor: string): Promise<VisitorRow> {
  const row = await visitorRow(db, site, visitor);
  if (row === undefined) throw new RelayError("not_found");
  return row;
}

/** Handlers for visitors, their transcripts and their deletion. */
export function visitors({ db, forget, linkTo }: { db: Database; forget: Forget; linkTo: LinkTo }) {
  const view = messageView(linkTo);

  async function transcript(visitor: string): Promise<AnswerOf<"listMessages">["items"]> {
    const all: AnswerOf<"listMessages">["items"] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const batch = await page(db, visitor, before, BATCH);
      all.unshift(...batch.map(view));
      const [first] = batch;
      if (first === undefined || batch.length < BATCH) return all;
      before = first.pos;
    }
  }

  return {
    async listVisitors({ site, query }) {
      const after = cursorOf<{ created: number; id: string }>(query.cursor, { created: "number", id: "text" });
      const rows = await visitorsPage(db, { site: site.public.id, limit: query.limit + 1, ...(after && { after }) });
      return pageWith(rows, query.limit, visitorView, ({ created, id }) => ({ created, id }));
    },
    getVisitor: async ({ site, params }) => visitorView(await known(db, site.public.id, params.visitor)),
    async eraseVisitor({ site, params }) {
      await known(db, site.public.id, params.visitor);
      await forget(params.visitor);
      return null;
    },
    async exportVisitor({ site, params }) {
      const row = await known(db, site.public.id, params.visitor);
      const lanes = [row.id, ...(await formerIds(db, row.id))];
      const sent = await Promise.all(lanes.map((lane) => laneEntries(db, "send", lane)));
      return {
        visitor: visitorView(row),
        messages: await transcript(row.id),
        sent: sent.flat().map(sentView),
        leads: (await leadsOf(db, row.id)).map(leadView),
        rating: ratingView(await findRating(db, row.id)),
      };
    },
    async listMessages({ site, params, query }) {
      const { id } = await known(db, site.public.id, params.visitor);
      const before =
        cursorOf<{ before: number }>(query.cursor, { before: "number" })?.before ?? Number.MAX_SAFE_INTEGER;
      const found = (await page(db, id, before, query.limit + 1)).reverse();
      const shown = pageWith(found, query.limit, view, ({ pos }) => ({ before: pos }));
      return { ...shown, items: shown.items.reverse() };
    },
  } satisfies Partial<Handlers>;
}

/** Handlers that end sessions. */
export const sessions = ({ endings }: { endings: SessionEndings }) =>
  ({
    async endSessions({ site, params }) {
      if (!(await endings.visitor(site.public.id, params.visitor))) throw new RelayError("not_found");
      return null;
    },
    async endAllSessions({ site }) {
      return { visitors: await endings.site(site.public.id) };
    },
  }) satisfies Partial<Handlers>;

/** Handlers for visitors' messages that the service has not accepted. */
export function deliveries({ db, send, linkTo }: { db: Database; send: Send; linkTo: LinkTo }) {
  return {
    async listDeliveries({ site, query }) {
      const after = cursorOf<DeliveryPlace>(query.cursor, { visitor: "text", pos: "number", turn: "number" });
      const state = query.state === undefined ? {} : { state: query.state };
      const ask = { site: site.public.id, limit: query.limit + 1, ...state, ...(after && { after }) };
      return pageWith(await deliveriesPage(db, ask), query.limit, deliveryView, ({ visitor, pos, turn }) => ({
        visitor,
        pos,
        turn,
      }));
    },
    async retryDelivery({ site, params }) {
      await known(db, site.public.id, params.visitor);
      const again = await send.retry(params.visitor, site, params.message);
      if (again === undefined) throw new RelayError("wrong_state");
      return messageView(linkTo)({ ...again, ...(again.from === "visitor" && { state: "sent" as const }) });
    },
  } satisfies Partial<Handlers>;
}
