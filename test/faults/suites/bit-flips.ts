import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { RELAY } from "../workers.ts";
import { type Common, type Report, seconds } from "./suite.ts";

type Options = Common & { flips: number };

const VISITORS = 20;
const MESSAGES = 20;

/** The modules under test: the relay's, or those of a mutant. @param root folder of the sources */
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
 * S10: changes one random bit of the database file while the relay is down, and starts it; `flips` times. The relay must
 * refuse to start, or show unchanged data; it must never show wrong data. An undamaged copy must open, because a relay that
 * refuses every file would show no wrong data either.
 */
export async function bitFlips({ root = RELAY, seed = 12, flips: rounds }: Options): Promise<Report> {
  const begun = performance.now();
  const random = seededRandom(seed);
  const records = await load(root);
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "porchlight-flips-"));
  const [file, copy] = [join(folder, "good.db"), join(folder, "copy.db")];
  try {
    const good = await fill(records, file);
    // A killed relay leaves no seal, so only the structure of the file is checked.
    const [withSeal, withoutSeal, intact] = [newCounts(), newCounts(), newCounts()];
    for (const sealed of [true, false]) {
      copyDatabase(file, copy, sealed);
      intact[await openCopy(records, copy, good)]++;
    }
    for (let n = 0; n < rounds; n++) {
      for (const sealed of [true, false]) {
        copyDatabase(file, copy, sealed);
        flipBit(copy, random);
        (sealed ? withSeal : withoutSeal)[await openCopy(records, copy, good)]++;
      }
    }
    return {
      violations: [
        ...(withSeal.silent > 0 ? [`silent: ${withSeal.silent} of ${rounds} changed bytes gave wrong data`] : []),
        ...(intact.unharmed === 2 ? [] : [`vacuous: undamaged copies were opened as ${JSON.stringify(intact)}`]),
      ],
      figures: {
        "bytes changed": rounds,
        ...withSeal,
        "silent after a kill": withoutSeal.silent,
        seconds: seconds(begun),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const newCounts = () => ({ refused: 0, unharmed: 0, silent: 0 });

/** Replaces the copy by the file as it is. @param sealed copies its seal, too */
function copyDatabase(file: string, copy: string, sealed: boolean): void {
  for (const ending of ["-wal", "-shm", ".seal"]) rmSync(copy + ending, { force: true });
  copyFileSync(file, copy);
  if (sealed) copyFileSync(`${file}.seal`, `${copy}.seal`);
}

/** The texts and states of all threads, as JSON. */
const allThreads = async ({ messagesBefore }: Records, db: Parameters<Records["messagesBefore"]>[0]): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      Array.from({ length: VISITORS }, (_, v) => messagesBefore(db, `v${v}`, Number.MAX_SAFE_INTEGER, MESSAGES)),
    ),
  );

/** Creates a database with replies to every visitor. @returns its threads */
async function fill(records: Records, file: string): Promise<string> {
  const db = records.openSqlite(file);
  await records.migrate(db);
  for (let n = 0; n < VISITORS * MESSAGES; n++) {
    const [visitor, text] = [`v${n % VISITORS}`, `reply ${n}, with enough words to fill a page of the file`];
    await db.transaction(async (tx) => {
      await records.addVisitor(tx, visitor, "default", n);
      await records.appendReply(tx, { visitor, id: `r${n}`, text, at: n, external: `main:${n}` });
    });
  }
  const good = await allThreads(records, db);
  await db.close();
  return good;
}

/** Changes one bit of the file. */
function flipBit(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(random() * bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
  writeFileSync(file, bytes);
}

/** Opens a copy and compares its threads. `silent`: it shows wrong data. @param good the threads before the damage */
async function openCopy(records: Records, file: string, good: string): Promise<"refused" | "unharmed" | "silent"> {
  let db: ReturnType<Records["openSqlite"]> | undefined;
  try {
    db = records.openSqlite(file);
    return (await allThreads(records, db)) === good ? "unharmed" : "silent";
  } catch {
    return "refused";
  } finally {
    await db?.close().catch(() => {});
  }
}
