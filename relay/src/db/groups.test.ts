import { expect, it } from "vitest";
import { createGroups, type Job } from "./groups.ts";

/** Groups whose commits are recorded by the items of their jobs. */
function recorded() {
  const commits: unknown[][] = [];
  const groups = createGroups(async (jobs) => {
    commits.push(jobs.map(({ item }) => item));
    return { settled: Promise.resolve() };
  });
  const add = (item: string, mayWait: boolean): void =>
    groups.add({ item, mayWait, work: async () => [], resolve: () => {}, reject: () => {} } satisfies Job);
  return { commits, add };
}

it("commits a non-urgent job together with the next urgent one, in the order in which they came", async () => {
  const { commits, add } = recorded();
  add("non-urgent", true);
  add("urgent", false);
  await expect.poll(() => commits).toEqual([["non-urgent", "urgent"]]);
});

it("commits a non-urgent job alone if no urgent one comes", async () => {
  const { commits, add } = recorded();
  add("non-urgent", true);
  expect(commits).toEqual([]);
  await expect.poll(() => commits).toEqual([["non-urgent"]]);
});

/** Groups whose flushes end when the test says so. `commits`: the numbers of jobs in the groups that were written. */
function flushedByHand() {
  const commits: number[] = [];
  const flushes: (() => void)[] = [];
  const groups = createGroups(async (jobs) => {
    commits.push(jobs.length);
    return { settled: new Promise((resolve) => flushes.push(resolve)) };
  });
  const add = (count: number): void => {
    for (let i = 0; i < count; i++)
      groups.add({ item: i, mayWait: false, work: async () => [], resolve: () => {}, reject: () => {} });
  };
  return { commits, add, endFlush: () => flushes.shift()?.() };
}

/** Resolves after some ticks of the event loop, in which a planned group would start. */
async function someTicks(): Promise<void> {
  for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
}

it("writes a group while another small one is flushed", async () => {
  const { commits, add } = flushedByHand();
  add(1);
  await expect.poll(() => commits).toEqual([1]);
  add(2);
  await expect.poll(() => commits).toEqual([1, 2]);
});

it("collects the jobs that come while a large group is flushed", async () => {
  const { commits, add, endFlush } = flushedByHand();
  add(4);
  await expect.poll(() => commits).toEqual([4]);
  add(1);
  await someTicks();
  add(1);
  await someTicks();
  expect(commits).toEqual([4]);
  endFlush();
  await expect.poll(() => commits).toEqual([4, 2]);
});

it("does not wait for a flush when 50 jobs wait", async () => {
  const { commits, add } = flushedByHand();
  add(4);
  await expect.poll(() => commits).toEqual([4]);
  add(49);
  await someTicks();
  expect(commits).toEqual([4]);
  add(1);
  await expect.poll(() => commits).toEqual([4, 50]);
});

it("waits for each flush until two small groups followed a large one", async () => {
  const { commits, add, endFlush } = flushedByHand();
  add(4);
  await expect.poll(() => commits).toEqual([4]);
  endFlush();
  add(1);
  await expect.poll(() => commits).toEqual([4, 1]);
  add(1);
  await someTicks();
  expect(commits).toEqual([4, 1]);
  endFlush();
  await expect.poll(() => commits).toEqual([4, 1, 1]);
  add(1);
  await expect.poll(() => commits).toEqual([4, 1, 1, 1]);
});
