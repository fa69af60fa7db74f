import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Forget } from "../../flows/forget.ts";
import type { Send } from "../../flows/send/send.ts";
import type { SessionEndings } from "../../flows/session-endings.ts";
import { leadsOf } from "../../records/leads.ts";
import { laneEntries } from "../../records/ledger/ledger.ts";
import {
  type DeliveryCursor,
  deliveriesPage,
  findListedVisitor,
  isStillComplete,
  type ListedVisitor,
  visitorsPage,
} from "../../records/listings.ts";
import { findRating } from "../../records/ratings.ts";
import { messagesBefore, pageAfter } from "../../records/threads.ts";
import { formerIds } from "../../records/visitors.ts";
import { JsonStream } from "./json-stream.ts";
import type { AnswerOf } from "./operations.ts";
import { Problem } from "./problem.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, deliveryView, leadView, messageView, pageWith, ratingView, sentView, visitorView } from "./views.ts";

type LinkTo = Parameters<typeof messageView>[0];

/** Number of messages that an export reads at once: a few milliseconds, also for the longest texts. */
const BATCH = 100;

/** A visitor of the site. @throws RelayError `not_found` when the site has no such visitor */
async function visitorOf(db: Database, site: string, visitor: string): Promise<ListedVisitor> {
  const row = await findListedVisitor(db, site, visitor);
  if (row === undefined) throw new RelayError("not_found");
  return row;
}

/** Handlers for visitors, their transcripts and their deletion. */
export function visitors({ db, forget, linkTo }: { db: Database; forget: Forget; linkTo: LinkTo }) {
  const view = messageView(linkTo);

  /** The messages of a visitor as JSON, oldest first, separated by commas. @returns their number */
  async function* transcript(visitor: string): AsyncGenerator<string, number> {
    for (let after = 0, count = 0; ; ) {
      const batch = await pageAfter(db, visitor, after, BATCH);
      const last = batch.at(-1);
      if (last === undefined) return count;
      yield `${after === 0 ? "" : ","}${batch.map((message) => JSON.stringify(view(message))).join()}`;
      after = last.pos;
      count += batch.length;
    }
  }

  /** The JSON of an export, in parts: a hostile visitor's thread may be larger than the memory of the relay. */
  async function* everythingOf(row: ListedVisitor): AsyncGenerator<string> {
    yield `{"visitor":${JSON.stringify(visitorView(row))},"messages":[`;
    const messages = yield* transcript(row.id);
    const lanes = [row.id, ...(await formerIds(db, row.id))];
    const sent = await Promise.all(lanes.map((lane) => laneEntries(db, "send", lane)));
    const rest = {
      sent: sent.flat().map(sentView),
      leads: (await leadsOf(db, row.id)).map(leadView),
      rating: ratingView(await findRating(db, row.id)),
      complete: await isStillComplete(db, row, messages),
    } satisfies Omit<AnswerOf<"exportVisitor">, "visitor" | "messages">;
    yield `],${JSON.stringify(rest).slice(1)}`;
  }

  return {
    async listVisitors({ site, query }) {
      const after = cursorOf<{ created: number; id: string }>(query.cursor, { created: "number", id: "text" });
      const rows = await visitorsPage(db, { site: site.public.id, limit: query.limit + 1, ...(after && { after }) });
      return pageWith(rows, query.limit, visitorView, ({ created, id }) => ({ created, id }));
    },
    getVisitor: async ({ site, params }) => visitorView(await visitorOf(db, site.public.id, params.visitor)),
    async eraseVisitor({ site, params }) {
      await visitorOf(db, site.public.id, params.visitor);
      await forget(params.visitor);
      return null;
    },
    async exportVisitor({ site, params }) {
      return new JsonStream(everythingOf(await visitorOf(db, site.public.id, params.visitor)));
    },
    async listMessages({ site, params, query }) {
      const { id } = await visitorOf(db, site.public.id, params.visitor);
      const before =
        cursorOf<{ before: number }>(query.cursor, { before: "number" })?.before ?? Number.MAX_SAFE_INTEGER;
      const found = (await messagesBefore(db, id, before, query.limit + 1)).reverse();
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
      const after = cursorOf<DeliveryCursor>(query.cursor, { visitor: "text", pos: "number", turn: "number" });
      const state = query.state === undefined ? {} : { state: query.state };
      const ask = { site: site.public.id, limit: query.limit + 1, ...state, ...(after && { after }) };
      return pageWith(await deliveriesPage(db, ask), query.limit, deliveryView, ({ visitor, pos, turn }) => ({
        visitor,
        pos,
        turn,
      }));
    },
    async retryDelivery({ site, params }) {
      await visitorOf(db, site.public.id, params.visitor);
      const again = await send.retry(params.visitor, site, params.message);
      if (again === undefined) throw new RelayError("wrong_state");
      if (again === "full") throw new Problem("wrong_state", "The site's budget of a whole week is used up.");
      return messageView(linkTo)({ ...again, ...(again.from === "visitor" && { state: "sent" as const }) });
    },
  } satisfies Partial<Handlers>;
}
