import { describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { createGuesses } from "./guesses.ts";

/** A guess limiter on a clock that the test controls. `pass` runs the timers that are due. */
function setup() {
  const clock = manualClock();
  async function pass(ms: number): Promise<void> {
    clock.pass(ms);
    await Promise.resolve();
  }
  return { ...createGuesses(clock), pass, waiting: clock.waiting };
}

describe("the limit on guesses at the callback secret", () => {
  it("allows sixty wrong secrets, then checks ten calls a second, however many arrive at once", async () => {
    const { accepts, pass, waiting } = setup();
    for (let n = 0; n < 61; n++) expect(await accepts("192.0.2.1", false)).toBe(false);
    const answers: boolean[] = [];
    for (let n = 0; n < 1_000; n++) void accepts("192.0.2.1", true).then((answer) => answers.push(answer));
    await pass(0);
    expect(waiting()).toBe(50);
    expect(answers.filter((answer) => answer)).toEqual([]);
    expect(answers).toHaveLength(950);
  });

  it("delays a call with the right secret at most once per address", async () => {
    const { accepts, pass, waiting } = setup();
    for (let n = 0; n < 100; n++) void accepts("192.0.2.1", false);
    const reply = accepts("192.0.2.1", true);
    await pass(5_000);
    expect(await reply).toBe(true);
    for (let n = 0; n < 100; n++) void accepts("192.0.2.1", false);
    expect(waiting()).toBe(0);
    expect(await accepts("192.0.2.1", true)).toBe(true);
  });

  it("does not delay other addresses", async () => {
    const { accepts } = setup();
    for (let n = 0; n < 100; n++) void accepts("192.0.2.1", false);
    expect(await accepts("192.0.2.2", true)).toBe(true);
  });
});
