import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manualClock } from "../../base/clock.fixture.ts";
import type { Site } from "../../base/config.ts";
import { createLimiter } from "../../base/limiter.ts";
import { silentLog } from "../../base/log.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { createSites } from "../../records/sites.ts";
import { addToken, revokeToken, SCOPES, type Scope } from "../../records/tokens.ts";
import { OPERATIONS } from "./operations.ts";
import { type ApiDeps, api, type Call } from "./router.ts";

const CALLS_PER_MINUTE = 200;
const sites = createSites(
  ["shop", "help"].map((id) => ({ public: { id }, account: "one", channel: "website" }) as Site),
  () => [],
);
let db: Database;
let app: ReturnType<typeof api>;
/** The site and operation of each call that reached a handler. */
let reached: string[];

beforeEach(async () => {
  [db, reached] = [await openTestDatabase(), []];
  await migrate(db);
  const clock = manualClock();
  const handlers = new Proxy(
    {},
    { get: (_, name) => async (call: Call) => ({ reached: reached.push(`${call.site.public.id} ${String(name)}`) }) },
  );
  const limiter = createLimiter({ burst: CALLS_PER_MINUTE, perMinute: CALLS_PER_MINUTE, uptime: clock.uptime });
  app = api({ db, clock, sites, handlers, limiter, log: silentLog } as unknown as ApiDeps);
});
afterEach(() => db.close());

const token = (scopes: readonly Scope[], site = "shop") =>
  db.transaction((tx) => addToken(tx, { site, name: "tests", scopes, now: 0 }));

/** Calls an operation. @returns the status and, of a refusal, its code */
async function call(name: keyof typeof OPERATIONS, text: string): Promise<string> {
  const { method, path } = OPERATIONS[name];
  const init = {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${text}`, "Idempotency-Key": `${name} ${reached.length}` },
  };
  const incoming = Object.assign(Readable.from(["{}"]), { headers: {} });
  const answer = await app.request(`/api/v1${path.replaceAll(/\{\w+\}/g, "x")}`, init, { incoming } as never);
  const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
  return [answer.status, code].filter((part) => part !== undefined).join(" ");
}
const NAMES = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];

describe("a token of the API (A35)", () => {
  it("allows the operations of its scopes, and no other one", async () => {
    for (const name of NAMES) {
      const { scope } = OPERATIONS[name];
      const without = await token(SCOPES.filter((each) => each !== scope));
      expect(await call(name, without.text), name).toBe("403 forbidden");
      expect(reached).toEqual([]);
      expect(await call(name, (await token([scope])).text), name).not.toMatch(/^40[13]/);
      reached = [];
    }
  });

  it("determines the site of every operation", async () => {
    await call("listVisitors", (await token(SCOPES)).text);
    await call("listVisitors", (await token(SCOPES, "help")).text);
    expect(reached).toEqual(["shop listVisitors", "help listVisitors"]);
  });

  it("allows nothing when it is missing, forged, revoked, or of a removed site", async () => {
    const { text, token: good } = await token(SCOPES);
    const gone = await token(SCOPES, "closed");
    const forged = [`${text.slice(0, -4)}AAAA`, text.slice(0, -1), text.toUpperCase(), "", gone.text];
    for (const name of NAMES) for (const each of forged) expect(await call(name, each)).toBe("401 unauthorized");
    expect(await call("listVisitors", text)).toBe("200");
    await db.transaction((tx) => revokeToken(tx, good.id, 1));
    expect(await call("listVisitors", text)).toBe("401 unauthorized");
  });

  it("may make a limited number of calls in a minute, and other tokens may still call afterwards", async () => {
    const { text } = await token(SCOPES);
    for (let n = 0; n < CALLS_PER_MINUTE; n++) await call("listVisitors", text);
    expect(await call("listVisitors", text)).toBe("429 rate_limited");
    expect(await call("listVisitors", (await token(SCOPES)).text)).toBe("200");
  });
});
