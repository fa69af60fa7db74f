/** WIDGET.md section 9, checks 52 and 53: every state, by machine: axe finds nothing, and the tree is as it was looked at. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pageOf, setStage } from "./stage.ts";
import { STATES } from "./states.ts";

const stage = setStage();
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

type Found = { id: string; nodes: { target: unknown; failureSummary?: string }[] };

/** Waits until nothing moves any more that ever stops. */
const still = (page: Page) =>
  page.evaluate(async () => {
    const all = document.querySelector("porch-light")?.shadowRoot?.getAnimations() ?? [];
    const once = all.filter((one) => one.effect?.getComputedTiming().iterations === 1);
    await Promise.allSettled(once.map((one) => one.finished));
  });

/** Violations that axe finds on the page, the widget's open root included. */
const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async (tags) => {
    const root = document.querySelector("body > porch-light")?.shadowRoot;
    if (!root) return ["the host is not in the body, or its root is closed: axe would see nothing"];
    const { axe } = window as unknown as {
      axe: { run: (what: Document, how: object) => Promise<{ violations: Found[] }> };
    };
    const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
    );
  }, TAGS);

const host = (attributes: string): string =>
  pageOf(`<main><h1>Host</h1><p>Words.</p></main>${stage.tag(`data-site="default" ${attributes}`)}`);

describe("52 axe finds nothing", () => {
  for (const theme of ["light", "dark"] as const)
    for (const [direction, locale] of [
      ["ltr", "en"],
      ["rtl", "ar"],
    ] as const)
      for (const phone of [false, true])
        it(`52 in ${STATES.length} states, ${theme}, ${direction}${phone ? ", on a phone" : ""}`, async () => {
          const { page } = await stage.visit({
            html: host(
              `data-locale="${locale}" data-privacy-url="https://shop.example/privacy" data-suggestions="One|Two"`,
            ),
            options: { colorScheme: theme, ...(phone ? { viewport: { width: 390, height: 844 } } : {}) },
          });
          await page.evaluate(AXE);
          const found: Record<string, string[]> = {};
          // On a phone the panel is modal and has no emoji button: the keyboard has its own.
          const states = phone
            ? STATES.filter(({ name }) => ["closed", "empty", "conversation"].includes(name))
            : STATES;
          for (const { name, enter } of states) {
            await enter(page, stage);
            await still(page);
            const here = await violations(page);
            if (here.length > 0) found[name] = here;
          }
          expect(
            await page.locator("porch-light .launcher").evaluate((element) => getComputedStyle(element).direction),
          ).toBe(direction);
          expect(found).toEqual({});
        });
});

it("53 the accessibility tree of every state is the one that was looked at", async () => {
  const { page } = await stage.visit({ html: host('data-suggestions="One|Two"') });
  for (const { name, enter } of STATES) {
    await enter(page, stage);
    await still(page);
    // Not the live regions: what stands there depends on the second.
    const parts = name === "closed" || name === "unread" ? [".launcher"] : [".launcher", ".panel"];
    const trees = await Promise.all(parts.map((part) => page.locator(`porch-light ${part}`).ariaSnapshot()));
    const tree = trees.join("\n").replace(/\d{1,2}:\d\d\s?[AP]M/g, "TIME");
    await expect(`${tree.replace(/· (Sent|Delivered)/g, "· STATE")}\n`).toMatchFileSnapshot(`golden/${name}.aria.yml`);
  }
});
