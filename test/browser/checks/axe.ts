/** Check 52: axe in every state of the chat, in two themes and two directions. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { FORM_STATES, STATES } from "./states.ts";
import { pageOf, type Testbed } from "./testbed.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

type Check = { message: string; data?: { messageKey?: string } };
type Node = { target: unknown; failureSummary?: string; any: Check[]; all: Check[]; none: Check[] };
type Found = { id: string; nodes: Node[] };

/** Results that axe could not decide, with the states in which a person reviewed them, and the reason why they are correct. */
const REVIEWED: { readonly [finding: string]: { states: readonly string[]; seen: string } } = {
  "color-contrast bgOverlap": {
    states: ["emoji", "menu", "question"],
    seen: "The picker, the menu or the question covers a part of the thread. Axe measured this text in an earlier state.",
  },
  "color-contrast shortTextContent": {
    states: ["menu", "question"],
    seen: "The single letter of the avatar is decorative; even so, its contrast with the accent colour is 4.5:1 (64).",
  },
  "color-contrast emptyValue": {
    states: ["menu", "question"],
    seen: "The text field is empty: there is nothing to read.",
  },
  "label-content-name-mismatch missing": {
    states: ["emoji"],
    seen: "The button of an emoji group shows one emoji and is named in words. The emoji contains no text that the name must repeat.",
  },
  "aria-required-children missing": {
    states: ["empty", "form", "wrong", "hours", "ended"],
    seen: "The list of messages is also present while it is empty.",
  },
};

/** Waits until every finite animation has ended. */
export const animationsEnded = (page: Page) =>
  page.evaluate(async () => {
    const all = document.querySelector("porch-light")?.shadowRoot?.getAnimations() ?? [];
    const once = all.filter((one) => one.effect?.getComputedTiming().iterations === 1);
    await Promise.allSettled(once.map((one) => one.finished));
  });

/** Findings of axe on the page, including the widget's open root: violations, and results that nobody has reviewed yet. */
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
  const unreviewed = open.filter(({ finding }) => !REVIEWED[finding]?.states.includes(state));
  return [...violations, ...unreviewed.map(({ finding, target }) => `not reviewed: ${finding} ${target}`)];
};

/** A page of the site with the tag and these attributes. */
export const hostPage = (testbed: Testbed, attributes: string): string =>
  pageOf(`<main><h1>Host</h1><p>Words.</p></main>${testbed.tag(`data-site="default" ${attributes}`)}`);

type Theme = "light" | "dark";
type Direction = "ltr" | "rtl";
const LOCALES: Record<Direction, string> = { ltr: "en", rtl: "ar" };

/** A theme and a direction. */
type Look = readonly [Theme, Direction];
/** In which looks each group of states is checked. */
type Looks = { desktop: readonly Look[]; phone: readonly Look[]; forms: readonly Look[] };

/** Runs axe in every state, in these looks. */
export function axeTests(testbed: Testbed, { desktop, phone, forms }: Looks): void {
  describe("52 axe finds nothing", () => {
    for (const [theme, direction] of desktop)
      it(`52 in the states that a visitor reaches, ${theme}, ${direction}`, () =>
        inStates(testbed, theme, direction, false));
    for (const [theme, direction] of phone)
      it(`52 in the states that a visitor reaches, ${theme}, ${direction}, on a phone`, () =>
        inStates(testbed, theme, direction, true));
  });
  describe("52 axe finds nothing in the chat's forms", () => {
    for (const [theme, direction] of forms)
      it(`52 in ${FORM_STATES.length} states, ${theme}, ${direction}`, () => inFormStates(testbed, theme, direction));
  });
}

async function inStates(testbed: Testbed, theme: Theme, direction: Direction, phone: boolean): Promise<void> {
  const { page } = await testbed.visit({
    html: hostPage(
      testbed,
      `data-locale="${LOCALES[direction]}" data-privacy-url="https://shop.example/privacy" data-suggestions="One|Two"`,
    ),
    options: { colorScheme: theme, ...(phone ? { viewport: { width: 390, height: 844 } } : {}) },
  });
  await page.evaluate(AXE);
  const found: Record<string, string[]> = {};
  // On a phone the panel is modal and has no emoji button: the keyboard has its own.
  const states = phone ? STATES.filter(({ name }) => ["closed", "empty", "conversation"].includes(name)) : STATES;
  for (const { name, enter } of states) {
    await enter(page, testbed);
    await animationsEnded(page);
    const here = await findings(page, name);
    if (here.length > 0) found[name] = here;
  }
  const shown = await page.locator("porch-light .launcher").evaluate((element) => getComputedStyle(element).direction);
  expect(shown).toBe(direction);
  expect(found).toEqual({});
}

/** Removes the gradient behind a scrolling form, because axe cannot measure text over a gradient. */
function hideScrollShadow(): void {
  const root = document.querySelector("body > porch-light")?.shadowRoot;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".form { background-image: none !important }");
  root?.adoptedStyleSheets.push(sheet);
}

async function inFormStates(testbed: Testbed, theme: Theme, direction: Direction): Promise<void> {
  const found: Record<string, string[]> = {};
  for (const { name, attributes, enter } of FORM_STATES) {
    const html = hostPage(testbed, `data-locale="${LOCALES[direction]}" ${attributes}`);
    const { page, context } = await testbed.visit({ html, options: { colorScheme: theme } });
    await page.evaluate(AXE);
    await enter(page, testbed);
    await page.evaluate(hideScrollShadow);
    await animationsEnded(page);
    const here = await findings(page, name);
    if (here.length > 0) found[name] = here;
    await context.close();
  }
  expect(found).toEqual({});
}
