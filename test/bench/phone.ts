/**
 * Measures how soon a visitor on a phone can write: a cold cache, DevTools' Fast 3G, a quarter of the CPU's speed, and
 * a touch of 80 ms. `node test/bench/phone.ts` measures it alone.
 */
import type { Browser, CDPSession, Page } from "playwright-core";
import { launch } from "../browser/browser.ts";
import { type Pages, pageOf, startPages } from "../browser/checks/pages.ts";
import { startHarness } from "../harness.ts";
import { wholeBrowserPath } from "../setup/programs.ts";

const RUNS = 5;
/** DevTools' preset: bytes per second, and the added latency of each request in milliseconds. */
const FAST_3G = { offline: false, downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5 };
const SLOWDOWN = 4;
/** Milliseconds between touch and release. */
const TOUCH_MS = 80;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** Milliseconds from the click: until the frame is painted, and until the text field can be written in. */
export type PhoneFigures = { shellMs: number; readyMs: number };

/** Runs in the page: records when the launcher was clicked, and when the frame and the text field were shown. */
function watch(): void {
  const seen = Object.assign(window, { clickedAt: 0, shellAt: 0, readyAt: 0 });
  const look = (): void => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    if (root?.querySelector("dialog[open]")) seen.shellAt ||= performance.now();
    if (root?.querySelector("textarea")?.getClientRects().length) seen.readyAt ||= performance.now();
    if (!seen.readyAt) requestAnimationFrame(look);
  };
  addEventListener(
    "click",
    () => {
      seen.clickedAt = performance.now();
      look();
    },
    true,
  );
}

async function press(page: Page, devtools: CDPSession): Promise<void> {
  const box = await page.locator(".launcher").boundingBox();
  if (!box) throw new Error("the launcher has no place on the page");
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await new Promise((done) => setTimeout(done, TOUCH_MS));
  await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

async function visit(browser: Browser, url: string): Promise<PhoneFigures> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await page.addInitScript(watch);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", FAST_3G);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto(url, { waitUntil: "load" });
  await page.locator(".launcher").waitFor();
  await press(page, devtools);
  await page.waitForFunction(() => (window as unknown as { readyAt: number }).readyAt > 0);
  const { clickedAt, shellAt, readyAt } = (await page.evaluate(() => {
    const { clickedAt, shellAt, readyAt } = window as unknown as Record<string, number>;
    return { clickedAt, shellAt, readyAt };
  })) as Record<"clickedAt" | "shellAt" | "readyAt", number>;
  await context.close();
  return { shellMs: Math.round(shellAt - clickedAt), readyMs: Math.round(readyAt - clickedAt) };
}

/** The visit with the median `readyMs`. @param relay origin of the relay that serves the widget */
export async function measurePhone(browser: Browser, pages: Pages, relay: string, runs = RUNS): Promise<PhoneFigures> {
  pages.put("/phone", { html: pageOf(`<script async src="${relay}/widget.js"></script>`) });
  const all: PhoneFigures[] = [];
  for (let run = 0; run < runs; run++) all.push(await visit(browser, `${pages.url}/phone`));
  return all.toSorted((a, b) => a.readyMs - b.readyMs)[runs >> 1] as PhoneFigures;
}

if (import.meta.main) {
  const [pages, browser] = await Promise.all([startPages(), launch([], wholeBrowserPath())]);
  const harness = await startHarness({ env: { ALLOWED_ORIGINS: pages.url } });
  console.log(await measurePhone(browser, pages, harness.url));
  await Promise.all([browser.close(), harness.stop(), pages.stop()]);
}
