import axe from "axe-core";
import { expect, it } from "vitest";
import { setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed();

it.each([
  ["a desktop, light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
  ["a small phone, dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
] as const)(
  "the page of the API is accessible on %s with all sections open, breaks no name of a field, and fits its width",
  async (_, options) => {
    const context = await testbed.browser.newContext({ ...options, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${testbed.harness.url}/api`);
    await page.evaluate(() => {
      for (const each of document.querySelectorAll("details")) each.open = true;
    });
    await page.evaluate(axe.source);
    const faults = await page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ["violations"],
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    expect(faults).toEqual([]);
    const broken = await page
      .locator("td code")
      .evaluateAll((all) => all.filter((name) => name.getClientRects().length > 1).map((name) => name.textContent));
    expect(broken).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await context.close();
  },
);
