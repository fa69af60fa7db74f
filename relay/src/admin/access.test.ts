import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { auditPage } from "../records/operators.ts";
import { createAccess } from "./access.ts";
import { createAdminSessions } from "./sessions.ts";

const ADDRESS = "192.0.2.1";
const HOST = "127.0.0.1:9000";
const clock = { now: () => 0, uptime: () => 0, after: () => () => {} };

/** A database without tokens of sites. Sessions are kept by their hash. */
function memory(): Database {
  const sessions = new Map<unknown, object>();
  const tx = {
    all: async (_: string, hash: unknown) => [sessions.get(hash)].filter((found) => found !== undefined),
    run: async (
      sql: string,
      hash: unknown,
      created: unknown,
      seen: unknown,
      address: unknown,
      role: unknown,
      site: unknown,
    ) => {
      if (!sql.startsWith("INSERT")) return 0;
      if (sessions.has(hash)) throw new Error("UNIQUE constraint failed");
      return sessions.set(hash, { hash, created, seen, address, role, site }).size;
    },
  };
  return { ...tx, transaction: (work: (given: unknown) => Promise<unknown>) => work(tx) } as unknown as Database;
}

const accessWith = (db: Database, token: string, readToken?: string) =>
  createAccess({ db, clock, token, readToken, networkOf: () => ADDRESS, publicOrigin: "https://chat.example.com" });

it("the right token is refused when it is one of many guesses sent at the same time", async () => {
  const access = accessWith(memory(), "the-right-token");
  const guesses = Array.from({ length: 50 }, (_, n) => (n === 30 ? "the-right-token" : `wrong-token-${n}`));
  const found = await Promise.all(guesses.map((guess) => access.credentialOf(ADDRESS, guess, HOST)));
  expect(found.filter((each) => each !== undefined)).toEqual([]);
});

it("requests without a token, which any web page can cause, do not lock an address", async () => {
  const access = accessWith(memory(), "the-right-token");
  for (let n = 0; n < 50; n++) expect(await access.credentialOf(ADDRESS, "", HOST)).toBeUndefined();
  expect(await access.credentialOf(ADDRESS, "the-right-token", HOST)).toMatchObject({ name: "admin" });
});

it("a page whose name leads to the relay (DNS rebinding) does not lock the operator in whose browser it is open", async () => {
  const access = accessWith(memory(), "the-right-token", "the-reader-token");
  const flood = async (host: string): Promise<void> => {
    for (let n = 0; n < 50; n++) await access.credentialOf(ADDRESS, `wrong-token-${n}`, host);
  };
  const works = async (host: string | undefined): Promise<boolean> =>
    (await access.credentialOf(ADDRESS, "the-right-token", host)) !== undefined;
  expect(await works("admin.vpn.example:9000")).toBe(true);
  expect(await access.credentialOf(ADDRESS, "the-reader-token", "evil.example:9000")).toMatchObject({ name: "reader" });
  for (let n = 0; n < 10; n++) await flood(`${n}.evil.example:9000`);
  await flood("evil.example:9000");
  const own = [
    HOST,
    "[::1]:9000",
    "localhost",
    "porchlight.localhost:9000",
    "chat.example.com",
    "admin.vpn.example:9000",
  ];
  for (const host of own) expect([host, await works(host)]).toEqual([host, true]);
  for (const host of ["evil.example:9000", "other.example", "127.0.0.1.evil.example", "", undefined, "a b"])
    expect([host, await works(host)]).toEqual([host, false]);
  await flood("localhost:9000");
  for (const host of own) expect([host, await works(host)]).toEqual([host, false]);
});

it("a session ends when ADMIN_TOKEN or ADMIN_READ_TOKEN is replaced", async () => {
  const db = memory();
  const at = (token: string, readToken?: string) => {
    const access = accessWith(db, token, readToken);
    return { access, sessions: createAdminSessions({ db, clock, log: () => {}, access }) };
  };
  const before = at("first-token", "first-reader");
  const open = async (token: string): Promise<string> => {
    const credential = await before.access.credentialOf(ADDRESS, token, HOST);
    if (credential === undefined) throw new Error("The token is not known");
    return (await before.sessions.open(ADDRESS, credential)) ?? "";
  };
  const [admin, reader] = [await open("first-token"), await open("first-reader")];
  expect(await before.sessions.viewerOf(admin)).toEqual({ role: "admin", site: null });
  const after = at("second-token", "first-reader").sessions;
  expect(await after.viewerOf(admin)).toBeUndefined();
  expect(await after.viewerOf(reader)).toEqual({ role: "reader", site: null });
  expect(await at("first-token").sessions.viewerOf(reader)).toBeUndefined();
});

// SQLITE_FULL (sqlite.org/rescode.html).
const diskIsFull = () => Promise.reject(Object.assign(new Error("disk is full"), { errcode: 13 }));

/** A database whose disk is full until `disk.full` is false. */
function onFullDisk(db: Database): { refusing: Database; disk: { full: boolean } } {
  const disk = { full: true };
  const transaction: Database["transaction"] = (...given) => (disk.full ? diskIsFull() : db.transaction(...given));
  return { refusing: { ...db, transaction }, disk };
}

it("an operator signs in while the database accepts no writes, and the session is stored when it accepts them again", async () => {
  const db = memory();
  const { refusing, disk } = onFullDisk(db);
  const access = accessWith(refusing, "the-right-token");
  const lines: string[] = [];
  const log = (event: string): void => void lines.push(event);
  const start = () => createAdminSessions({ db: refusing, clock, log, access });
  const sessions = start();
  const credential = await access.credentialOf(ADDRESS, "the-right-token", HOST);
  if (credential === undefined) throw new Error("The token is not known");
  const secret = (await sessions.open(ADDRESS, credential)) ?? "";
  expect(lines).toEqual(["admin.unsaved"]);
  expect(await sessions.viewerOf(secret)).toEqual({ role: "admin", site: null });
  expect(await start().viewerOf(secret)).toBeUndefined();
  disk.full = false;
  const requests = await Promise.all([sessions.viewerOf(secret), sessions.viewerOf(secret)]);
  expect(requests).toEqual(Array(2).fill({ role: "admin", site: null }));
  expect(await start().viewerOf(secret)).toEqual({ role: "admin", site: null });
});

it("keeps at most 100 sessions in memory while the database accepts no writes; readers' sessions never replace an admin's", async () => {
  const db: Database = { ...memory(), transaction: diskIsFull };
  const access = accessWith(db, "the-right-token", "the-reader-token");
  const sessions = createAdminSessions({ db, clock, log: () => {}, access });
  const open = (name: string, role: "admin" | "reader") =>
    sessions.open(ADDRESS, { name, viewer: { role, site: null } });
  const secrets = [await open("admin", "admin")];
  for (let n = 0; n < 150; n++) secrets.push(await open("reader", "reader"));
  const viewers = await Promise.all(secrets.map((secret = "") => sessions.viewerOf(secret)));
  expect(viewers[0]).toEqual({ role: "admin", site: null });
  expect(viewers.filter((viewer) => viewer !== undefined)).toHaveLength(100);
  expect(viewers.at(-1)).toEqual({ role: "reader", site: null });
});

it("a session works if it was stored although the database reported a failure, and has one entry in the audit log", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  let failures = 0;
  const failingOnce: Database = {
    ...db,
    async transaction(...given) {
      const result = await db.transaction(...given);
      // The connection is lost after the commit (postgresql.org/docs/current/errcodes-appendix.html).
      if (failures++ === 0) throw Object.assign(new Error("connection lost"), { code: "08006" });
      return result;
    },
  };
  const access = accessWith(failingOnce, "the-right-token");
  const sessions = createAdminSessions({ db: failingOnce, clock, log: () => {}, access });
  const secret = (await sessions.open(ADDRESS, { name: "admin", viewer: { role: "admin", site: null } })) ?? "";
  expect(await sessions.viewerOf(secret)).toEqual({ role: "admin", site: null });
  expect(await auditPage(db, 10)).toHaveLength(1);
  await db.close();
});

it("a reader opens at most 20 sessions at once from an address, because each leaves a permanent entry; an admin any number", async () => {
  const access = accessWith(memory(), "the-right-token", "the-reader-token");
  const allowed = async (token: string, address: string): Promise<number> => {
    const credential = await access.credentialOf(address, token, HOST);
    if (credential === undefined) throw new Error("The token is not known");
    return Array.from({ length: 100 }, () => access.maySignIn(address, credential)).filter((may) => may).length;
  };
  expect(await allowed("the-reader-token", ADDRESS)).toBe(20);
  expect(await allowed("the-reader-token", "192.0.2.2")).toBe(20);
  expect(await allowed("the-right-token", ADDRESS)).toBe(100);
});

describe("ending sessions", () => {
  let db: Database;
  beforeEach(async () => {
    db = await openTestDatabase();
    await migrate(db);
  });
  afterEach(() => db.close());

  /** Holds the next transaction until another one has ended, as PostgreSQL may do. */
  function holdNextTransaction() {
    const begun = Promise.withResolvers<void>();
    const other = Promise.withResolvers<void>();
    const { transaction } = db;
    db.transaction = async (...given) => {
      db.transaction = transaction;
      begun.resolve();
      await other.promise;
      return transaction(...given);
    };
    return { began: begun.promise, goOn: other.resolve };
  }

  /** One process with a session that is stored, and one that is only in memory because the disk is full. */
  async function twoSessions() {
    const { refusing, disk } = onFullDisk(db);
    const access = accessWith(refusing, "the-right-token");
    const sessions = createAdminSessions({ db: refusing, clock, log: () => {}, access });
    const open = async (): Promise<string> =>
      (await sessions.open(ADDRESS, { name: "admin", viewer: { role: "admin", site: null } })) ?? "";
    disk.full = false;
    const stored = await open();
    disk.full = true;
    const secrets = [stored, await open()];
    const valid = async (): Promise<boolean[]> =>
      (await Promise.all(secrets.map((secret) => sessions.viewerOf(secret)))).map((viewer) => viewer !== undefined);
    return { disk, sessions, secrets, valid };
  }

  it("fails on a full disk and then ends none; all of them end when the disk has room", async () => {
    const { disk, sessions, secrets, valid } = await twoSessions();
    await expect(sessions.endAll()).rejects.toThrow("disk is full");
    expect(await valid()).toEqual([true, true]);
    await expect(sessions.end(secrets[1] ?? "")).rejects.toThrow("disk is full");
    expect(await valid()).toEqual([true, true]);
    disk.full = false;
    await sessions.endAll();
    expect(await valid()).toEqual([false, false]);
  });

  it("also ends a session that only another process has in memory, before and after the disk has room", async () => {
    for (const full of [true, false]) {
      const { disk, valid } = await twoSessions();
      const other = createAdminSessions({ db, clock, log: () => {}, access: accessWith(db, "the-right-token") });
      expect(await valid()).toEqual([true, true]);
      await other.endAll();
      disk.full = full;
      expect(await valid()).toEqual([false, false]);
    }
  });

  it("does not end a session in memory that was opened after all others had ended", async () => {
    const { sessions } = await twoSessions();
    const other = createAdminSessions({ db, clock, log: () => {}, access: accessWith(db, "the-right-token") });
    await other.endAll();
    const secret = await sessions.open(ADDRESS, { name: "admin", viewer: { role: "admin", site: null } });
    expect(await sessions.viewerOf(secret ?? "")).toEqual({ role: "admin", site: null });
  });

  it("does not store a session again that another process ends at the same time", async () => {
    const { disk, sessions, secrets, valid } = await twoSessions();
    const other = createAdminSessions({ db, clock, log: () => {}, access: accessWith(db, "the-right-token") });
    disk.full = false;
    const storing = holdNextTransaction();
    const request = sessions.viewerOf(secrets[1] ?? "");
    await storing.began;
    storing.goOn(other.endAll());
    await request;
    expect(await valid()).toEqual([false, false]);
  });

  it("also ends a session that another request is about to store", async () => {
    const { disk, sessions, secrets, valid } = await twoSessions();
    disk.full = false;
    const storing = holdNextTransaction();
    const request = sessions.viewerOf(secrets[1] ?? "");
    await storing.began;
    const ending = sessions.endAll();
    storing.goOn(ending);
    await Promise.all([request, ending]);
    expect(await valid()).toEqual([false, false]);
  });
});
