import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../../base/clock.fixture.ts";
import type { Site } from "../../base/config.ts";
import { silentLog } from "../../base/log.ts";
import { newVisitorId } from "../../base/sign.ts";
import { createBus } from "../../bus/bus.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { openSpool } from "../../db/spool.ts";
import { createSites } from "../../records/sites.ts";
import { messagesBefore } from "../../records/threads.ts";
import { addVisitor, findVisitor, NO_SITE } from "../../records/visitors.ts";
import { parseCallback } from "../../service/callbacks.ts";
import { createReplies, type Reply } from "./replies.ts";

const SIGNING = "signing key of the tests";
const site = (id: string, account: string) => ({ public: { id }, account, channel: "website" }) as Site;
const sites = createSites([site("shop", "one"), site("help", "two")], () => []);

let clock: ManualClock;
let disk: Database;
/** What the database does with a transaction: it runs it, fails it, or never ends it. */
let databaseState: "working" | "failing" | "hanging" = "working";
let visitor: string;
let dir: string;

beforeEach(async () => {
  clock = manualClock(1_000_000);
  databaseState = "working";
  dir = mkdtempSync(join(tmpdir(), "porchlight-"));
  disk = await openTestDatabase();
  await migrate(disk);
  visitor = newVisitorId(SIGNING, clock.now());
  await disk.transaction((tx) => addVisitor(tx, visitor, "help", clock.now()));
});
afterEach(() => disk.close());

const withState = <T>(work: () => Promise<T>): Promise<T> => {
  if (databaseState === "failing") return Promise.reject(new Error("the database is unreachable"));
  return databaseState === "hanging" ? new Promise(() => {}) : work();
};
const db = (): Database => ({
  ...disk,
  // The node is alone with its database, unless a test says otherwise.
  dialect: "sqlite",
  all: (sql, ...values) => withState(() => disk.all(sql, ...values)),
  run: (sql, ...values) => withState(() => disk.run(sql, ...values)),
  transaction: (body) => withState(() => disk.transaction(body)),
  append: (work, item) => withState(() => disk.append(work, item)),
});
const spool = () => openSpool<Reply>(dir, "replies");
const start = (options = {}) =>
  createReplies({
    db: db(),
    bus: createBus(),
    clock,
    sites,
    spool: spool(),
    log: silentLog,
    signing: SIGNING,
    ...options,
  });
/** A node of several that share the database, with a data folder of its own. */
const startNode = (folder: string) => start({ isShared: true, spool: openSpool<Reply>(folder, "replies") });

function callback(fields: object) {
  const parsed = parseCallback(JSON.stringify({ toId: visitor, channel: "website", ...fields }));
  if (parsed.kind !== "reply") throw new Error("not a reply");
  return parsed;
}
const shown = async () => (await messagesBefore(disk, visitor, Number.MAX_SAFE_INTEGER, 100)).map(({ text }) => text);

describe("a reply without a message id", () => {
  const options = callback.bind(undefined, { body: "Please choose an option" });

  it("is shown again when the same text arrives 2 s after a complete answer", async () => {
    const replies = start();
    expect(await replies.receive(options())).toBe("stored");
    replies.answered(options());
    clock.skip(2_000);
    expect(await replies.receive(options())).toBe("stored");
    expect(await shown()).toHaveLength(2);
  });

  it("counts as a duplicate within 2 s, and later too if its sender never got the relay's answer", async () => {
    const replies = start();
    await replies.receive(options());
    replies.answered(options());
    clock.skip(1_999);
    expect(await replies.receive(options())).toBe("duplicate");
    clock.skip(60_000);
    expect(await replies.receive(options())).toBe("duplicate");
    expect(await shown()).toHaveLength(1);
  });

  it("counts as a duplicate within 2 s when another node gets it, or the relay after a restart", async () => {
    expect(await start().receive(options())).toBe("stored");
    clock.skip(1_999);
    const other = start();
    expect(await other.receive(options())).toBe("duplicate");
    expect(await other.receive(callback({ body: "Please choose" }))).toBe("stored");
    other.answered(options());
    clock.skip(2_000);
    expect(await start().receive(options())).toBe("stored");
    expect(await shown()).toHaveLength(3);
  });
});

describe("a captured reply (A4)", () => {
  const captured = () => callback({ messageId: "m1", body: "captured" });

  it("is a duplicate whenever it comes again, also long after its answer and after a restart", async () => {
    const replies = start();
    expect(await replies.receive(captured())).toBe("stored");
    replies.answered(captured());
    clock.skip(86_400_000);
    expect(await replies.receive(captured())).toBe("duplicate");
    expect(await start().receive(captured())).toBe("duplicate");
    expect(await shown()).toEqual(["captured"]);
  });

  it("is stored once when it comes ten times at once, all in one commit", async () => {
    const replies = start();
    // While the first reply is committed, the others wait, and the next commit takes them together.
    const first = replies.receive(callback({ messageId: "m0", body: "first" }));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => replies.receive(captured())));
    expect([await first, ...outcomes.toSorted()]).toEqual(["stored", ...Array(9).fill("duplicate"), "stored"]);
    expect(await shown()).toEqual(["first", "captured"]);
  });
});

describe("a reply to a signed id without a row", () => {
  it("belongs to the only site of the named account, and to no site if several are possible", async () => {
    const placed = async (named?: string) => {
      const toId = newVisitorId(SIGNING, clock.now());
      const parsed = { ...callback({ messageId: toId, body: "hi" }), toId };
      expect(await start().receive(parsed, named)).toBe("stored");
      return (await findVisitor(disk, toId))?.site;
    };
    expect([await placed(), await placed("two")]).toEqual([NO_SITE, "help"]);
  });

  it("is refused when it belongs to another account than the named one, also from the spool", async () => {
    expect(await start().receive(callback({ messageId: "m1", body: "crossed" }), "one")).toBe("unknown");
    databaseState = "failing";
    const replies = start();
    expect(await replies.receive(callback({ messageId: "m2", body: "crossed" }), "one")).toBe("spooled");
    databaseState = "working";
    await start().start();
    expect(await shown()).toEqual([]);
  });
});

describe("a reply that the database cannot take", () => {
  it("goes to the spool after a second without an answer, and later replies keep their order", async () => {
    const replies = start();
    databaseState = "hanging";
    const first = replies.receive(callback({ messageId: "m1", body: "first" }));
    clock.pass(1_000);
    await expect.poll(clock.waiting).toBeGreaterThan(0);
    clock.pass(1_000);
    expect(await first).toBe("spooled");
    databaseState = "working";
    expect(await start().receive(callback({ messageId: "m2", body: "second" }))).toBe("stored");
    expect(await shown()).toEqual(["first", "second"]);
  });

  it("does not cause replies to other visitors to be spooled", async () => {
    const replies = start();
    databaseState = "failing";
    expect(await replies.receive(callback({ messageId: "m1", body: "first" }))).toBe("spooled");
    databaseState = "working";
    const other = newVisitorId(SIGNING, clock.now());
    await disk.transaction((tx) => addVisitor(tx, other, "help", clock.now()));
    expect(await replies.receive(callback({ toId: other, messageId: "m2", body: "elsewhere" }))).toBe("stored");
    expect(await shown()).toEqual([]);
    expect(await replies.receive(callback({ messageId: "m3", body: "second" }))).toBe("stored");
    expect(await shown()).toEqual(["first", "second"]);
  });

  it("is stored half a second later although replies to others are spooled all the time", async () => {
    const replies = start();
    const spoolOne = async (toId: string, messageId: string): Promise<void> => {
      databaseState = "failing";
      expect(await replies.receive(callback({ toId, messageId, body: messageId }))).toBe("spooled");
      databaseState = "working";
    };
    await spoolOne(visitor, "first");
    clock.pass(300);
    await spoolOne(newVisitorId(SIGNING, clock.now()), "elsewhere");
    clock.pass(200);
    await expect.poll(shown).toEqual(["first"]);
  });

  it("is answered within seconds although an earlier spool is slow, and is stored after it", async () => {
    databaseState = "failing";
    const replies = start();
    for (const n of [1, 2, 3]) await replies.receive(callback({ messageId: `m${n}`, body: `number ${n}` }));
    // The next replay stops half-way.
    databaseState = "hanging";
    clock.pass(2_000);
    const late = replies.receive(callback({ messageId: "m4", body: "number 4" }));
    for (let second = 0; second < 3; second++) {
      await expect.poll(clock.waiting).toBeGreaterThan(0);
      clock.pass(1_000);
    }
    expect(await late).toBe("spooled");
    databaseState = "working";
    await start().start();
    expect(await shown()).toEqual(["number 1", "number 2", "number 3", "number 4"]);
  });

  it("delays its visitor's next reply only until it is stored, even while a reply to another visitor still waits", async () => {
    const other = newVisitorId(SIGNING, clock.now());
    await disk.transaction((tx) => addVisitor(tx, other, "help", clock.now()));
    const working = db();
    const append: Database["append"] = (work, item, ...more) =>
      databaseState === "working" && JSON.stringify(item).includes(other)
        ? new Promise(() => {})
        : working.append(work, item, ...more);
    const replies = start({ db: { ...working, append } });
    databaseState = "failing";
    expect(await replies.receive(callback({ toId: other, messageId: "m1", body: "elsewhere" }))).toBe("spooled");
    expect(await replies.receive(callback({ messageId: "m2", body: "first" }))).toBe("spooled");
    databaseState = "working";
    // The first of these waits for the replay to store the earlier reply, and the second finds that it is stored.
    expect(await replies.receive(callback({ messageId: "m3", body: "second" }))).toBe("stored");
    expect(await replies.receive(callback({ messageId: "m4", body: "third" }))).toBe("stored");
    expect([await shown(), spool().waiting]).toEqual([["first", "second", "third"], true]);
  });

  it("is stored once although its account was unknown when it was spooled, and known at the repeat", async () => {
    const replies = start();
    databaseState = "failing";
    expect(await replies.receive(callback({ messageId: "m1", body: "once" }))).toBe("spooled");
    databaseState = "working";
    expect(await replies.receive(callback({ messageId: "m1", body: "once" }))).toBe("duplicate");
    expect(await shown()).toEqual(["once"]);
  });
});

describe("a reply to one of several nodes that share the database", () => {
  const reply = (n: number) => callback({ messageId: `m${n}`, body: `number ${n}` });
  /** Whether a promise has settled once the work of other promises is done. */
  const isAnswered = async (promise: Promise<unknown>): Promise<boolean> => {
    let answered = false;
    void promise.then(() => {
      answered = true;
    });
    await new Promise(setImmediate);
    return answered;
  };

  it("keeps its place when its node is killed while the database fails, and another node gets the callback again", async () => {
    databaseState = "failing";
    const first = startNode(dir).receive(reply(1));
    await expect.poll(() => spool().waiting).toBe(true);
    // The node is killed before it answers: it does nothing more, and the balancer repeats the callback elsewhere.
    expect(await isAnswered(first)).toBe(false);
    databaseState = "working";
    const other = startNode(mkdtempSync(join(tmpdir(), "porchlight-")));
    expect(await other.receive(reply(1))).toBe("stored");
    expect(await other.receive(reply(2))).toBe("stored");
    await startNode(dir).start();
    expect(await shown()).toEqual(["number 1", "number 2"]);
  });

  it("is answered as soon as the database has it", async () => {
    databaseState = "failing";
    const replies = startNode(dir);
    const answers = [replies.receive(reply(1)), replies.receive(reply(2))];
    await expect.poll(() => readFileSync(join(dir, "replies.spool"), "utf8")).toContain("number 2");
    databaseState = "working";
    clock.pass(500);
    expect(await Promise.all(answers)).toEqual(["spooled", "spooled"]);
    expect(await shown()).toEqual(["number 1", "number 2"]);
  });

  it("is answered as soon as the database takes it late, although other replies wait", async () => {
    const late = Promise.withResolvers<void>();
    const slow: Database = {
      ...db(),
      append: (work, item) => late.promise.then(() => disk.append(work, item)),
    };
    const replies = start({ db: slow, isShared: true });
    const first = replies.receive(reply(1));
    await expect.poll(clock.waiting).toBeGreaterThan(0);
    clock.pass(1_000);
    await expect.poll(() => spool().waiting).toBe(true);
    expect(await isAnswered(first)).toBe(false);
    late.resolve();
    expect(await first).toBe("spooled");
    expect([await shown(), spool().waiting]).toEqual([["number 1"], true]);
  });

  it("is answered 4 s after the first spooled reply of an outage, and later ones at once", async () => {
    databaseState = "failing";
    const replies = startNode(dir);
    const first = replies.receive(reply(1));
    await expect.poll(() => spool().waiting).toBe(true);
    clock.pass(3_999);
    expect(await isAnswered(first)).toBe(false);
    clock.pass(1);
    expect(await first).toBe("spooled");
    expect(await replies.receive(reply(2))).toBe("spooled");
  });

  it("is answered when its node stops", async () => {
    databaseState = "failing";
    const replies = startNode(dir);
    const first = replies.receive(reply(1));
    await expect.poll(() => spool().waiting).toBe(true);
    await replies.stop();
    expect(await first).toBe("spooled");
    expect(await replies.receive(reply(2))).toBe("spooled");
  });
});
