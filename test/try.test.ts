import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";
import { IDENTITY_SECRET } from "./identities.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";

let harness: Harness;
afterEach(() => harness.stop());

const findings = (out: string) =>
  (JSON.parse(out).findings as { check: string; ok: boolean; cure?: string }[]).map(({ check, ok }) => [check, ok]);

it("a trial follows one message and its answer, and can be removed", async () => {
  harness = await startHarness();
  const { code, out } = await porchlight(harness, ["try", "Is anybody there?", "--wait", "30", "--json"]);
  expect([code, findings(out)]).toEqual([
    0,
    [
      ["stored", true],
      ["delivered", true],
      ["answered", true],
    ],
  ]);
  expect(harness.sandbox.messages().map(({ body }) => body)).toContain("Is anybody there?");
  const { visitor } = JSON.parse(out);
  expect((await porchlight(harness, ["erase", visitor, "--yes"])).code).toBe(0);
});

it("a trial distinguishes a refused message from an unanswered one, and names the remedy", async () => {
  harness = await startHarness({ sandbox: { botScript: "silent" } });
  const silent = await porchlight(harness, ["try", "--wait", "8"]);
  expect([silent.code, silent.out]).toEqual([3, expect.stringMatching(/FAIL {2}answered[^\n]*\n +Switch the bot on/)]);
  harness.sandbox.failNext("incoming", 1, 400);
  const refused = await porchlight(harness, ["try", "--wait", "30", "--json"]);
  expect([refused.code, findings(refused.out)]).toEqual([
    3,
    [
      ["stored", true],
      ["delivered", false],
    ],
  ]);
  await harness.halt();
  expect(await porchlight(harness, ["try"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("No relay answers"),
  });
});

it("a trial reports that this machine is blocked, and does not crash", async () => {
  harness = await startHarness();
  expect((await porchlight(harness, ["block", "add", "127.0.0.1", "--reason", "a test"])).code).toBe(0);
  const { code, out, err } = await porchlight(harness, ["try", "--wait", "30"]);
  expect([code, err]).toEqual([3, ""]);
  expect(out).toMatch(/FAIL {2}stored[^\n]*\n[^\n]*porchlight block list/);
});

it("blocking everybody needs a confirmation", async () => {
  harness = await startHarness();
  const add = ["block", "add", "0.0.0.0/0", "--reason", "a test"];
  expect(await porchlight(harness, add)).toMatchObject({
    code: 2,
    err: expect.stringContaining("nearly all visitors"),
  });
  expect((await porchlight(harness, ["block", "add", "::/1", "--reason", "a test"])).code).toBe(2);
  expect((await porchlight(harness, [...add, "--everybody"])).code).toBe(0);
  const call = caller(harness, await tokenFor(harness));
  const body = { value: "64.0.0.0/2", reason: "a test" };
  expect(await call("POST", "/blocks", body, "b-1")).toMatchObject({ status: 400, body: { field: "everybody" } });
  expect((await call("POST", "/blocks", { ...body, everybody: true }, "b-2")).status).toBe(200);
});

it("prints its version", async () => {
  harness = await startHarness();
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await porchlight(harness, ["--version"])).toMatchObject({
    code: 0,
    out: `porchlight ${version} (Node ${process.versions.node})\n`,
  });
});

it("a trial signs in where the site requires an identity", async () => {
  const env = { IDENTITY_SECRET, REQUIRE_IDENTITY: "true" };
  harness = await startHarness({ env });
  expect((await porchlight(harness, ["try", "--wait", "30"], env)).code).toBe(0);
});
