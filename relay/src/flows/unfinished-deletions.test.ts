import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { silentLog } from "../base/log.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { unfinishedDeletions } from "../records/deletions.ts";
import { auditPage } from "../records/operators.ts";
import { beginRequest, endRequest } from "../records/requests.ts";
import { findVisitor, wasForgotten } from "../records/visitors.ts";
import { createForget } from "./forget.ts";
import {
  addLongOutbox,
  addLongThread,
  countRows,
  interceptCommits,
  LONG_THREAD,
  writeAgain,
} from "./long-thread.fixture.ts";
import { createUnfinishedDeletions } from "./unfinished-deletions.ts";

let db: Database;
let clock: ReturnType<typeof manualClock>;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  clock = manualClock(1_000);
});
afterEach(() => db.close());

/** A process whose deletions end after a number of transactions, as at a kill. */
const forgetUntil = (last: number) =>
  createForget({
    bus: createBus(),
    clock,
    db: interceptCommits(db, async (commit) => {
      if (commit >= last) throw new Error("the process ends");
    }),
  });

/** Begins the deletion of a visitor, which ends after a number of transactions. */
async function interruptAfter(last: number, visitor = LONG_THREAD, given: { staleBefore?: number } = {}) {
  await expect(forgetUntil(last)(visitor, given)).rejects.toThrow();
  expect((await unfinishedDeletions(db)).map((deletion) => deletion.visitor)).toContain(visitor);
}

/** A process that goes on with unfinished deletions. */
function startProcess({ shared = false, works = (): boolean => true, given = db } = {}) {
  const gone: string[] = [];
  const bus = createBus();
  bus.subscribe(LONG_THREAD, (news) => void (news.gone && gone.push(LONG_THREAD)));
  const forget = createForget({ db: given, bus, clock });
  const deletions = createUnfinishedDeletions({ db: given, clock, log: silentLog, forget, works, shared });
  deletions.start();
  clock.pass(0);
  return { ...deletions, gone };
}

/** Lets the time until the next search pass, then asks. */
const afterPause =
  <T>(ask: () => T): (() => T) =>
  () => {
    clock.pass(10_000);
    return ask();
  };

const isGone = async (): Promise<boolean> =>
  (await countRows(db)) === 0 && (await findVisitor(db, LONG_THREAD)) === undefined && wasForgotten(db, LONG_THREAD);

describe("a deletion that a kill interrupts", () => {
  it.each([1, 2, 3, 7, 12])(
    "after transaction %i goes on at the next start, without a second request",
    async (last) => {
      await addLongThread(db);
      await addLongOutbox(db);
      await interruptAfter(last);
      expect(await isGone()).toBe(false);
      const { gone, stop } = startProcess();
      await expect.poll(isGone).toBe(true);
      await expect.poll(() => gone).toEqual([LONG_THREAD]);
      await stop();
      expect(await unfinishedDeletions(db)).toEqual([]);
      expect(await auditPage(db, 10)).toMatchObject([
        { actor: "relay", action: "finish interrupted deletion", subject: LONG_THREAD },
      ]);
    },
  );

  it("also deletes what the visitor wrote meanwhile", async () => {
    await addLongThread(db);
    await interruptAfter(2);
    await writeAgain(db, 2_000);
    const { stop } = startProcess();
    await expect.poll(isGone).toBe(true);
    await stop();
  });

  it("deletes the stored answers about the visitor before the visitor", async () => {
    await addLongThread(db);
    await interruptAfter(1);
    const request = { token: "t", key: "k", digest: "d", path: `/visitors/${LONG_THREAD}/messages`, now: 1 };
    await beginRequest(db, request);
    await endRequest(db, request, { status: 200, body: "{}" });
    const { stop } = startProcess();
    await expect.poll(isGone).toBe(true);
    await stop();
    expect(await db.all("SELECT key FROM requests")).toEqual([]);
  });

  it("ends, if it was for an old conversation and the visitor wrote again", async () => {
    await addLongThread(db);
    await interruptAfter(2, LONG_THREAD, { staleBefore: 100 });
    const left = await countRows(db);
    await writeAgain(db, 2_000);
    const { stop } = startProcess();
    await expect.poll(() => unfinishedDeletions(db)).toEqual([]);
    await stop();
    expect(await countRows(db)).toBe(left + 1);
    expect(await auditPage(db, 10)).toEqual([]);
  });

  it("goes on although the visitor wrote again, if the visitor asked for it too", async () => {
    await addLongThread(db);
    await interruptAfter(2, LONG_THREAD, { staleBefore: 100 });
    await interruptAfter(1);
    await writeAgain(db, 2_000);
    const { stop } = startProcess();
    await expect.poll(isGone).toBe(true);
    await stop();
  });
});

describe("a deletion that an error interrupts", () => {
  it("says that it has begun and goes on", async () => {
    await addLongThread(db);
    await expect(forgetUntil(2)(LONG_THREAD)).rejects.toMatchObject({ code: "deletion_begun", status: 503 });
  });

  it("goes on in the same process, and does not hold up the deletions of others", async () => {
    await addLongThread(db);
    await db.run("INSERT INTO visitors (id, site, created) VALUES ('v_2', 'default', 1)");
    await interruptAfter(1);
    await interruptAfter(1, "v_2");
    let fails = true;
    const given: Database = {
      ...db,
      transaction: (work, keys) =>
        fails && keys?.includes(LONG_THREAD) ? Promise.reject(new Error("disk I/O error")) : db.transaction(work, keys),
    };
    const { stop } = startProcess({ given });
    await expect.poll(() => findVisitor(db, "v_2")).toBe(undefined);
    expect(await isGone()).toBe(false);
    fails = false;
    await expect.poll(afterPause(isGone)).toBe(true);
    await stop();
  });
});

describe("several nodes", () => {
  it("leave an unfinished deletion to the node with the lease", async () => {
    await addLongThread(db);
    await interruptAfter(2);
    let asked = 0;
    const { stop } = startProcess({ works: () => ++asked < 0 });
    await expect.poll(afterPause(() => asked)).toBeGreaterThan(2);
    await stop();
    expect(await unfinishedDeletions(db)).toHaveLength(1);
  });

  it("go on with a deletion only when no part of it was deleted since the last search", async () => {
    await addLongThread(db);
    await interruptAfter(2);
    let searches = 0;
    const works = (): boolean => {
      searches++;
      return true;
    };
    const { stop } = startProcess({ shared: true, works });
    const partsAt = async (): Promise<number | undefined> => (await unfinishedDeletions(db))[0]?.parts;
    expect(await partsAt()).toBe(1);
    await expect.poll(() => clock.waiting()).toBe(1);
    await db.run("UPDATE deletions SET parts = 2");
    clock.pass(10_000);
    await expect.poll(() => clock.waiting()).toBe(1);
    expect([searches, await partsAt()]).toEqual([2, 2]);
    clock.pass(10_000);
    await expect.poll(isGone).toBe(true);
    await stop();
  });
});
