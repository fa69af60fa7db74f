import { describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import type { Service } from "../service/api.ts";
import type { Permit } from "../service/keygate.ts";
import type { Outcome } from "../service/outcome.ts";
import { createPacedCalls } from "./paced-calls.ts";

const OK: Outcome = { kind: "ok", status: 200, message: "" };

/** Paced calls whose permits and timers the test controls. */
function setUp(known = true) {
  const timers: (() => void)[] = [];
  const permits: ((permit: Permit) => void)[] = [];
  const settled: string[] = [];
  const clock: Clock = {
    now: () => 0,
    uptime: () => 0,
    after(_ms, run) {
      timers.push(run);
      return () => {};
    },
  };
  const calls = createPacedCalls({
    clock,
    gates: {
      enter(_account, _rank, go) {
        permits.push(go);
        return () => {};
      },
      heldFor: () => "401: no such key",
    },
    clientOf: () => (known ? ({} as Service) : undefined),
  });
  const permit = { settle: ({ kind }: Outcome) => settled.push(kind) } as unknown as Permit;
  return { calls, settled, givePermit: () => permits[0]?.(permit), endPatience: () => timers[0]?.() };
}

describe("a paced call", () => {
  it("is made when its permit comes, and reports its outcome to the gate", async () => {
    const { calls, settled, givePermit } = setUp();
    const answer = calls.call("main", "lookup", async () => OK);
    givePermit();
    expect(await answer).toEqual(OK);
    expect(settled[0]).toBe("ok");
  });

  it("is not made when its permit comes too late, and its answer names the reason", async () => {
    const { calls, endPatience } = setUp();
    const answer = calls.call("main", "lookup", () => Promise.reject(new Error("called")));
    endPatience();
    expect(await answer).toMatchObject({ kind: "throttle", message: "the account is held back (401: no such key)" });
  });

  it("is not made after a stop", async () => {
    const { calls } = setUp();
    const answer = calls.call("main", "contact", () => Promise.reject(new Error("called")));
    calls.stop();
    expect(await answer).toMatchObject({ kind: "throttle" });
  });

  it("is refused for an account without configuration", async () => {
    const { calls } = setUp(false);
    expect(await calls.call("gone", "lookup", async () => OK)).toMatchObject({ kind: "config" });
  });
});
