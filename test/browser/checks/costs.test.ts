/**
 * WIDGET 9, checks 19 to 21: what the widget costs a page. `npm run bench` measures the times that they name
 * (test/bench/checks.ts).
 */

import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { pageOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed({
  site: { account: "default", title: "Shop", privacyUrl: "https://shop.example/privacy" },
});
const KB = 1_024;

const size = async (url: string): Promise<number> =>
  gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer()), { level: 9 }).length;

for (const language of ["en", "de", "ar"])
  it(`19 the loader has at most 4 kB with its settings, the open chat 35 kB with its texts, and the page makes one request before: ${language}`, async () => {
    const requested: string[] = [];
    const { page, chat } = await testbed.visit({
      html: pageOf(testbed.tag(`data-site="default" data-locale="${language}"`)),
      before: async (page) => page.on("request", (request) => requested.push(request.url())),
    });
    await chat.launcher.or(page.locator(".launcher")).first().waitFor();
    await page.waitForLoadState("networkidle");
    expect(requested).toEqual([`${testbed.host}/`, `${testbed.harness.url}/widget.js`]);
    await page.locator(".launcher").click();
    await page.locator("porch-light textarea").waitFor();
    // On the developer's own machine the panel also checks the settings; visitors do not fetch that file.
    const scripts = requested.slice(1).filter((url) => /\.js/.test(url) && !url.includes("/check-settings-"));
    const [loader = "", ...open] = new Set(scripts);
    expect(open.some((url) => url.includes(language === "en" ? "/panel-" : `/${language}-`))).toBe(true);
    expect(await size(loader)).toBeLessThanOrEqual(4 * KB);
    const sizes = await Promise.all(open.map(size));
    expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(35 * KB);
  });

it("20 the page's layout does not shift when the widget loads and the launcher appears", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(`<h1>Host</h1><p>${"Some words of the page. ".repeat(200)}</p>${testbed.tag()}`),
    before: (page) =>
      page.addInitScript(() => {
        const seen = Object.assign(window, { shift: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value;
        }).observe({ type: "layout-shift", buffered: true });
      }),
  });
  await chat.launcher.waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBe(0);
});

it("21 the first click on the launcher opens the panel before its code has been fetched", async () => {
  const requested: string[] = [];
  const checked = Promise.withResolvers<void>();
  const { page, chat } = await testbed.visit({
    // The file arrives only after the panel was checked.
    before: (page) =>
      page.route(/assets\/panel/, async (route) => {
        requested.push(route.request().url());
        await checked.promise;
        await route.continue();
      }),
  });
  await chat.launcher.waitFor();
  expect(requested).toEqual([]);
  await page.locator(".launcher").click();
  expect(await page.locator("dialog.panel").evaluate((panel) => (panel as HTMLDialogElement).open)).toBe(true);
  checked.resolve();
  await chat.composer.waitFor();
});
