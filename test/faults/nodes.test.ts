/** The fault suite with three nodes (RELIABILITY S7), in its smallest version. */

import { expect, it } from "vitest";
import { standstills } from "./suites/standstills.ts";

it("S7 loses, doubles and reorders nothing when each of three nodes in turn is stopped past its lease", async () => {
  const { violations, figures } = await standstills({ stops: 3, visitors: 12, perSecond: 20 });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ stops: 3, lost: 0, doubled: 0, disordered: 0 });
});
