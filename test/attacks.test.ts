import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ATTACKS } from "./attacks/table.ts";
import { startTarget } from "./attacks/target.ts";
import { startTestbed, type Testbed } from "./attacks/testbed.ts";
import { payloadsOf } from "./attacks/text.ts";

/** The share of the attempts of `npm run attacks` that every test run makes. */
const SHARE = 0.01;

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed(SHARE);
});
afterAll(() => testbed.stop());

const inside = ATTACKS.flatMap(({ number, what, inside }) => (inside === undefined ? [] : [{ number, what, inside }]));

it.each(inside)("A$number does not succeed: $what", async ({ inside }) => {
  const { tried, succeeded } = await inside(testbed);
  expect(tried).toBeGreaterThan(0);
  expect(succeeded).toBe(0);
});

const short = ATTACKS.flatMap(({ number, what, short }) => (short === undefined ? [] : [{ number, what, short }]));

it.each(short)("A$number does not succeed against a relay in its own process: $what", async ({ short }) => {
  const target = await startTarget({ TRUST_PROXY: "1" });
  const { tried, succeeded } = await short(target).finally(() => target.stop());
  expect(tried).toBeGreaterThan(0);
  expect(succeeded).toBe(0);
});

it("uses the payloads of another folder besides its own, and reports when there are none", () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-payloads-"));
  expect(() => payloadsOf(folder)).toThrow("must be a list of payloads");
  writeFileSync(join(folder, "payloads.json"), JSON.stringify(["<b>one</b>", { id: 7, payload: "<i>two</i>" }]));
  writeFileSync(join(folder, "control-fires-innerhtml.json"), "[7]");
  const { all, firing } = payloadsOf(folder);
  expect(all.slice(-2)).toEqual(["<b>one</b>", "<i>two</i>"]);
  expect(firing).toEqual(["<i>two</i>"]);
  rmSync(folder, { recursive: true });
});
