/** Data folders with many messages: made once by SQL in the relay's schema, and copied for each run. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { randomId } from "@porchlight/shared/id";
import { loadSecrets } from "../../relay/src/base/secrets.ts";
import { newVisitorId, signSession } from "../../relay/src/base/sign.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { openDatabase } from "../../relay/src/db/open.ts";
import { ACCOUNT } from "./server.ts";
import type { Known } from "./visitors.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CACHE = join(ROOT, ".cache", "bench");
const MIGRATIONS = join(ROOT, "relay", "src", "db", "migrations");
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Messages of each visitor, except the one who has a tenth of all messages. */
const MESSAGES_EACH = 90;

/** A copy of a data folder, with what its visitors need to reconnect. */
export type Seeded = {
  folder: string;
  /** Visitors with about 90 messages each, with the newest number they know. */
  visitors: Known[];
  /** The visitor with a tenth of all messages, with only the token. */
  longest: Known;
  remove: () => void;
};

type Person = { id: string; messages: number };

/** Changes with the schema and with this file. Seeds of other versions are made again. */
function version(): string {
  const hash = createHash("sha256").update(readFileSync(import.meta.filename));
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest("hex").slice(0, 12);
}

/** The visitors: one created in each hour before the last day. */
function peopleFor(messages: number, signing: string): Person[] {
  const longest = Math.max(1, Math.floor(messages / 10));
  const counts = [longest];
  for (let left = messages - longest; left > 0; left -= MESSAGES_EACH) counts.push(Math.min(MESSAGES_EACH, left));
  const newest = Date.now() - DAY_MS;
  return counts.map((messages, i): Person => ({ id: newVisitorId(signing, newest - i * HOUR_MS), messages }));
}

/**
 * Writes the threads in the order in which messages would have arrived: a delivered question and a reply, visitor by
 * visitor.
 */
function fill(file: string, people: readonly Person[]): void {
  const db = new DatabaseSync(file);
  for (const pragma of ["synchronous = OFF", "cache_size = -1000000", "foreign_keys = OFF"])
    db.exec(`PRAGMA ${pragma}`);
  const now = Date.now() - DAY_MS;
  db.exec("BEGIN");
  const visitor = db.prepare(
    "INSERT INTO visitors (id, site, created, head, read, contact) VALUES (?, 'default', ?, ?, ?, ?)",
  );
  for (const { id, messages } of people) visitor.run(id, now, messages, messages, `c_${id.slice(2, 12)}`);
  const sent = db.prepare(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text, state, sid) VALUES (?, ?, ?, ?, 'visitor', ?, ?, 'delivered', ?)",
  );
  const reply = db.prepare(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text, external) VALUES (?, ?, ?, ?, 'reply', ?, ?, ?)",
  );
  let count = 0;
  for (let open = [...people], pos = 1; open.length > 0; pos++) {
    open = open.filter(({ messages }) => messages >= pos);
    for (const { id } of open) {
      count++;
      if (pos % 2 === 1)
        sent.run(id, pos, pos, `s${randomId(15)}`, now + pos, "Do you ship to Norway?", `pl_${randomId(26)}`);
      else reply.run(id, pos, pos, `r_${randomId(20)}`, now + pos, "Yes, in three days.", `${ACCOUNT}:m_seed${count}`);
    }
  }
  db.exec("COMMIT");
  db.close();
}

/** Creates a data folder with this number of messages. */
async function createSeed(folder: string, messages: number): Promise<void> {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const { signing } = loadSecrets(unfinished);
  const file = join(unfinished, "porchlight.db");
  const fresh = await openDatabase(`sqlite:${file}`);
  await migrate(fresh);
  await fresh.close();
  // The checksum of the closed database (`db/seal`) would not match what follows.
  rmSync(`${file}.seal`, { force: true });
  fill(file, peopleFor(messages, signing));
  // Open and close the database once more, so that the folder looks as after a clean stop of the relay.
  const filled = await openDatabase(`sqlite:${file}`);
  await filled.run("UPDATE meta SET value = value WHERE name = 'epoch'");
  await filled.close();
  renameSync(unfinished, folder);
}

/** What the visitors of a seeded folder need to reconnect, with their newest numbers. */
function knownIn(folder: string): { visitors: Known[]; longest: Known } {
  const { signing } = loadSecrets(folder);
  const db = new DatabaseSync(join(folder, "porchlight.db"), { readOnly: true });
  const epoch = String(db.prepare("SELECT value FROM meta WHERE name = 'epoch'").get()?.value);
  const rows = db.prepare("SELECT id, head FROM visitors ORDER BY head DESC").all() as { id: string; head: number }[];
  db.close();
  const expires = Date.now() + 180 * DAY_MS;
  const known = ({ id, head }: (typeof rows)[number]): Known => ({
    token: signSession(signing, {
      visitor: id,
      site: "default",
      generation: 1,
      expires,
      id: randomId(16),
      rotation: 0,
    }),
    epoch,
    since: head,
  });
  const [longest, ...others] = rows.map(known);
  return { visitors: others, longest: longest?.token === undefined ? {} : { token: longest.token } };
}

/** Removes seeds of other versions, because a million messages take a third of a gigabyte. */
function removeOthers(current: string): void {
  if (!existsSync(CACHE)) return;
  for (const name of readdirSync(CACHE)) {
    if (name.startsWith("seed-") && !name.startsWith(`seed-${current}-`))
      rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

/** A copy of a data folder with this number of messages. */
export async function seededFolder(messages: number): Promise<Seeded> {
  const current = version();
  const kept = join(CACHE, `seed-${current}-${messages}`);
  if (!existsSync(kept)) {
    removeOthers(current);
    await createSeed(kept, messages);
  }
  const folder = mkdtempSync(join(tmpdir(), "porchlight-seeded-"));
  cpSync(kept, folder, { recursive: true });
  return { folder, ...knownIn(kept), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
