import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type House, startHouse } from "./harness.ts";
import { IDENTITY_SECRET } from "./identities.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";

let house: House;
afterEach(() => house.stop());

const findings = (out: string) =>
  (JSON.parse(out).findings as { check: string; ok: boolean; cure?: string }[]).map(({ check, ok }) => [check, ok]);

it("a trial follows one message and its answer, and can be removed", async () => {
  house = await startHouse();
  const { code, out } = await porchlight(house, ["try", "Is anybody there?", "--wait", "30", "--json"]);
  expect([code, findings(out)]).toEqual([
    0,
    [
      ["stored", true],
      ["delivered", true],
      ["answered", true],
    ],
  ]);
  expect(house.sandbox.messages().map(({ body }) => body)).toContain("Is anybody there?");
  const { visitor } = JSON.parse(out);
  expect((await porchlight(house, ["erase", visitor, "--yes"])).code).toBe(0);
});

it("a trial distinguishes a refused message from an unanswered one, and names the remedy", async () => {
  house = await startHouse({ sandbox: { botScript: "silent" } });
  const silent = await porchlight(house, ["try", "--wait", "8"]);
  expect([silent.code, silent.out]).toEqual([3, expect.stringMatching(/FAIL {2}answered[^\n]*\n +Switch the bot on/)]);
  house.sandbox.failNext("incoming", 1, 400);
  const refused = await porchlight(house, ["try", "--wait", "30", "--json"]);
  expect([refused.code, findings(refused.out)]).toEqual([
    3,
    [
      ["stored", true],
      ["delivered", false],
    ],
  ]);
  await house.halt();
  expect(await porchlight(house, ["try"])).toMatchObject({ code: 1, err: expect.stringContaining("No relay answers") });
});

it("a trial reports that this machine is blocked, and does not crash", async () => {
  house = await startHouse();
  expect((await porchlight(house, ["block", "add", "127.0.0.1", "--reason", "a test"])).code).toBe(0);
  const { code, out, err } = await porchlight(house, ["try", "--wait", "30"]);
  expect([code, err]).toEqual([3, ""]);
  expect(out).toMatch(/FAIL {2}stored[^\n]*\n[^\n]*porchlight block list/);
});

it("blocking everybody needs a confirmation", async () => {
  house = await startHouse();
  const add = ["block", "add", "0.0.0.0/0", "--reason", "a test"];
  expect(await porchlight(house, add)).toMatchObject({ code: 2, err: expect.stringContaining("nearly all visitors") });
  expect((await porchlight(house, ["block", "add", "::/1", "--reason", "a test"])).code).toBe(2);
  expect((await porchlight(house, [...add, "--everybody"])).code).toBe(0);
  const call = caller(house, await tokenFor(house));
  const body = { value: "64.0.0.0/2", reason: "a test" };
  expect(await call("POST", "/blocks", body, "b-1")).toMatchObject({ status: 400, body: { field: "everybody" } });
  expect((await call("POST", "/blocks", { ...body, everybody: true }, "b-2")).status).toBe(200);
});

it("prints its version", async () => {
  house = await startHouse();
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await porchlight(house, ["--version"])).toMatchObject({
    code: 0,
    out: `porchlight ${version} (Node ${process.versions.node})\n`,
  });
});

it("a trial signs in where the site requires an identity", async () => {
  const env = { IDENTITY_SECRET, REQUIRE_IDENTITY: "true" };
  house = await startHouse({ env });
  expect((await porchlight(house, ["try", "--wait", "30"], env)).code).toBe(0);
});
