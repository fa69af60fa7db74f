import { expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const nextTick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The order in which jobs begin, as one list for each tick of the event loop. @param jobs their names, in order of arrival */
async function turnsOf(most: number, jobs: readonly string[], gone: readonly string[] = []): Promise<string[][]> {
  const order: string[][] = [[]];
  const nextList = (): void => {
    order.push([]);
    if (order.flat().length < jobs.length) setImmediate(nextList);
  };
  setImmediate(nextList);
  const queue = createFairQueue(most);
  const begin = async (job: string): Promise<void> => {
    await queue(job.charAt(0), () => gone.includes(job));
    order.at(-1)?.push(job);
  };
  await Promise.all(jobs.map(begin));
  return order.filter((tick) => tick.length > 0);
}

it("lets jobs begin at once, up to a number in one tick of the event loop", async () => {
  expect(await turnsOf(2, ["a1"])).toEqual([["a1"]]);
  expect(await turnsOf(2, ["a1", "a2", "a3", "a4", "a5"])).toEqual([["a1", "a2"], ["a3", "a4"], ["a5"]]);
});

it("lets names alternate, so that one with many jobs does not delay the others", async () => {
  const order = await turnsOf(1, ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(order.flat()).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

it("gives no slot to jobs that are not needed any more, but ends their wait", async () => {
  const order = await turnsOf(1, ["a1", "b1", "c1", "d1"], ["b1", "c1"]);
  expect(order).toEqual([["a1"], ["b1", "c1", "d1"]]);
});

it("begins at once again after a tick in which nobody waited", async () => {
  const queue = createFairQueue(1);
  await queue("a");
  await nextTick();
  let begun = false;
  void queue("a").then(() => {
    begun = true;
  });
  await Promise.resolve();
  expect(begun).toBe(true);
});

it("lets jobs that continue go before jobs of the same name that begin, and names still alternate", async () => {
  const queue = createFairQueue(1);
  const order: string[] = [];
  const job = (name: string, continues: boolean): Promise<void> =>
    queue(name.charAt(0), undefined, continues).then(() => void order.push(name));
  await Promise.all([
    job("a1", false),
    job("a2", false),
    job("a3", false),
    job("b1", false),
    job("a4", true),
    job("a5", true),
  ]);
  expect(order).toEqual(["a1", "a4", "b1", "a5", "a2", "a3"]);
});
