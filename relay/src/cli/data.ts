import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { backupSqlite } from "../db/backup.ts";
import { leadsPage } from "../records/captured.ts";
import { entries } from "../records/ledger.ts";
import { failedPage, visitorRow, visitorsPage, waitingPage } from "../records/listings.ts";
import { page } from "../records/threads.ts";
import { type Command, Complaint, named, type Result, table } from "./command.ts";
import type { Office } from "./office.ts";
import { progress } from "./progress.ts";

const site = { site: { type: "string" } } as const;
const BATCH = 200;

/** Everything the relay holds of a site, one record after the other; threads page by page, never whole in memory. */
async function* recordsOf({ db }: Office, site: string, account: string, tick: () => void): AsyncGenerator<object> {
  for (let after: { created: number; id: string } | undefined; ; ) {
    const visitors = await visitorsPage(db, { site, limit: BATCH, ...(after && { after }) });
    for (const visitor of visitors) {
      tick();
      yield { record: "visitor", ...visitor };
      for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
        const messages = await page(db, visitor.id, before, BATCH);
        for (const message of messages) yield { record: "message", visitor: visitor.id, ...message };
        before = messages.length < BATCH ? 0 : (messages[0]?.pos ?? 0);
      }
    }
    after = visitors.at(-1);
    if (visitors.length < BATCH) break;
  }
  for (let after: { at: number; visitor: string; id: string } | undefined; ; ) {
    const leads = await leadsPage(db, { site, limit: BATCH, ...(after && { after }) });
    for (const lead of leads) yield { record: "lead", ...lead };
    after = leads.at(-1);
    if (leads.length < BATCH) break;
  }
  for (let before: { created: number; key: string } | undefined; ; ) {
    const grants = await entries(db, { kind: "grant", account, limit: BATCH, ...(before && { before }) });
    for (const grant of grants) yield { record: "grant", ...grant };
    before = grants.at(-1);
    if (grants.length < BATCH) break;
  }
}

async function exportSite(office: Office, file: string, name: string | undefined): Promise<Result> {
  if (existsSync(file)) throw new Complaint(`${file} is there already.`, 2);
  const site = office.site(name);
  const id = site.public.id;
  const [row] = await office.db.all<{ count: number }>("SELECT count(*) AS count FROM visitors WHERE site = $1", id);
  const bar = progress("Visitors", row?.count ?? 0);
  const out = createWriteStream(file, { flags: "wx", mode: 0o600 });
  let records = 0;
  for await (const record of recordsOf(office, id, site.account, bar.tick)) {
    records++;
    if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
  bar.end();
  return { data: { file, records }, lines: [`${records} records in ${file}, one JSON object a line.`] };
}

/** The path in a `sqlite:` address. */
const fileOf = (url: string): string => url.replace(/^sqlite:(\/\/)?/, "");

export const DATA: Record<string, Command> = {
  deliveries: {
    usage: "[--failed] [--site <site>]",
    help: "lists messages that the service has not taken; exit code 3 when one failed",
    options: { ...site, failed: { type: "boolean" } },
    async run({ db, site }, given) {
      const ask = { site: site(given.text("site")).public.id, limit: BATCH };
      const found = await (given.flag("failed") ? failedPage : waitingPage)(db, ask);
      const rows = found.map(({ visitor, id, attempts, due, reason }) => [
        visitor,
        id,
        attempts,
        due === null ? "" : new Date(due).toISOString(),
        reason,
      ]);
      const code = given.flag("failed") && found.length > 0 ? 3 : 0;
      return { data: found, lines: table(["VISITOR", "MESSAGE", "TRIES", "NEXT", "REASON"], rows), code };
    },
  },
  export: {
    usage: "<file> [--site <site>]",
    help: "writes everything the relay holds of a site into a file, one JSON object a line",
    options: site,
    run: (office, given) => exportSite(office, named(given, "file").file, given.text("site")),
  },
  erase: {
    usage: "<visitor> --yes [--site <site>]",
    help: "deletes a visitor here, for good; the service's copy stays",
    options: { ...site, yes: { type: "boolean" } },
    async run({ db, forget, site }, given) {
      const { visitor } = named(given, "visitor");
      if (!given.flag("yes")) throw new Complaint("This cannot be undone. Say --yes.", 2);
      const row = await visitorRow(db, site(given.text("site")).public.id, visitor);
      if (row === undefined) throw new Complaint(`No visitor ${visitor}.`);
      await forget(visitor);
      return { data: { visitor, erased: true }, lines: [`Erased ${visitor}.`] };
    },
  },
  backup: {
    usage: "<file>",
    help: "copies the database as it stands, beside a running relay",
    async run({ db, settings }, given) {
      const { file } = named(given, "file");
      if (db.dialect !== "sqlite") throw new Complaint("PostgreSQL has its own: pg_dump of DATABASE_URL.", 2);
      if (existsSync(file)) throw new Complaint(`${file} is there already.`, 2);
      backupSqlite(fileOf(settings.databaseUrl), file);
      return { data: { file }, lines: [`The database is in ${file}. Keep secrets.json of the data folder with it.`] };
    },
  },
};
