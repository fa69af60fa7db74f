import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../core/world.ts";
import { RELAY } from "../workers.ts";
import { type Common, type Report, seconds } from "./suite.ts";

type Options = Common & { flips: number };

const VISITORS = 20;
const MESSAGES = 20;

/** The modules under test: the relay's, or those of a changed copy. */
async function load(root: string) {
  const [sqlite, migrate, threads, visitors] = await Promise.all([
    import(`${root}/db/sqlite.ts`) as Promise<typeof import("../../../relay/src/db/sqlite.ts")>,
    import(`${root}/db/migrate.ts`) as Promise<typeof import("../../../relay/src/db/migrate.ts")>,
    import(`${root}/records/threads.ts`) as Promise<typeof import("../../../relay/src/records/threads.ts")>,
    import(`${root}/records/visitors.ts`) as Promise<typeof import("../../../relay/src/records/visitors.ts")>,
  ]);
  return { ...sqlite, ...migrate, ...threads, ...visitors };
}
type Records = Awaited<ReturnType<typeof load>>;

/**
 * S10: one random bit of the database file is changed while the relay is down, many times. The relay must refuse to
 * start, or show unchanged data; it must never show wrong data.
 */
export async function flips({ root = RELAY, seed = 12, flips: number }: Options): Promise<Report> {
  const begun = performance.now();
  const random = seeded(seed);
  const records = await load(root);
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "porchlight-flips-"));
  const [file, copy] = [join(folder, "good.db"), join(folder, "copy.db")];
  try {
    const good = await fill(records, file);
    const found = { refused: 0, unharmed: 0, silent: 0 };
    const crashed = { refused: 0, unharmed: 0, silent: 0 };
    for (let n = 0; n < number; n++) {
      for (const sealed of [true, false]) {
        for (const ending of ["-wal", "-shm", ".seal"]) rmSync(copy + ending, { force: true });
        copyFileSync(file, copy);
        if (sealed && existsSync(`${file}.seal`)) copyFileSync(`${file}.seal`, `${copy}.seal`);
        flip(copy, random);
        (sealed ? found : crashed)[await look(records, copy, good)]++;
      }
    }
    return {
      violations: found.silent > 0 ? [`silent: ${found.silent} of ${number} changed bytes gave wrong data`] : [],
      figures: {
        "bytes changed": number,
        ...found,
        // A killed relay leaves no seal, so only the structure of the file is checked.
        "silent after a kill": crashed.silent,
        seconds: seconds(begun),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const all = async ({ page }: Records, db: Parameters<Records["page"]>[0]): Promise<string> =>
  JSON.stringify(
    await Promise.all(Array.from({ length: VISITORS }, (_, v) => page(db, `v${v}`, Number.MAX_SAFE_INTEGER, MESSAGES))),
  );

async function fill(records: Records, file: string): Promise<string> {
  const db = records.openSqlite(file);
  await records.migrate(db);
  for (let n = 0; n < VISITORS * MESSAGES; n++) {
    const [visitor, text] = [`v${n % VISITORS}`, `reply ${n}, in a text of some length that fills a page`];
    await db.transaction(async (tx) => {
      await records.addVisitor(tx, visitor, "default", n);
      await records.appendReply(tx, { visitor, id: `r${n}`, text, at: n, external: `main:${n}` });
    });
  }
  const good = await all(records, db);
  await db.close();
  return good;
}

function flip(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(random() * bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
  writeFileSync(file, bytes);
}

async function look(records: Records, file: string, good: string): Promise<"refused" | "unharmed" | "silent"> {
  let db: ReturnType<Records["openSqlite"]> | undefined;
  try {
    db = records.openSqlite(file);
    return (await all(records, db)) === good ? "unharmed" : "silent";
  } catch {
    return "refused";
  } finally {
    await db?.close().catch(() => {});
  }
}
