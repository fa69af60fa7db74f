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
