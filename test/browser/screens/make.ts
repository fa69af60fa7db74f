/**
 * `node test/browser/screens/make.ts` makes the README's pictures again and prints their sizes. They show twelve states of the
 * chat on the demo's shop. Look at them before you commit them.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startShop } from "../../../relay/demo/shop.ts";
import { type Harness, startHarness } from "../../harness.ts";
import { freePort } from "../../ports.ts";
import { wholeBrowserPath } from "../../setup/programs.ts";
import { launch } from "../browser.ts";
import { STATES, type State } from "./states.ts";

/** Maximum bytes of one picture, and of all pictures. */
const BUDGET = { one: 60_000, all: 500_000 };
const SCREENS = {
  desktop: { width: 1_200, height: 800 },
  panel: { width: 1_200, height: 800 },
  phone: { width: 390, height: 760 },
};
/** The visible part of a desktop page: the chat and a margin. */
const CLIP = { width: 448, height: 800 };
const QUALITY = 72;

async function picture(page: Page, { screen, settings }: State): Promise<Buffer> {
  const { width, height } = SCREENS[screen];
  const left = settings?.position === "left" ? 0 : width - CLIP.width;
  const clip = screen === "panel" ? { ...CLIP, x: left, y: 0 } : { width, height, x: 0, y: 0 };
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    clip: { ...clip, scale: 1 },
  });
  return Buffer.from(data, "base64");
}

/** Takes the picture of one state, starting with a first visit in a new browser context. */
async function take(browser: Browser, harness: Harness, shop: string, state: State): Promise<number> {
  const { name, screen, dark = false, settings = {}, enter } = state;
  const context = await browser.newContext({
    viewport: SCREENS[screen],
    deviceScaleFactor: screen === "desktop" ? 1 : 1.5,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    hasTouch: screen === "phone",
    isMobile: screen === "phone",
    timezoneId: "Europe/Oslo",
  });
  const page = await context.newPage();
  await page.addInitScript((given) => Object.assign(window, { PorchlightSettings: given }), settings);
  await page.goto(shop, { waitUntil: "networkidle" });
  await enter(page, harness);
  const image = await picture(page, state);
  await context.close();
  if (image.length > BUDGET.one) throw new Error(`${name} has ${image.length} bytes, more than ${BUDGET.one}`);
  writeFileSync(join(import.meta.dirname, `${name}.webp`), image);
  console.log(`${name}: ${image.length} bytes`);
  return image.length;
}

const port = await freePort();
const shop = `http://127.0.0.1:${port}`;
const harness = await startHarness({ env: { ALLOWED_ORIGINS: shop, MESSAGES_PER_MINUTE: "0" } });
harness.sandbox.configure({ botScript: "silent" });
const [shopServer, browser] = await Promise.all([
  startShop(harness.url, port, "127.0.0.1"),
  launch([], wholeBrowserPath()),
]);
const only = process.argv.slice(2);
let all = 0;
for (const state of STATES.filter(({ name }) => only.length === 0 || only.includes(name)))
  all += await take(browser, harness, shop, state);
await Promise.all([browser.close(), shopServer.stop(), harness.stop()]);
console.log(`Total: ${all} bytes`);
process.exit(all > BUDGET.all ? 1 : 0);
