import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Site } from "../base/config.ts";
import { eventView, grantView, leadView, messageView, ratingView, sentView, visitorView } from "../http/api/views.ts";
import { type Event, eventsPage } from "../records/events.ts";
import { type Lead, leadsPage } from "../records/leads.ts";
import { entriesPage, type LedgerEntry, type LedgerKind } from "../records/ledger/ledger.ts";
import { sentContent } from "../records/ledger/own-messages.ts";
import {
  countVisitors,
  findListedVisitor,
  isStillComplete,
  type ListedVisitor,
  visitorsPage,
} from "../records/listings.ts";
import { type RatingRow, ratingsPage } from "../records/ratings.ts";
import { messagesBefore } from "../records/threads.ts";
import { counted, recordCopy } from "./audit.ts";
import { allArguments, type Command, positionals, type Result, SITE_OPTION } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { progress } from "./progress.ts";

const BATCH = 200;

/** All rows of a paged list. */
async function* allRows<Row>(pageAfter: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let last: Row | undefined; ; ) {
    const rows = await pageAfter(last);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < BATCH) return;
  }
}

/** All records of a site, one after the other. Threads are read in pages, so that they never fill the memory. */
async function* recordsOf(
  { db, linkTo, settings }: CommandContext,
  site: string,
  account: string,
  tick: () => void,
): AsyncGenerator<{ record: string; [field: string]: unknown }> {
  const view = messageView((key, type) => `${settings.publicUrl ?? ""}${linkTo(key, type)}`);
  for await (const visitor of allRows<ListedVisitor>((after) =>
    visitorsPage(db, { site, limit: BATCH, ...(after && { after }) }),
  )) {
    tick();
    yield { record: "visitor", ...visitorView(visitor) };
    let count = 0;
    for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
      const messages = await messagesBefore(db, visitor.id, before, BATCH);
      for (const message of messages) yield { record: "message", visitor: visitor.id, ...view(message) };
      count += messages.length;
      before = messages.length < BATCH ? 0 : (messages[0]?.pos ?? 0);
    }
    if (!(await isStillComplete(db, visitor, count))) yield { record: "incomplete", visitor: visitor.id };
  }
  for await (const lead of allRows<Lead>((after) => leadsPage(db, { site, limit: BATCH, ...(after && { after }) })))
    yield { record: "lead", ...leadView(lead) };
  for await (const rating of allRows<RatingRow>((after) =>
    ratingsPage(db, { site, limit: BATCH, ...(after && { after }) }),
  ))
    yield { record: "rating", ...ratingView(rating) };
  const ledger = (kind: LedgerKind) =>
    allRows<LedgerEntry>((before) => entriesPage(db, { kind, account, limit: BATCH, ...(before && { before }) }));
  for await (const sent of ledger("send"))
    if (sentContent(sent).site === site) yield { record: "sent", ...sentView(sent) };
  for await (const grant of ledger("grant")) yield { record: "grant", ...grantView(grant) };
  for await (const event of allRows<Event>((after) => eventsPage(db, { site, limit: BATCH, ...(after && { after }) })))
    yield { record: "event", ...eventView(event), body: JSON.parse(event.body) as unknown };
}

/** Writes all records of a site into a new file. @returns the number of records of each kind */
async function writeRecords(context: CommandContext, file: string, { public: { id }, account }: Site) {
  const bar = progress("Visitors", await countVisitors(context.db, id));
  const handle = await open(file, "wx", 0o600);
  const kinds = new Map<string, number>();
  await pipeline(async function* () {
    for await (const row of recordsOf(context, id, account, bar.tick)) {
      kinds.set(row.record, (kinds.get(row.record) ?? 0) + 1);
      yield `${JSON.stringify(row)}\n`;
    }
  }, handle.createWriteStream());
  bar.end();
  return kinds;
}

async function exportSite(context: CommandContext, file: string, name: string | undefined): Promise<Result> {
  if (existsSync(file)) throw new CommandError(`${file} exists already: choose a new file.`, 2);
  const site = context.site(name);
  const recorded = { action: "export", subject: `${site.public.id} to ${resolve(file)}` };
  const { records, incomplete } = await recordCopy(context, recorded, async () => {
    const kinds = await writeRecords(context, file, site);
    const counts = [...kinds].map(([kind, count]) => counted(count, `${kind} record`)).join(", ") || "nothing";
    const records = [...kinds.values()].reduce((sum, count) => sum + count, 0);
    return { counts, records, incomplete: kinds.get("incomplete") ?? 0 };
  });
  const written = `${counted(records, "record")} in ${file}, one JSON object per line.`;
  const warning = `${counted(incomplete, "visitor")} incomplete: a deletion or a login removed or moved data meanwhile.`;
  return {
    data: { file, records, incomplete },
    lines: incomplete === 0 ? [written] : [written, warning],
    code: incomplete === 0 ? 0 : 3,
  };
}

export const DATA: Record<string, Command> = {
  export: {
    place: "here",
    usage: "<file> [--site <site>]",
    help: "writes all data of a site into a file, one JSON object per line; exit code 3 when a visitor is incomplete",
    options: SITE_OPTION,
    run: (context, given) => exportSite(context, positionals(given, "file").file, given.text("site")),
  },
  erase: {
    usage: "<visitor> --yes [--site <site>]",
    help: "deletes a visitor permanently from the relay; the service keeps its copy",
    subject: allArguments,
    options: { ...SITE_OPTION, yes: { type: "boolean" } },
    check(given) {
      if (!given.flag("yes")) throw new CommandError("This cannot be undone. Add --yes to confirm.", 2);
    },
    async run({ db, forget, site }, given) {
      const { visitor } = positionals(given, "visitor");
      const row = await findListedVisitor(db, site(given.text("site")).public.id, visitor);
      if (row === undefined) throw new CommandError(`No visitor ${visitor} of this site; or it was erased already.`);
      await forget(visitor);
      return { data: { visitor, erased: true }, lines: [`Erased ${visitor}.`] };
    },
  },
  "session end": {
    usage: "[<visitor>] [--all] [--site <site>]",
    help: "ends all sessions of a visitor, or with --all of the site: browser tokens become invalid, threads stay",
    subject: (given) => (given.flag("all") ? `all ${allArguments(given)}` : allArguments(given)),
    options: { ...SITE_OPTION, all: { type: "boolean" } },
    check({ args, flag }) {
      if (args.length > 0 === flag("all"))
        throw new CommandError("Either a visitor or --all is needed. See porchlight help.", 2);
    },
    async run({ endings, site }, given) {
      const { id } = site(given.text("site")).public;
      const [visitor] = given.args;
      if (visitor === undefined) {
        const visitors = await endings.site(id);
        return { data: { site: id, visitors }, lines: [`Ended the sessions of ${counted(visitors, "visitor")}.`] };
      }
      if (!(await endings.visitor(id, visitor))) throw new CommandError(`No visitor ${visitor} of site ${id}.`);
      return { data: { visitor, ended: true }, lines: [`Ended the sessions of ${visitor}.`] };
    },
  },
};
