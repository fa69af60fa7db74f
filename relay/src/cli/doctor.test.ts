import { expect, it } from "vitest";
import { checkChats, checkDatabase, checkNodeClock } from "./doctor.ts";

it.each([
  ["sqlite:/data/porchlight.db", "sqlite:/data/porchlight.db", "Make room on that disk"],
  [
    "postgres://user:secret@db.internal:5432/chat?password=secret",
    "PostgreSQL at db.internal:5432/chat",
    "Check that it runs",
  ],
])("says what to do when %s accepts no writes, and never a password", async (databaseUrl, where, cure) => {
  const db = { run: () => Promise.reject(new Error("disk full")) };
  const { ok, found, cure: given } = await checkDatabase({ db, settings: { databaseUrl } } as never);
  expect([ok, found]).toEqual([false, `${where} accepts no writes: Error: disk full`]);
  expect(given).toContain(cure);
});

it.each([
  [9_000, true, "9 s apart"],
  [-30_000, false, "-30 s apart"],
])("compares the clock of a node, which is %i ms ahead, with PostgreSQL's", async (ahead, ok, found) => {
  const now = Date.UTC(2026, 10, 28);
  const db = { dialect: "postgres", all: async () => [{ at: now - ahead }] };
  expect(await checkNodeClock({ db, clock: { now: () => now } } as never)).toMatchObject([{ ok, found }]);
});

it("compares no clock with SQLite, which has none, or with a PostgreSQL that does not answer", async () => {
  const clock = { now: () => 0 };
  const away = { dialect: "postgres", all: () => Promise.reject(new Error("ECONNREFUSED")) };
  for (const db of [{ dialect: "sqlite" }, away]) expect(await checkNodeClock({ db, clock } as never)).toEqual([]);
});

it.each([
  [8_100, { memory: 512 * 1024 * 1024 }, true, "at most 8100 (512 MB of memory)"],
  [4_000, "SOCKETS_TOTAL", true, "at most 4000 (SOCKETS_TOTAL)"],
  [20_000, "SOCKETS_TOTAL", false, "at most 20000 (SOCKETS_TOTAL); 512 MB of memory are enough for 8100"],
  [0, "SOCKETS_TOTAL", false, "no limit (SOCKETS_TOTAL); 512 MB of memory are enough for 8100"],
])("says how many chats may be open, and why: %i", (socketsTotal, socketsTotalFrom, ok, found) => {
  const context = { settings: { socketsTotal, socketsTotalFrom } } as never;
  expect(checkChats(context, 512 * 1024 * 1024)).toMatchObject({ ok, found });
});

it("accepts more open chats than the default allows, where the memory is enough for them", () => {
  const context = { settings: { socketsTotal: 50_000, socketsTotalFrom: "SOCKETS_TOTAL" } } as never;
  expect(checkChats(context, 4 * 1024 ** 3)).toMatchObject({ ok: true, found: "at most 50000 (SOCKETS_TOTAL)" });
});
