import { expect, it } from "vitest";
import { createFairTurns } from "./fair-turns.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The order in which jobs begin, as one list for each turn of the event loop. @param jobs their names, in order of arrival */
async function turnsOf(most: number, jobs: readonly string[], gone: readonly string[] = []): Promise<string[][]> {
  const order: string[][] = [[]];
  const nextList = (): void => {
    order.push([]);
    if (order.flat().length < jobs.length) setImmediate(nextList);
  };
  setImmediate(nextList);
  const turns = createFairTurns(most);
  const begin = async (job: string): Promise<void> => {
    await turns(job.charAt(0), () => gone.includes(job));
    order.at(-1)?.push(job);
  };
  await Promise.all(jobs.map(begin));
  return order.filter((turn) => turn.length > 0);
}

it("lets jobs begin at once, up to a number in one turn of the event loop", async () => {
  expect(await turnsOf(2, ["a1"])).toEqual([["a1"]]);
  expect(await turnsOf(2, ["a1", "a2", "a3", "a4", "a5"])).toEqual([["a1", "a2"], ["a3", "a4"], ["a5"]]);
});

it("lets names take turns, so that one with many jobs does not delay the others", async () => {
  const order = await turnsOf(1, ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(order.flat()).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

it("gives no turn to jobs that are not needed any more, but ends their wait", async () => {
  const order = await turnsOf(1, ["a1", "b1", "c1", "d1"], ["b1", "c1"]);
  expect(order).toEqual([["a1"], ["b1", "c1", "d1"]]);
});

it("begins at once again after a turn in which nobody waited", async () => {
  const turns = createFairTurns(1);
  await turns("a");
  await nextTurn();
  let begun = false;
  void turns("a").then(() => {
    begun = true;
  });
  await Promise.resolve();
  expect(begun).toBe(true);
});
