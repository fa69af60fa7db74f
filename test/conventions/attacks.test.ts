import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { committed, securityDocument } from "../attacks/report.ts";
import { ATTACKS } from "../attacks/table.ts";
import { root } from "./sources.ts";

it("the table of attacks has a row for each number of the document, and names existing files", () => {
  const listed = [...readFileSync(join(root, "relay/docs/reliability.md"), "utf8").matchAll(/^\| A(\d+) \|/gm)];
  expect(ATTACKS.map(({ number }) => number)).toEqual(listed.map(([, number]) => Number(number)));
  const files = ATTACKS.flatMap(({ defence, tests }) => [...defence, ...tests]);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(ATTACKS.filter(({ defence, tests }) => defence.length > 0 && tests.length === 0)).toEqual([]);
});

it("the table of SECURITY.md shows the last run, in which no attack succeeded (npm run attacks updates it)", () => {
  const { written, renewed } = securityDocument();
  expect(written).toBe(renewed);
  const succeeded = Object.entries(committed()).flatMap(([name, { parts }]) =>
    Object.entries(parts).flatMap(([part, result]) => (result.succeeded > 0 ? [`${name} ${part}`] : [])),
  );
  expect(succeeded).toEqual([]);
});
