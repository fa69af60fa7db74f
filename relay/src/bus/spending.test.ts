import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";
import { createSpending, type Spending, type Spent } from "./spending.ts";

const clock = manualClock();
const limiter = (): Limiter => createLimiter({ burst: 10, perMinute: 10, uptime: clock.uptime });

/** Two nodes with the same limit of ten; `lose`: their hints do not arrive. */
function nodes(lose = false): [Limiter, Limiter] {
  const all: Spending[] = [];
  const make = (): Limiter => {
    const spending: Spending = createSpending({
      clock,
      broadcast(spent: Spent[]) {
        for (const other of lose ? [] : all) if (other !== spending) other.receive(spent);
      },
    });
    all.push(spending);
    return spending.share("messages", limiter());
  };
  return [make(), make()];
}

it("counts what one node accepts on the other node too, a moment later", () => {
  const [one, other] = nodes();
  for (let n = 0; n < 8; n++) expect(one.take("v")).toBe(0);
  clock.pass(200);
  expect([other.take("v"), other.take("v")]).toEqual([0, 0]);
  expect(other.take("v")).toBeGreaterThan(0);
  expect(other.take("w")).toBe(0);
});

it("counts on each node alone while hints are lost", () => {
  const [one, other] = nodes(true);
  for (let n = 0; n < 10; n++) one.take("v");
  clock.pass(200);
  expect(one.take("v")).toBeGreaterThan(0);
  expect(other.take("v")).toBe(0);
});
