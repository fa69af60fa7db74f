/** WIDGET.md section 9, checks 52 and 53: every state, by machine: axe finds nothing, and the tree is as it was looked at. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pageOf, setStage } from "./stage.ts";
import { ASKING, STATES } from "./states.ts";

const stage = setStage();
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

type Check = { message: string; data?: { messageKey?: string } };
type Node = { target: unknown; failureSummary?: string; any: Check[]; all: Check[]; none: Check[] };
type Found = { id: string; nodes: Node[] };

/** What axe could not decide by itself, with the states in which it was looked at, and what was seen. */
const REVIEWED: { readonly [finding: string]: { states: readonly string[]; seen: string } } = {
  "color-contrast bgOverlap": {
    states: ["emoji", "menu", "question"],
    seen: "The picker, the menu or the question lies over a part of the thread: the same words were measured before.",
  },
  "color-contrast shortTextContent": {
    states: ["menu", "question"],
    seen: "The one letter of the avatar is no text to be read; in the accent colour it has 4.5:1 all the same (64).",
  },
  "color-contrast emptyValue": {
    states: ["menu", "question"],
    seen: "The text field is empty: there is nothing to read.",
  },
  "aria-required-children missing": {
    states: ["empty", "form", "wrong", "hours", "ended"],
    seen: "The list of messages is there before the first message is, and after the last one has gone.",
  },
};

/** Waits until nothing moves any more that ever stops. */
const still = (page: Page) =>
  page.evaluate(async () => {
    const all = document.querySelector("porch-light")?.shadowRoot?.getAnimations() ?? [];
    const once = all.filter((one) => one.effect?.getComputedTiming().iterations === 1);
    await Promise.allSettled(once.map((one) => one.finished));
  });

/** What axe finds on the page, the widget's open root included: violations, and what nobody has looked at yet. */
const findings = async (page: Page, state: string): Promise<string[]> => {
  const { violations, open } = await page.evaluate(async (tags) => {
    const root = document.querySelector("body > porch-light")?.shadowRoot;
    if (!root) throw new Error("The host is not in the body, or its root is closed: axe would see nothing");
    const { axe } = window as unknown as {
      axe: { run: (what: Document, how: object) => Promise<{ violations: Found[]; incomplete: Found[] }> };
    };
    const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations", "incomplete"] });
    return {
      violations: found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
      ),
      open: found.incomplete.flatMap(({ id, nodes }) =>
        nodes.map(({ target, any, all, none }) => {
          const why = [...any, ...all, ...none].map(({ data }) => data?.messageKey ?? "missing")[0];
          return { finding: `${id} ${why}`, target: JSON.stringify(target) };
        }),
      ),
    };
  }, TAGS);
  const strange = open.filter(({ finding }) => !REVIEWED[finding]?.states.includes(state));
  return [...violations, ...strange.map(({ finding, target }) => `not reviewed: ${finding} ${target}`)];
};

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
            const here = await findings(page, name);
            if (here.length > 0) found[name] = here;
          }
          expect(
            await page.locator("porch-light .launcher").evaluate((element) => getComputedStyle(element).direction),
          ).toBe(direction);
          expect(found).toEqual({});
        });
});

describe("52 axe finds nothing where the chat asks for something", () => {
  for (const theme of ["light", "dark"] as const)
    for (const locale of ["en", "ar"])
      it(`52 in ${ASKING.length} states, ${theme}, ${locale === "ar" ? "rtl" : "ltr"}`, async () => {
        const found: Record<string, string[]> = {};
        for (const { name, attributes, enter } of ASKING) {
          const html = host(`data-locale="${locale}" ${attributes}`);
          const { page, context } = await stage.visit({ html, options: { colorScheme: theme } });
          await page.evaluate(AXE);
          await enter(page, stage);
          await still(page);
          const here = await findings(page, name);
          if (here.length > 0) found[name] = here;
          await context.close();
        }
        expect(found).toEqual({});
      });
});

/** The tree, without what depends on the second: times, and how far the newest message got. Not the live regions either. */
async function treeOf(page: Page, parts: string[]): Promise<string> {
  const trees = await Promise.all(parts.map((part) => page.locator(`porch-light ${part}`).ariaSnapshot()));
  const tree = trees.join("\n").replace(/\d{1,2}:\d\d\s?[AP]M/g, "TIME");
  return `${tree.replace(/· (Sent|Delivered)/g, "· STATE")}\n`;
}

it("53 the accessibility tree of every state is the one that was looked at", async () => {
  const { page } = await stage.visit({ html: host('data-suggestions="One|Two"') });
  for (const { name, enter } of STATES) {
    await enter(page, stage);
    await still(page);
    const parts = name === "closed" || name === "unread" ? [".launcher"] : [".launcher", ".panel"];
    await expect(await treeOf(page, parts)).toMatchFileSnapshot(`golden/${name}.aria.yml`);
  }
});

it("53 and so is the one of every state in which the chat asks for something, and of a phone", async () => {
  for (const { name, attributes, enter } of ASKING) {
    const { page, context } = await stage.visit({ html: host(attributes) });
    await enter(page, stage);
    await still(page);
    await expect(await treeOf(page, [".launcher", ".panel"])).toMatchFileSnapshot(`golden/${name}.aria.yml`);
    await context.close();
  }
  const { page } = await stage.visit({ html: host(""), options: { viewport: { width: 390, height: 844 } } });
  await page.locator("porch-light .launcher").click();
  await page.locator("porch-light textarea").waitFor();
  await still(page);
  await expect(await treeOf(page, [".panel"])).toMatchFileSnapshot("golden/phone.aria.yml");
});

it("53 a label that is lost, a name that changes and a role that is another would be seen", async () => {
  const { page, chat } = await stage.visit({ html: host("") });
  await chat.open();
  const before = await treeOf(page, [".panel"]);
  for (const [selector, attribute, value] of [
    ["[aria-haspopup=menu]", "aria-label", ""],
    ["[aria-label='Close chat']", "aria-label", "Close"],
    [".thread", "role", "region"],
    ["textarea", "id", "elsewhere"],
  ] as const) {
    const part = page.locator(`porch-light ${selector}`).first();
    const handle = await part.elementHandle();
    const given = await part.getAttribute(attribute);
    await handle?.evaluate((element, [name, text]) => element.setAttribute(name, text), [attribute, value] as const);
    expect(await treeOf(page, [".panel"]), `${selector} ${attribute}`).not.toBe(before);
    await handle?.evaluate((element, [name, text]) => element.setAttribute(name, text), [
      attribute,
      given ?? "",
    ] as const);
    expect(await treeOf(page, [".panel"])).toBe(before);
  }
});
