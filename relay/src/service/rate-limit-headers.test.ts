import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { corpus } from "../../../test/corpora.ts";
import { httpDate, statedLimit, statedWait } from "./rate-limit-headers.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 20, 0);

type Vector = { status: number; headers: Record<string, string>; expectSeconds: number | null; note?: string };
const read = <T>(path: string): T[] => (existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T[]) : []);
const lower = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

describe("the waiting time that the service states", () => {
  it("matches every test vector of the contract (corpora/rate-limit)", () => {
    for (const { status, headers, expectSeconds } of read<Vector>(corpus("rate-limit/vectors.json"))) {
      const wait = statedWait(status, lower(headers), NOW);
      expect([status, headers, wait === undefined ? null : wait / 1_000]).toEqual([status, headers, expectSeconds]);
    }
  });

  it("is read from the first of the headers in the order of R-802", () => {
    const inOrder = [
      ["retry-after-ms", "1000"],
      ["retry-after", "2"],
      ["ratelimit", '"default";r=0;t=3'],
      ["ratelimit-reset", "4"],
      ["x-ratelimit-reset", "5"],
      ["x-rate-limit-reset", "6"],
      ["x-ratelimit-reset-after", "7"],
      ["x-ratelimit-reset-requests", "8s"],
    ] as const;
    for (const n of inOrder.keys())
      expect(statedWait(429, Object.fromEntries(inOrder.slice(n)), NOW), inOrder[n]?.[0]).toBe((n + 1) * 1_000);
  });

  it("is computed with the service's own clock when it sends a Date header", () => {
    const headers = { date: "Fri, 20 Nov 2026 10:00:00 GMT", "retry-after": "Fri, 20 Nov 2026 10:01:00 GMT" };
    expect(statedWait(429, headers, NOW)).toBe(60_000);
  });

  it.each([
    [{ "x-ratelimit-reset-after": "1.0001" }, 1_001],
    [{ "x-ratelimit-reset-after": "0.000001" }, 1],
    [{ "x-ratelimit-reset-requests": "1m0.5ms" }, 60_001],
  ])("is whole milliseconds, because PostgreSQL stores no others: %j", (headers, wait) => {
    expect(statedWait(429, headers, NOW)).toBe(wait);
  });

  it("is never more than an hour and never negative", () => {
    expect(statedWait(429, { "retry-after": "999999999" }, NOW)).toBe(3_600_000);
    expect(statedWait(429, { "retry-after": "Fri, 20 Nov 2020 10:00:00 GMT" }, NOW)).toBe(0);
  });
});

it("accepts only the three HTTP date forms, and never throws (corpora/http-dates)", () => {
  for (const name of ["examples.json", "bsd-examples.json"]) {
    for (const { test } of read<{ test: string }>(corpus(`http-dates/${name}`))) {
      const date = httpDate(test, NOW);
      if (date !== undefined) expect(Number.isSafeInteger(date)).toBe(true);
    }
  }
  expect(httpDate("Fri, 20 Nov 2026 10:22:00 GMT", NOW)).toBe(NOW + 120_000);
  expect(httpDate("120", NOW)).toBeUndefined();
  expect(httpDate("2026-11-20T10:22:00Z", NOW)).toBeUndefined();
  expect(httpDate("Fri, 99 Nov 2026 10:22:00 GMT", NOW)).toBeUndefined();
});

it("learns the limit from each style that states it, and ignores a malformed field as a whole", () => {
  expect(statedLimit({ "x-ratelimit-limit": "30", "x-ratelimit-remaining": "3" })).toEqual({ limit: 30, remaining: 3 });
  expect(statedLimit({ ratelimit: '"permin";r=1;t=20', "ratelimit-policy": '"permin";q=60;w=60' })).toEqual({
    limit: 60,
    remaining: 1,
    windowMs: 60_000,
  });
  expect(statedLimit({ ratelimit: "limit=100, remaining=0, reset=30" })).toEqual({ limit: 100, remaining: 0 });
  expect(statedLimit({ "ratelimit-limit": "60", "ratelimit-remaining": "59" })).toEqual({ limit: 60, remaining: 59 });
  expect(statedLimit({ ratelimit: '"a";r=1;t=2;;', "ratelimit-policy": '"a";q=x' })).toEqual({});
});

it("accepts the other parameters of the RateLimit drafts: partition key and unit", () => {
  expect(statedWait(429, { ratelimit: '"default";r=0;t=30;pk=:cHJvamVjdA==:' }, NOW)).toBe(30_000);
  expect(statedLimit({ ratelimit: '"d";r=1;t=2', "ratelimit-policy": '"d";q=60;w=60;qu="requests"' })).toMatchObject({
    limit: 60,
    windowMs: 60_000,
  });
});

it("accepts separators inside the name of a policy", () => {
  expect(statedWait(429, { ratelimit: '"a,b;c";r=0;t=30' }, NOW)).toBe(30_000);
});

it("stops after a success when any of several policies is exhausted", () => {
  expect(statedWait(200, { ratelimit: '"a";r=5;t=10, "b";r=0;t=50' }, NOW)).toBe(50_000);
});

it("waits for the stated time after a refusal, even when the headers state calls left", () => {
  expect(statedWait(429, { ratelimit: '"burst";r=5;t=10' }, NOW)).toBe(10_000);
});

it("refuses 31 February", () => {
  expect(httpDate("Sat, 31 Feb 2026 10:22:00 GMT", NOW)).toBeUndefined();
});

const FILES = ["dictionary", "list", "item", "param-dict", "string", "number", "token", "boolean", "binary"];
const HEADERS = ["ratelimit", "ratelimit-policy", "ratelimit-limit", "retry-after", "x-ratelimit-reset"];

it("returns nothing or a value in range for every structured field, and never throws (corpora/structured-fields)", () => {
  for (const path of FILES.map((name) => corpus(`structured-fields/${name}.json`)).filter(existsSync)) {
    for (const { raw } of JSON.parse(readFileSync(path, "utf8")) as { raw: string[] }[]) {
      for (const header of HEADERS) {
        const wait = statedWait(429, { [header]: raw }, NOW) ?? 0;
        expect(wait, `${header}: ${raw}`).toBeGreaterThanOrEqual(0);
        expect(wait, `${header}: ${raw}`).toBeLessThanOrEqual(3_600_000);
        expect(() => statedLimit({ [header]: raw })).not.toThrow();
      }
    }
  }
});
