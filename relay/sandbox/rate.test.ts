import { describe, expect, it } from "vitest";
import { initialConfig } from "./config.ts";
import type { SandboxConfig } from "./options.ts";
import { setUp } from "./sandbox.fixture.ts";

const NOW = Date.parse("2026-11-21T08:00:00.250Z");

/** A sandbox with a clock fixed at `NOW` that accepts `rateLimit` requests per minute. */
const bench = async (config: Partial<SandboxConfig> = {}) => {
  const all = await setUp({ rateLimit: 3, clock: "virtual", botActive: false, ...config }, { now: () => NOW });
  const statuses = async (n: number) => {
    const found: number[] = [];
    for (let i = 0; i < n; i++) found.push((await all.incoming()).status);
    return found;
  };
  return { ...all, statuses };
};

describe("the rate limit (R-801 to R-804)", () => {
  it("is 120 requests in a minute unless the options say otherwise", () => {
    const { rateLimit, rateWindowMs, rateWindow } = initialConfig();
    expect({ rateLimit, rateWindowMs, rateWindow }).toEqual({
      rateLimit: 120,
      rateWindowMs: 60_000,
      rateWindow: "fixed",
    });
  });

  it("refuses calls above the limit in the endpoint's shape and stores nothing", async () => {
    const { statuses, incoming, call, sandbox } = await bench();
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
    expect((await incoming()).body).toEqual({ error: expect.any(String) });
    const { body } = await call("GET", "/contacts", { query: { email: "a@b.example" } });
    expect(body).toEqual({ error: { code: "RATE_LIMITED", message: expect.any(String) } });
    expect(sandbox.messages()).toHaveLength(3);
  });

  it("frees all places of a fixed window at once", async () => {
    const { statuses, sandbox } = await bench();
    await statuses(1);
    await sandbox.advance(50_000);
    expect(await statuses(3)).toEqual([200, 200, 429]);
    await sandbox.advance(10_000);
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
  });

  it("frees the places of a sliding window one by one", async () => {
    const { statuses, sandbox } = await bench({ rateWindow: "sliding" });
    await statuses(1);
    await sandbox.advance(50_000);
    expect(await statuses(3)).toEqual([200, 200, 429]);
    await sandbox.advance(10_000);
    expect(await statuses(2)).toEqual([200, 429]);
  });

  it("R-803 lets refused calls count in a sliding window when countRefused is on", async () => {
    const { statuses, sandbox } = await bench({ rateWindow: "sliding", countRefused: true });
    await statuses(3);
    await sandbox.advance(30_000);
    expect(await statuses(3)).toEqual([429, 429, 429]);
    await sandbox.advance(30_000);
    expect(await statuses(1)).toEqual([429]);
    await sandbox.advance(60_000);
    expect(await statuses(1)).toEqual([200]);
  });

  it("R-804 does not count requests with a wrong key, and counts the agency separately", async () => {
    const { statuses, call } = await bench({ agencyKey: "second" });
    for (let i = 0; i < 5; i++) expect((await call("POST", "/contacts", { key: "wrong", body: {} })).status).toBe(401);
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    expect((await call("POST", "/contacts", { key: "second", body: {} })).status).toBe(400);
  });

  it("counts per account, so a new key does not open a new window", async () => {
    const { statuses, sandbox } = await bench();
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    sandbox.rotateKey();
    expect(await statuses(1)).toEqual([429]);
  });

  const epoch = String(Date.parse("2026-11-21T08:01:01Z") / 1000);
  it.each([
    [
      "retryAfterSeconds",
      { "retry-after": "60", "x-ratelimit-limit": "3", "x-ratelimit-remaining": "0", "x-ratelimit-reset": epoch },
    ],
    ["retryAfterDate", { "retry-after": "Sat, 21 Nov 2026 08:01:01 GMT" }],
    ["retryAfterMs", { "retry-after-ms": "60000" }],
    ["ietf6", { "ratelimit-limit": "3", "ratelimit-remaining": "0", "ratelimit-reset": "60" }],
    ["ietf8", { "ratelimit-policy": '"default";q=3;w=60', ratelimit: '"default";r=0;t=60' }],
    ["xEpoch", { "x-ratelimit-limit": "3", "x-ratelimit-remaining": "0", "x-ratelimit-reset": epoch }],
    ["resetAfter", { "x-ratelimit-reset-after": "60.000" }],
    ["none", {}],
  ] as const)("R-802 states the waiting time in the style %s", async (rateHeaders, expected) => {
    const { statuses, incoming } = await bench({ rateHeaders });
    await statuses(3);
    const { status, headers } = await incoming();
    const limits = [...headers].filter(([name]) => /rate-?limit|retry/.test(name));
    expect([status, Object.fromEntries(limits)]).toEqual([429, expected]);
  });
});
