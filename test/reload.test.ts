import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { porchlight } from "./shell.ts";

let harness: Harness;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver(WEBHOOK_SECRET);
  harness = await startHarness({
    sandbox: NO_RANDOM_FAULTS,
    site: { title: "Before" },
    env: { WEBHOOK_SECRET },
  });
});
afterAll(async () => {
  await harness.stop();
  await receiver.stop();
});

type File = { accounts: Record<string, object>; sites: Record<string, object> };
/** Changes the configuration file. */
async function edit(change: (file: File) => unknown): Promise<void> {
  const path = join(harness.dataDir, "sites.json");
  const file = JSON.parse(await readFile(path, "utf8")) as File;
  change(file);
  await writeFile(path, JSON.stringify(file));
}
const reload = (...args: string[]) => porchlight(harness, ["reload", ...args, "--json"]);
/** What the log says about reloads: the settings that each changed, and what is applied. */
const reloads = () =>
  harness
    .lines()
    .flatMap((line) => (line.includes('"settings.reloaded"') ? [JSON.parse(line) as { sites?: string[] }] : []));
const script = async (path = "/widget.js"): Promise<string> => (await fetch(`${harness.url}${path}`)).text();

it("applies the settings of sites without a restart, after a dry run that changes nothing", async () => {
  expect(JSON.parse((await reload("--dry-run")).out)).toEqual({ dryRun: true, changes: [] });
  const visitor = harness.visitor();
  await visitor.connect();
  await edit(({ sites }) => {
    Object.assign(sites.default ?? {}, {
      title: "After",
      webhook: { url: receiver.url, secret: "env:WEBHOOK_SECRET" },
    });
    sites.fresh = { ...sites.default, title: "A new site" };
  });
  const tried = await reload("--dry-run");
  expect(tried.code).toBe(0);
  const { changes } = JSON.parse(tried.out) as { changes: { path: string; effect: string }[] };
  expect(changes).toContainEqual({
    path: "sites.default.public.title",
    before: "Before",
    after: "After",
    effect: "now",
  });
  expect(changes).toContainEqual({ path: "sites.fresh", before: "–", after: "a new site", effect: "now" });
  expect(tried.out).not.toContain(WEBHOOK_SECRET);
  expect(await script()).toContain("Before");
  expect((await fetch(`${harness.url}/w/fresh.js`)).status).toBe(404);
  expect(reloads()).toEqual([]);

  expect((await reload()).code).toBe(0);
  expect(reloads()).toMatchObject([
    { changed: false, sites: expect.arrayContaining(["sites.default.public.title (now)", "sites.fresh (now)"]) },
  ]);
  expect(await script()).toContain("After");
  expect(await script("/w/fresh.js")).toContain("A new site");
  // The open chat continues, a chat of the new site begins, and the new webhook is called.
  await visitor.send("still here");
  await visitor.receives("echo: still here");
  const fresh = harness.visitor({ site: "fresh" });
  await fresh.connect();
  await fresh.send("in the new site");
  await fresh.receives("echo: in the new site");
  await expect.poll(() => receiver.events.map(({ type }) => type)).toContain("message.visitor");
  expect(receiver.events.every(({ valid }) => valid)).toBe(true);
  expect(JSON.parse((await reload("--dry-run")).out)).toEqual({ dryRun: true, changes: [] });
});

it("keeps the settings in force when the file has problems, and reports them", async () => {
  await edit(({ sites }) => Object.assign(sites.default ?? {}, { title: "Wrong", nonsense: 1 }));
  const refused = await reload();
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("sites.default.nonsense")]);
  expect(harness.lines().some((line) => line.includes('"settings.refused"') && line.includes("nonsense"))).toBe(true);
  expect(await script()).toContain("After");
  await edit(({ sites }) => {
    const { nonsense: _, ...rest } = (sites.default ?? {}) as Record<string, unknown>;
    sites.default = { ...rest, title: "After" };
  });
});

it("keeps the settings in force when a file of identity keys is incomplete", async () => {
  const keys = join(harness.dataDir, "keys.json");
  await writeFile(keys, '{"keys": [');
  await edit(({ sites }) => Object.assign(sites.default ?? {}, { title: "Half", identityKeys: `file:${keys}` }));
  const refused = await reload();
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("is not JSON")]);
  expect(await script()).toContain("After");
  await writeFile(keys, '{"keys": []}');
  await edit(({ sites }) => Object.assign(sites.default ?? {}, { title: "After" }));
  expect((await reload()).code).toBe(0);
});

it("reports what needs a restart: accounts, removed sites, and sites with a new account", async () => {
  await edit((file) => {
    file.accounts.second = { ...file.accounts.default };
    file.sites.ofSecond = { ...file.sites.default, account: "second" };
    const { fresh: _, ...sites } = file.sites;
    file.sites = sites;
  });
  const done = await reload();
  expect(done.code).toBe(3);
  const { changes } = JSON.parse(done.out) as { changes: { path: string; effect: string }[] };
  expect(changes.map(({ path, effect }) => `${path} ${effect}`).toSorted()).toEqual([
    "accounts restart",
    "sites.fresh restart",
    "sites.ofSecond restart",
  ]);
  expect(await script("/w/fresh.js")).toContain("A new site");
});
