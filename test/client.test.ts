import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiError, type Client, createClient } from "../relay/src/client.ts";
import { type Harness, NO_UNKNOWN_OUTCOMES, PROFILE, startHarness } from "./harness.ts";
import { porchlight as porchlightCommand } from "./shell.ts";
import { retryingFetch, tokenFor } from "./tokens.ts";

const ROOT = join(import.meta.dirname, "..");
const run = promisify(execFile);
let harness: Harness;
let porchlight: Client;

beforeAll(async () => {
  harness = await startHarness({ sandbox: NO_UNKNOWN_OUTCOMES });
  harness.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: "client@agency.example" }] });
  porchlight = createClient({ url: harness.url, token: await tokenFor(harness), fetch: retryingFetch });
});
afterAll(() => harness.stop());

/** Runs the example as its header describes, on the package that the command line writes. @returns its output */
async function runExample(subAccount: string): Promise<string> {
  const project = mkdtempSync(join(tmpdir(), "porchlight-"));
  await porchlightCommand(harness, ["client", join(project, "node_modules", "@porchlight", "client")]);
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  copyFileSync(join(ROOT, "relay", "examples", "backend.ts"), join(project, "backend.ts"));
  const env = { RELAY_URL: harness.url, TOKEN: await tokenFor(harness), LIST: "leads", SUB_ACCOUNT: subAccount };
  const { stdout } = await run(process.execPath, ["backend.ts"], { cwd: project, env });
  rmSync(project, { recursive: true });
  return stdout;
}

it("runs the example: a message, a contact on a list, credits; a repetition does nothing", async () => {
  for (const _ of [1, 2]) {
    const output = await runExample("client@agency.example");
    expect(output).toMatch(/^Message: (queued|sending|sent)\nContact: (\S+)\nCredits: granted\n$/);
    expect(output).toContain(`Contact: ${harness.sandbox.state().lists.leads?.[0]}\n`);
  }
  await harness.sandbox.until(({ outgoing }) => outgoing().length === 1);
  expect(harness.sandbox.state().grants).toHaveLength(1);
});

it("learns the outcome of a grant to an unknown sub-account", async () => {
  const key = "nobody-1";
  await porchlight.grantCredits({ email: "nobody@agency.example", amount: 1 }, { key });
  await expect.poll(async () => (await porchlight.getGrant({ key })).state).toBe("refused");
  // The lenient service answers 200 with `success: false`.
  expect((await porchlight.getGrant({ key })).reason).toMatch(PROFILE === "lenient" ? /^200: ./ : /^404: ./);
  await porchlight.approveGrant(
    { key, email: "client@agency.example", reason: "a typing mistake" },
    { key: "again-1" },
  );
  await expect.poll(async () => (await porchlight.getGrant({ key })).state).toBe("granted");
});

it("reports errors with stable codes", async () => {
  const wrong = porchlight.createContact({ phone: "12" });
  await expect(wrong).rejects.toMatchObject({ status: 422, code: "invalid_phone", field: "phone" });
  const nobody = createClient({ url: harness.url, token: "pl_nobody" }).listVisitors();
  await expect(nobody).rejects.toBeInstanceOf(ApiError);
});

it("encodes every character of a key in the address", async () => {
  const key = "a/b?c#d_e%2F";
  await porchlight.grantCredits({ email: "client@agency.example", amount: 1 }, { key });
  expect(await porchlight.getGrant({ key })).toMatchObject({ key, amount: 1 });
});

const CONSUMER = `import { ApiError, createClient, type Grant } from "@porchlight/client";

const porchlight = createClient({ url: process.env.RELAY ?? "", token: process.env.TOKEN ?? "" });
const { state }: Grant = await porchlight.grantCredits({ email: "client@agency.example", amount: 2 }, { key: "package-1" });
const { items, next } = await porchlight.listGrants({ limit: 1 });
const balance: number | null = items[0]?.newBalance ?? null;
const wrong = await porchlight.createContact({ phone: "12" }).catch((error: unknown) => error);
if (!(wrong instanceof ApiError)) throw wrong;
const { field, problem } = wrong;
console.log(JSON.stringify([state, items.length, typeof next, typeof balance, field, problem.code]));
// @ts-expect-error A sub-account is named by its email.
const bad = (): unknown => porchlight.grantCredits({ amount: 2 });
// @ts-expect-error There is no such state.
const none = (): unknown => porchlight.listGrants({ state: "lost" });
export { bad, none };
`;

it("the client is also a package: typed, without dependencies, with the same calls", async () => {
  const project = mkdtempSync(join(tmpdir(), "porchlight-"));
  const installed = join(project, "node_modules", "@porchlight", "client");
  const written = await porchlightCommand(harness, ["client", installed]);
  expect([written.code, written.err]).toEqual([0, ""]);
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))).not.toHaveProperty("dependencies");
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  writeFileSync(join(project, "backend.ts"), CONSUMER);
  const checks = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const types = ["--typeRoots", join(ROOT, "node_modules", "@types"), "--skipLibCheck", "false"];
  const tsc = run(join(ROOT, "node_modules", ".bin", "tsc"), [...checks, ...types, "backend.ts"], { cwd: project });
  expect(
    await tsc.then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout,
    ),
  ).toBe("");
  const env = { RELAY: harness.url, TOKEN: await tokenFor(harness) };
  const { stdout } = await run(process.execPath, ["backend.ts"], { cwd: project, env });
  expect(JSON.parse(stdout)).toEqual([
    expect.stringMatching(/queued|calling|granted/),
    1,
    "string",
    expect.any(String),
    "phone",
    "invalid_phone",
  ]);
  rmSync(project, { recursive: true });
});
