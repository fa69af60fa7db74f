import { afterEach, expect, it } from "vitest";
import { type House, startHouse } from "./harness.ts";
import { IDENTITY_SECRET } from "./identities.ts";
import { porchlight } from "./shell.ts";

let house: House;
afterEach(() => house.stop());

const findings = (out: string) =>
  (JSON.parse(out).findings as { check: string; ok: boolean; cure?: string }[]).map(({ check, ok }) => [check, ok]);

it("a trial follows one message there and its answer back, and can be removed again", async () => {
  house = await startHouse();
  const { code, out } = await porchlight(house, ["try", "Is anybody there?", "--wait", "30", "--json"]);
  expect([code, findings(out)]).toEqual([
    0,
    [
      ["written down", true],
      ["delivered", true],
      ["answered", true],
    ],
  ]);
  expect(house.sandbox.messages().map(({ body }) => body)).toContain("Is anybody there?");
  const { visitor } = JSON.parse(out);
  expect((await porchlight(house, ["erase", visitor, "--yes"])).code).toBe(0);
});

it("a trial tells a refused message from one that nobody answers, with the cure", async () => {
  house = await startHouse({ sandbox: { botScript: "silent" } });
  const silent = await porchlight(house, ["try", "--wait", "8"]);
  expect([silent.code, silent.out]).toEqual([3, expect.stringMatching(/MEND {2}answered[^\n]*\n +Switch the bot on/)]);
  house.sandbox.failNext("incoming", 1, 400);
  const refused = await porchlight(house, ["try", "--wait", "30", "--json"]);
  expect([refused.code, findings(refused.out)]).toEqual([
    3,
    [
      ["written down", true],
      ["delivered", false],
    ],
  ]);
  await house.halt();
  expect(await porchlight(house, ["try"])).toMatchObject({ code: 1, err: expect.stringContaining("No relay answers") });
});

it("a trial signs in where nobody is let in without an identity", async () => {
  const env = { IDENTITY_SECRET, REQUIRE_IDENTITY: "true" };
  house = await startHouse({ env });
  expect((await porchlight(house, ["try", "--wait", "30"], env)).code).toBe(0);
});
