import { expect, it } from "vitest";
import { createGroups, type Job } from "./groups.ts";

/** Groups whose commits are recorded by the items of their jobs. @param settled when each of them is flushed */
function recorded(settled = Promise.resolve()) {
  const commits: unknown[][] = [];
  const groups = createGroups(async (jobs) => {
    commits.push(jobs.map(({ item }) => item));
    return { settled };
  });
  const add = (item: string, patient: boolean): void =>
    groups.add({ item, patient, work: async () => [], resolve: () => {}, reject: () => {} } satisfies Job);
  return { commits, add };
}

it("commits a patient job together with the next urgent one, in the order in which they came", async () => {
  const { commits, add } = recorded();
  add("patient", true);
  add("urgent", false);
  await expect.poll(() => commits).toEqual([["patient", "urgent"]]);
});

it("commits a patient job without company too", async () => {
  const { commits, add } = recorded();
  add("patient", true);
  expect(commits).toEqual([]);
  await expect.poll(() => commits).toEqual([["patient"]]);
});

it("commits a few jobs when the group before them is flushed, and four or more while it is flushed", async () => {
  const flush = Promise.withResolvers<void>();
  const { commits, add } = recorded(flush.promise);
  add("1", false);
  await expect.poll(() => commits).toEqual([["1"]]);
  for (const item of ["2", "3", "4"]) add(item, false);
  for (let turn = 0; turn < 9; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(commits).toEqual([["1"]]);
  add("5", false);
  await expect.poll(() => commits).toEqual([["1"], ["2", "3", "4", "5"]]);
  add("6", false);
  flush.resolve();
  await expect.poll(() => commits).toEqual([["1"], ["2", "3", "4", "5"], ["6"]]);
});
