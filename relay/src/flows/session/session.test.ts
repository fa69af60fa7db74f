import { CLOSE } from "@porchlight/shared/close";
import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, realClock } from "../../base/clock.ts";
import type { Site } from "../../base/config.ts";
import { signSession, verifySession } from "../../base/sign.ts";
import { createBus } from "../../bus/bus.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { addDeletion } from "../../records/deletions.ts";
import { createSites } from "../../records/sites.ts";
import { addVisitor } from "../../records/visitors.ts";
import { createForget } from "../forget.ts";
import { createSession, type OpenedSession } from "./session.ts";

const ORIGIN = "https://shop.example";
const DAY = 86_400_000;
const MINUTE = 60_000;

let db: Database;
let now: number;
beforeEach(async () => {
  db = await openTestDatabase();
  now = Date.now();
});
afterEach(() => db.close());

/** The sessions of one run of the relay, on the test's database. @param person every signed identity is this one */
async function createRelay(rules: Partial<Site> = {}, person?: string) {
  const epoch = await migrate(db);
  const clock: Clock = { ...realClock, now: () => now };
  const bus = createBus();
  const site = { account: "main", origins: [ORIGIN], channel: "website", business: "default", campaign: undefined };
  const other = { ...site, public: { ...DEFAULT_SITE, id: "other" }, origins: ["https://other.example"] };
  const sites = createSites([{ ...site, public: DEFAULT_SITE, ...rules }, other], () => []);
  const parts = { db, bus, clock, signing: "signing key", epoch, sites, wake: () => {} };
  const identity = () => (person === undefined ? undefined : async () => ({ subject: person, claims: {} }));
  const sessions = createSession({ ...parts, identity, nameOf: async () => undefined });
  const greet = (token?: string) =>
    sessions.open({ t: "hello", v: PROTOCOL, site: "default", ...(token !== undefined && { token }) }, ORIGIN);
  /** The token after a greeting with the given one; undefined when it was refused. */
  async function use(token: string): Promise<string | undefined> {
    const opened = await greet(token);
    return "visitor" in opened ? (opened.welcome.token ?? token) : undefined;
  }
  return { ...sessions, bus, greet, use };
}

/** A visitor who has written, and their token. */
async function writer({ greet }: Awaited<ReturnType<typeof createRelay>>) {
  const { visitor, welcome } = (await greet()) as OpenedSession;
  await db.transaction((tx) => addVisitor(tx, visitor, "default", now));
  return { visitor, token: welcome.token ?? "" };
}

/** @param token of an anonymous session of the same browser */
async function logIn(relay: Awaited<ReturnType<typeof createRelay>>, token?: string) {
  const hello = { t: "hello", v: PROTOCOL, site: "default", identity: "signed", ...(token && { token }) } as const;
  const { visitor, session, welcome } = (await relay.open(hello, ORIGIN)) as OpenedSession;
  return { visitor, session, token: welcome.token ?? "" };
}

const countOf = async (table: string): Promise<number> =>
  (await db.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n ?? 0;
const rotations = (): Promise<number> => countOf("session_turns");

describe("the session of an anonymous visitor whose deletion has begun", () => {
  it("ends with a login, and nothing of the rest is moved to the user", async () => {
    const relay = await createRelay({}, "ada");
    const { visitor, token } = await writer(relay);
    await db.run(
      "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ($1, 1, 1, 'm', 'visitor', 1, 'hello')",
      visitor,
    );
    await db.transaction((tx) => addDeletion(tx, { visitor, begun: now, staleBefore: undefined }));
    const user = await logIn(relay, token);
    expect(await db.all("SELECT visitor FROM messages")).toEqual([{ visitor }]);
    expect(await relay.greet(token)).toBe(CLOSE.badToken);
    await createForget({ db, bus: relay.bus, clock: realClock })(visitor, { resume: true });
    expect([await countOf("messages"), await relay.use(user.token)]).toEqual([0, user.token]);
  });
});

describe("a session's token (A8)", () => {
  it("is replaced at most once a day when it is used; the new token is stored at its first use", async () => {
    const relay = await createRelay();
    const { token } = await writer(relay);
    expect(await relay.use(token)).toBe(token);
    now += DAY + 1;
    const second = (await relay.use(token)) ?? "";
    expect([second === token, await rotations()]).toEqual([false, 0]);
    expect([await relay.use(second), await rotations()]).toEqual([second, 1]);
    for (let n = 0; n < 100; n++) expect(await relay.use(second)).toBe(second);
    expect(await rotations()).toBe(1);
  });

  it("stays valid until the new one is used, so a lost answer locks nobody out", async () => {
    const relay = await createRelay();
    const { token } = await writer(relay);
    for (let day = 0; day < 30; day++) {
      now += DAY + 1;
      expect(await relay.use(token)).toEqual(expect.any(String));
    }
  });

  it("is accepted for a grace period after its replacement, and the answer contains the new token", async () => {
    const relay = await createRelay();
    const { token, visitor } = await writer(relay);
    now += DAY + 1;
    const second = (await relay.use(token)) ?? "";
    await relay.use(second);
    now += 9 * MINUTE;
    const caught = (await relay.use(token)) ?? "";
    expect(await relay.findByToken(token, ORIGIN)).toMatchObject({ visitor });
    now += DAY;
    expect(await relay.use(caught)).toEqual(expect.any(String));
    expect(await relay.use(second)).toEqual(expect.any(String));
  });

  it("that is used after its replacement ends the session everywhere, also after a restart", async () => {
    const relay = await createRelay();
    const { token, visitor } = await writer(relay);
    now += DAY + 1;
    const second = (await relay.use(token)) ?? "";
    await relay.use(second);
    now += 11 * MINUTE;
    const after = await createRelay();
    const published: unknown[] = [];
    after.bus.subscribe(visitor, ({ ended }) => void published.push(ended));
    expect(await after.greet(token)).toBe(CLOSE.badToken);
    expect(published).toHaveLength(1);
    expect(await after.greet(second)).toBe(CLOSE.badToken);
    expect(await (await createRelay()).greet(second)).toBe(CLOSE.badToken);
  });

  it("is refused for an upload when it is too old, but does not end the session, because a tab may keep it for long", async () => {
    const relay = await createRelay();
    const { token } = await writer(relay);
    now += DAY + 1;
    const second = (await relay.use(token)) ?? "";
    await relay.use(second);
    now += 11 * MINUTE;
    expect(await relay.findByToken(token, ORIGIN)).toBeUndefined();
    expect(await relay.use(second)).toBe(second);
  });

  it("gives no access to pages of an origin that its site does not list (A7)", async () => {
    const relay = await createRelay();
    const { visitor, token } = await writer(relay);
    const hello = { t: "hello", v: PROTOCOL, site: "default", token } as const;
    for (const origin of ["https://evil.example", "https://other.example"]) {
      expect(await relay.open(hello, origin)).toBe(CLOSE.notAllowed);
      expect(await relay.findByToken(token, origin)).toBeUndefined();
    }
    expect(await relay.findByToken(token, ORIGIN)).toEqual({ visitor, site: "default" });
  });

  it("gives no access at another site of the relay (A10)", async () => {
    const relay = await createRelay();
    const { token } = await writer(relay);
    const hello = { t: "hello", v: PROTOCOL, site: "other", token } as const;
    expect(await relay.open(hello, "https://other.example")).toBe(CLOSE.badToken);
  });

  it("gives no access for a visitor whose id was not signed, or after the visitor's sessions were ended (A2, A8)", async () => {
    const relay = await createRelay();
    const { token } = await writer(relay);
    const session = verifySession("signing key", token, now);
    if (session === undefined) throw new Error("The token is not valid");
    for (const changed of [{ visitor: "v_nobody" }, { generation: session.generation + 1 }])
      expect(await relay.greet(signSession("signing key", { ...session, ...changed }))).toBe(CLOSE.badToken);
  });

  it("of an anonymous visitor gives no access where the site requires signed identities (A9)", async () => {
    const { token } = await writer(await createRelay());
    const strict = await createRelay({ requireIdentity: true });
    expect([await strict.greet(token), await strict.greet()]).toEqual([CLOSE.badToken, CLOSE.badToken]);
  });

  it("is not stored for a visitor who never wrote", async () => {
    const relay = await createRelay();
    let token = ((await relay.greet()) as OpenedSession).welcome.token ?? "";
    for (let day = 0; day < 5; day++) {
      now += DAY + 1;
      token = (await relay.use(token)) ?? "";
    }
    expect([token === "", await rotations()]).toEqual([false, 0]);
  });
});

describe("the rows about the sessions of one user (A27)", () => {
  it("are at most 100, however often the user logs in and out: at the limit, all sessions end", async () => {
    const relay = await createRelay({}, "ada");
    const phone = await logIn(relay);
    const published: unknown[] = [];
    relay.bus.subscribe(phone.visitor, ({ ended }) => void published.push(ended));
    const tokens: string[] = [];
    for (let n = 0; n < 100; n++) {
      const { visitor, session, token } = await logIn(relay);
      await relay.logout(visitor, session);
      tokens.push(token);
    }
    expect([await countOf("revoked"), await relay.use(phone.token)]).toEqual([100, phone.token]);
    const { visitor, session, token } = await logIn(relay);
    await relay.logout(visitor, session);
    expect([await countOf("revoked"), published.at(-1)]).toEqual([0, "*"]);
    for (const each of [...tokens, token, phone.token]) expect(await relay.greet(each)).toBe(CLOSE.badToken);
    const again = await logIn(relay);
    expect(await relay.use(again.token)).toBe(again.token);
  });

  it("are at most 100, on however many devices a token is replaced: at the limit, all sessions end", async () => {
    const relay = await createRelay({}, "ada");
    const devices: string[] = [];
    for (let n = 0; n <= 100; n++) devices.push((await logIn(relay)).token);
    now += DAY + 1;
    const replaced: string[] = [];
    for (const token of devices) replaced.push((await relay.use(token)) ?? "");
    for (const token of replaced.slice(0, 100)) expect(await relay.use(token)).toBe(token);
    expect(await rotations()).toBe(100);
    expect(await relay.greet(replaced[100])).toBe(CLOSE.badToken);
    expect(await rotations()).toBe(0);
    for (const token of [...devices, ...replaced]) expect(await relay.greet(token)).toBe(CLOSE.badToken);
  });

  it("are deleted with the user", async () => {
    const relay = await createRelay({}, "ada");
    const { visitor, session, token } = await logIn(relay);
    await relay.logout(visitor, session);
    await createForget({ db, bus: relay.bus, clock: realClock })(visitor);
    expect([await countOf("revoked"), await relay.greet(token)]).toEqual([0, CLOSE.badToken]);
    await logIn(relay);
    expect(await relay.greet(token)).toBe(CLOSE.badToken);
  });
});
