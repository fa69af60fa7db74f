import { describe, expect, it } from "vitest";
import type { FaultKind } from "./fault.ts";
import { type Bench, setUp } from "./sandbox.fixture.ts";

const find = ({ call }: Bench) => call("GET", "/contacts", { query: { email: "nobody@b.example" } });

/** Statuses of `n` look-ups; 0 for a broken connection. */
async function statuses(bench: Bench, n: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < n; i++)
    found.push(
      await find(bench).then(
        ({ status }) => status,
        () => 0,
      ),
    );
  return found;
}

describe("scripted faults (failNext)", () => {
  it("apply to the next n requests of their route, one script after another, and to no other route", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("findContact", 2, 500);
    bench.sandbox.failNext("findContact", 1, { kind: "status", status: 503 });
    expect((await bench.incoming()).status).toBe(200);
    expect(await statuses(bench, 5)).toEqual([500, 500, 503, 404, 404]);
    expect(bench.sandbox.requests().map(({ fault }) => fault)).toEqual([
      undefined,
      "status",
      "status",
      "status",
      undefined,
      undefined,
    ]);
  });

  it("apply to any request when the route is *, even to unknown paths", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("*", 2, 502);
    expect((await bench.call("POST", "/nothing")).status).toBe(502);
    expect((await bench.incoming()).status).toBe(502);
    expect((await bench.incoming()).status).toBe(200);
  });

  it("use the endpoint's shape, or their own body and headers", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("*", 2, 500);
    expect((await bench.incoming()).body).toEqual({ error: expect.any(String) });
    expect((await find(bench)).body).toEqual({ error: { code: "INTERNAL", message: expect.any(String) } });
    bench.sandbox.failNext("*", 1, { kind: "status", status: 429, body: { wait: 1 }, headers: { "Retry-After": "7" } });
    const limited = await find(bench);
    expect([limited.status, limited.body, limited.headers.get("retry-after")]).toEqual([429, { wait: 1 }, "7"]);
    bench.sandbox.failNext("*", 1, { kind: "status", status: 403, body: "Forbidden" });
    expect(await find(bench)).toMatchObject({ status: 403, text: "Forbidden" });
  });

  it.each(["before", "after"] as const)("R-011 reset the connection %s the effect", async (when) => {
    const bench = await setUp();
    bench.sandbox.failNext("incoming", 1, { kind: "resetConnection", when });
    await expect(bench.incoming()).rejects.toThrow();
    await bench.sandbox.until(({ requests }) => requests().length === 1);
    expect(bench.sandbox.messages()).toHaveLength(when === "after" ? 1 : 0);
    expect(bench.sandbox.requests()).toMatchObject([{ status: 0, fault: "resetConnection" }]);
  });

  it.each(["before", "after"] as const)("R-011 never answer, %s the effect", async (when) => {
    const bench = await setUp({ clock: "virtual" });
    bench.sandbox.failNext("incoming", 1, { kind: "hangRequest", when, ms: 15_000 });
    const hanging = bench.incoming().catch(() => "reset");
    await bench.sandbox.until(({ requests }) => requests().length === 1);
    expect(bench.sandbox.messages()).toHaveLength(when === "after" ? 1 : 0);
    await bench.sandbox.advance(15_000);
    expect(await hanging).toBe("reset");
  });

  it("delay the answer but not the effect, so that a reply can overtake it", async () => {
    const bench = await setUp({ clock: "virtual" });
    bench.sandbox.failNext("incoming", 1, { kind: "delay", ms: 1_000 });
    let answered = false;
    const answer = bench.incoming().then((reply) => {
      answered = true;
      return reply;
    });
    await bench.sandbox.until(() => bench.client.received.length === 1);
    expect(answered).toBe(false);
    await bench.sandbox.advance(1_000);
    expect((await answer).body).toEqual({ success: true, messageId: expect.any(String) });
  });

  it("truncate the JSON of a complete answer, after the effect", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("incoming", 1, "truncateJson");
    const { status, text, body } = await bench.incoming();
    expect([status, text, body]).toEqual([200, '{"success":true,"messageI', undefined]);
    expect(bench.sandbox.messages()).toHaveLength(1);
  });

  it("cut the body off in the middle", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("incoming", 1, "cutBody");
    await expect(bench.incoming()).rejects.toThrow();
    await bench.sandbox.until(({ messages }) => messages().length === 1);
  });

  it("send the body slowly and completely", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("incoming", 1, { kind: "slowBody", ms: 80 });
    expect((await bench.incoming()).body).toEqual({ success: true, messageId: expect.any(String) });
  });

  it("R-012 show an edge proxy's HTML page, or nothing at all", async () => {
    const bench = await setUp();
    bench.sandbox.failNext("*", 1, { kind: "htmlError", status: 403 });
    const page = await find(bench);
    expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    bench.sandbox.failNext("*", 1, "htmlError");
    expect((await find(bench)).status).toBe(502);
    bench.sandbox.failNext("incoming", 1, { kind: "emptyBody", status: 500, when: "after" });
    expect(await bench.incoming()).toMatchObject({ status: 500, text: "" });
    expect(bench.sandbox.messages()).toHaveLength(1);
    bench.sandbox.failNext("incoming", 1, { kind: "emptyBody", status: 200, when: "after" });
    expect(await bench.incoming()).toMatchObject({ status: 200, text: "" });
  });

  it("are refused when route or kind do not exist", async () => {
    const { sandbox } = await setUp();
    expect(() => sandbox.failNext("nowhere" as "send", 1, 500)).toThrow("No such route or fault");
    expect(() => sandbox.failNext("send", 1, "explode" as FaultKind)).toThrow("No such route or fault");
    expect(() => sandbox.failNext("send", 1, 7)).toThrow("No such route or fault");
  });
});

describe("standing faults", () => {
  it("R-012 forceStatus answers a route with its status until it is removed", async () => {
    const bench = await setUp({ forceStatus: { findContact: 422 } });
    expect(await statuses(bench, 3)).toEqual([422, 422, 422]);
    expect((await bench.incoming()).status).toBe(200);
    bench.sandbox.configure({ forceStatus: {} });
    expect(await statuses(bench, 1)).toEqual([404]);
  });

  it("errorRate fails its share of requests, repeatably with the same seed", async () => {
    const errorRate = [
      { route: "findContact", rate: 0.3, kind: "status", status: 500 },
      { route: "*", rate: 0.2, kind: "resetConnection" },
    ] as const;
    const first = await statuses(await setUp({ seed: 7, errorRate }), 60);
    const second = await statuses(await setUp({ seed: 7, errorRate }), 60);
    const third = await statuses(await setUp({ seed: 8, errorRate }), 60);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
    const share = (status: number) => first.filter((each) => each === status).length / first.length;
    expect([share(500) > 0.1 && share(500) < 0.5, share(0) > 0.05 && share(0) < 0.4]).toEqual([true, true]);
  });

  it("R-011 latencyMs delays each request before it is checked", async () => {
    const bench = await setUp({ latencyMs: { min: 30, max: 40 } });
    await bench.incoming();
    // A timer may fire a fraction of a millisecond early.
    expect(bench.sandbox.requests()[0]?.ms).toBeGreaterThan(28);
  });
});
