import { describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import { migrate } from "../db/migrate.ts";
import type { Files } from "../files/store.ts";
import { TEXT_TYPE } from "../files/types.ts";
import { deleteMediaRow, disownMedia, ownerless, storedBytes } from "../records/media.ts";
import { forgetVisitor } from "../records/visitors.ts";
import { createUploads } from "./uploads.ts";

it("logs once per outage that files without an owner could not be removed", async () => {
  const disk = await openTestDatabase();
  await migrate(disk);
  const clock = manualClock(1_000_000_000);
  const logged: string[] = [];
  let away = true;
  let sweeps = 0;
  const all: typeof disk.all = (sql, ...values) => {
    sweeps++;
    return away ? Promise.reject(new Error("the database is unreachable")) : disk.all(sql, ...values);
  };
  const uploads = createUploads({
    db: { ...disk, all },
    clock,
    log: (event) => void logged.push(event),
    files: {} as Files,
    stage: { start: async () => {}, take: () => Promise.reject(new Error("no upload is expected")) },
    quota: { visitor: 0, site: 0 },
  });
  /** Lets the next sweep run to its end. */
  const sweep = async (): Promise<void> => {
    const before = sweeps;
    clock.pass(10_000);
    await expect.poll(() => sweeps > before && clock.waiting() > 0).toBe(true);
  };
  await uploads.start();
  for (const outage of [1, 2]) {
    away = true;
    await sweep();
    await sweep();
    expect(logged).toEqual(Array(outage).fill("upload.sweep_failed"));
    away = false;
    await sweep();
  }
  await uploads.stop();
  await disk.close();
});

it("counts a small file as 64 KiB, so that no visitor or site stores any number of them (A18)", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  const staged = { path: "", size: 1, type: TEXT_TYPE, pixels: undefined, discard: async () => {} };
  const uploads = createUploads({
    db,
    clock: manualClock(1_000_000_000),
    log: () => {},
    files: { put: async () => {} } as unknown as Files,
    stage: { start: async () => {}, take: async () => staged },
    quota: { visitor: 1024 * 1024, site: 2 * 1024 * 1024 },
  });
  const source = (async function* () {})();
  const take = (visitor: string) => uploads.take({ visitor, site: "default", name: "a.txt", source });
  for (const visitor of ["v_1", "v_2"]) {
    for (let n = 0; n < 16; n++) await take(visitor);
    await expect(take(visitor)).rejects.toMatchObject({ code: "quota_exceeded" });
  }
  await expect(take("v_3")).rejects.toMatchObject({ code: "quota_exceeded" });
  // The bytes of a deleted visitor's files count until the sweep removes them.
  await disownMedia(db, "v_1");
  await expect(take("v_3")).rejects.toMatchObject({ code: "quota_exceeded" });
  for (const key of await ownerless(db, 3)) await deleteMediaRow(db, key);
  for (let n = 0; n < 3; n++) await take("v_3");
  await expect(take("v_3")).rejects.toMatchObject({ code: "quota_exceeded" });
  await db.close();
});

it("removes the bytes of a file whose visitor is deleted while they are written", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  const clock = manualClock(1_000_000_000);
  const bytes = new Set<string>();
  let removals = 0;
  const staged = { path: "", size: 1, type: TEXT_TYPE, pixels: undefined, discard: async () => {} };
  const uploads = createUploads({
    db,
    clock,
    log: () => {},
    files: {
      async put(key: string) {
        await disownMedia(db, "v_1");
        clock.pass(10_000);
        // The sweep has removed the row before the bytes are complete.
        await expect.poll(async () => [removals, await ownerless(db, 1)]).toEqual([1, []]);
        bytes.add(key);
      },
      async remove(key: string) {
        removals++;
        bytes.delete(key);
      },
    } as unknown as Files,
    stage: { start: async () => {}, take: async () => staged },
    quota: { visitor: 1024 * 1024, site: 1024 * 1024 },
  });
  await uploads.start();
  clock.fireDue();
  await expect.poll(clock.waiting).toBe(1);
  const source = (async function* () {})();
  const upload = uploads.take({ visitor: "v_1", site: "default", name: "a.txt", source });
  await expect(upload).rejects.toMatchObject({ code: "unauthorized" });
  expect([...bytes]).toEqual([]);
  expect(await storedBytes(db, { visitor: "v_1", site: "default" })).toEqual({ visitor: 0, site: 0 });
  await uploads.stop();
  await db.close();
});

it("stores no file of a visitor who was deleted while it arrived", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  let puts = 0;
  let arrived = (): void => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const staged = { path: "", size: 1, type: TEXT_TYPE, pixels: undefined, discard: async () => {} };
  const uploads = createUploads({
    db,
    clock: manualClock(1_000_000_000),
    log: () => {},
    files: { put: async () => void puts++ } as unknown as Files,
    stage: { start: async () => {}, take: () => arrival.then(() => staged) },
    quota: { visitor: 1024 * 1024, site: 1024 * 1024 },
  });
  const upload = uploads.take({ visitor: "v_1", site: "default", name: "a.txt", source: (async function* () {})() });
  await forgetVisitor(db, "v_1", 1);
  arrived();
  await expect(upload).rejects.toMatchObject({ code: "unauthorized" });
  expect([puts, await db.all("SELECT key FROM media")]).toEqual([0, []]);
  await db.close();
});

describe("a file of a visitor who never wrote, and is deleted", () => {
  /** Uploads whose file the test lets arrive, and then be stored. */
  async function slowUploads() {
    const db = await openTestDatabase();
    await migrate(db);
    const [arrival, storing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const bytes = new Set<string>();
    let writes = 0;
    const staged = { path: "", size: 1, type: TEXT_TYPE, pixels: undefined, discard: async () => {} };
    const uploads = createUploads({
      db,
      clock: manualClock(1_000_000_000),
      log: () => {},
      files: {
        put: (key: string) => ++writes && storing.promise.then(() => void bytes.add(key)),
        remove: async (key: string) => void bytes.delete(key),
      } as unknown as Files,
      stage: { start: async () => {}, take: () => arrival.promise.then(() => staged) },
      quota: { visitor: 1024 * 1024, site: 1024 * 1024 },
    });
    const upload = (visitor: string) =>
      uploads.take({ visitor, site: "default", name: "a.txt", source: (async function* () {})() });
    const owned = () => db.all("SELECT visitor FROM media WHERE visitor IS NOT NULL");
    return { db, bytes, writes: () => writes, uploads, upload, owned, arrive: arrival.resolve, store: storing.resolve };
  }

  it("is not stored when it arrives later; files of others are", async () => {
    const { db, bytes, writes, uploads, upload, owned, arrive, store } = await slowUploads();
    const [deleted, other] = [upload("v_1"), upload("v_2")];
    uploads.drop("v_1");
    arrive();
    store();
    await expect(deleted).rejects.toMatchObject({ code: "unauthorized" });
    await other;
    expect([writes(), bytes.size, await owned()]).toEqual([1, 1, [{ visitor: "v_2" }]]);
    await upload("v_1");
    expect(await owned()).toHaveLength(2);
    await db.close();
  });

  it("is removed when its bytes are being written", async () => {
    const { db, bytes, uploads, upload, owned, arrive, store } = await slowUploads();
    const deleted = upload("v_1");
    arrive();
    await expect.poll(owned).toHaveLength(1);
    uploads.drop("v_1");
    store();
    await expect(deleted).rejects.toMatchObject({ code: "unauthorized" });
    expect([bytes.size, await owned()]).toEqual([0, []]);
    await db.close();
  });
});
