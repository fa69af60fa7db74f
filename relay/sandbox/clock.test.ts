import { describe, expect, it } from "vitest";
import { createClock } from "./clock.ts";
import { setUp } from "./sandbox.fixture.ts";

describe("the clock", () => {
  const virtual = () => {
    const config: { clock: "real" | "virtual" } = { clock: "virtual" };
    return { config, clock: createClock(config, () => 1_000) };
  };

  it("changes only when it is advanced, and then runs due jobs in order, including jobs added meanwhile", async () => {
    const { clock } = virtual();
    const ran: [string, number][] = [];
    const note = (name: string) => () => void ran.push([name, clock.now()]);
    clock.after(300, note("c"));
    clock.after(100, note("a"));
    clock.after(100, () => {
      note("b")();
      clock.after(50, note("b2"));
    });
    const cancel = clock.after(200, note("never"));
    cancel();
    await clock.advance(299);
    expect(ran.map(([name]) => name)).toEqual(["a", "b", "b2"]);
    await clock.advance(1);
    expect(ran).toEqual([
      ["a", 1_100],
      ["b", 1_100],
      ["b2", 1_150],
      ["c", 1_300],
    ]);
  });

  it("never goes back when it switches between virtual and real time", async () => {
    const { clock, config } = virtual();
    await clock.advance(5_000);
    config.clock = "real";
    expect(clock.now()).toBe(6_000);
    config.clock = "virtual";
    await clock.advance(1_000);
    expect(clock.now()).toBe(7_000);
  });

  it("waits in real time, and drops waiting jobs when it is cleared", async () => {
    const clock = createClock({ clock: "real" }, Date.now);
    const ran: string[] = [];
    clock.after(1, () => ran.push("cleared"));
    clock.clear();
    clock.after(1, () => ran.push("cancelled"))();
    clock.after(2, () => ran.push("due"));
    await clock.wait(5);
    expect(ran).toEqual(["due"]);
  });

  it("cannot be advanced while it is real", async () => {
    const { sandbox } = await setUp();
    await expect(sandbox.advance(1)).rejects.toThrow("virtual");
  });
});
