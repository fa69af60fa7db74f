import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Harness, startHarness } from "../harness.ts";
import { runAt } from "../relays.ts";
import { chatOn, TIMEOUT_MS } from "./browser.ts";
import { closeContexts, sharedBrowser } from "./shared.ts";

const OLD = join(import.meta.dirname, "..", "..", "widget", "dist");
type Manifest = { panel: string; files: string[] };
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
const panelOf = (folder: string): string => manifestOf(folder).panel;

/** Makes a copy of the build in which every file has another name. */
function rebuilt(): string {
  const folder = mkdtempSync(join(tmpdir(), "widget-"));
  cpSync(OLD, folder, { recursive: true });
  const { files } = manifestOf(folder);
  const renamed = (name: string): string => name.replace(/-([\w-]{8})\.js$/, "-X$1.js");
  const all = files.filter((name) => name.endsWith(".js"));
  const withNewNames = (text: string): string =>
    all.reduce(
      (changed, name) => changed.replaceAll(name.slice("assets/".length), renamed(name).slice("assets/".length)),
      text,
    );
  for (const name of all) {
    writeFileSync(join(folder, name), withNewNames(readFileSync(join(folder, name), "utf8")));
    for (const form of ["", ".gz", ".br"]) renameSync(join(folder, name + form), join(folder, renamed(name) + form));
  }
  for (const name of ["manifest.json", "loader.js"])
    writeFileSync(join(folder, name), withNewNames(readFileSync(join(folder, name), "utf8")));
  return folder;
}

let harness: Harness;
let browser: Browser;
const NEW = rebuilt();
let build = OLD;
beforeAll(async () => {
  [harness, browser] = await Promise.all([
    startHarness({ run: (env) => runAt(env, undefined, build) }),
    sharedBrowser(),
  ]);
});
afterAll(async () => {
  await Promise.all([harness.stop(), closeContexts()]);
  rmSync(NEW, { recursive: true, force: true });
});

const upgrade = async (folder: string): Promise<void> => {
  await harness.halt();
  build = folder;
  await harness.start();
};

it("opens the chat of a page that was loaded before an upgrade of the relay, with the files of its own build", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const answers: string[] = [];
  page.on("response", (response) => answers.push(`${response.status()} ${new URL(response.url()).pathname}`));
  await page.goto(harness.host);
  const chat = chatOn(page);
  await chat.launcher.waitFor();
  await upgrade(NEW);
  await chat.open();
  await chat.send("Still there?");
  await chat.panel.getByText("echo: Still there?").waitFor();
  await chat.panel.getByRole("button", { name: /emoji/i }).first().click();
  await page.locator(".composer .emoji button").first().click();
  expect(await chat.composer.inputValue()).toMatch(/\p{Emoji}/u);
  const panel = panelOf(OLD);
  expect(answers).toContain(`200 /${panel}`);
  expect(answers.filter((one) => one.startsWith("404"))).toEqual([]);
  const kept = await fetch(`${harness.url}/${panel}`, { headers: { "Accept-Encoding": "br" } });
  expect(Object.fromEntries(kept.headers)).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "access-control-allow-origin": "*",
    "content-encoding": "br",
  });
  expect(await kept.text()).toBe(readFileSync(join(OLD, panel), "utf8"));
  await page.close();
});

it("opens the chat with the newest panel when the relay no longer has the old one", async () => {
  await upgrade(OLD);
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(harness.host);
  const chat = chatOn(page);
  await chat.launcher.waitFor();
  await harness.halt();
  rmSync(join(harness.dataDir, "assets"), { recursive: true });
  build = NEW;
  await harness.start();
  expect((await fetch(`${harness.url}/${panelOf(OLD)}`)).status).toBe(404);
  await chat.open();
  await chat.send("And now?");
  await chat.panel.getByText("echo: And now?").waitFor();
  await page.close();
});
