import { expect, it } from "vitest";
import { nodesShared } from "../faults/suites/nodes-shared.ts";

it("two nodes share leases, limits and deletions, and warn about files that only one of them has", async () => {
  expect(await nodesShared({})).toMatchObject({ violations: [] });
});
