/** What the chat shows beside the closed launcher, in each engine: the teaser and a reply's preview. */

import { expect, it } from "vitest";
import type { Testbed } from "./testbed.ts";

const SITE = 'data-site="default"';
const WORDS = "Not sure which lamp fits your reading corner? Ask us.";

/** @param name of the engine, for the names of the tests */
export function proactiveIn(name: string, testbed: Testbed): void {
  it(`in ${name} the teaser is as wide as its longest line, and opens the chat`, async () => {
    const body = testbed.tag(`${SITE} data-teaser="${WORDS}" data-teaser-after="0"`);
    const { tab, chat } = await testbed.visit({ body });
    await chat.find({ css: ".teaser" });
    const { lines, strip } = await tab.run(teaserLines);
    expect(lines).toBe(2);
    expect(strip).toBeLessThan(4);
    await chat.click({ css: ".teaser button", text: WORDS });
    await chat.find({ css: "textarea" });
    await chat.gone({ css: ".teaser" });
  });

  it(`in ${name} a closed teaser does not open the chat`, async () => {
    const { chat } = await testbed.visit({ body: testbed.tag(`${SITE} data-teaser="${WORDS}" data-teaser-after="0"`) });
    await chat.click({ css: ".teaser button", text: "Close" });
    await chat.gone({ css: ".teaser" });
    expect(await chat.see({ css: ".panel" })).toBeNull();
  });

  it(`in ${name} a reply appears beside the closed launcher, and opens the conversation`, async () => {
    const { chat } = await testbed.visit({ body: testbed.tag(`${SITE} data-reply-preview`) });
    await chat.converse();
    await chat.click({ css: "button", text: "Close chat" });
    await chat.gone({ css: ".panel" });
    await testbed.reply("Both are in stock, and the brass one is ready to be sent today.");
    await chat.find({ css: ".teaser span" });
    await chat.find({ css: ".badge" });
    await chat.click({ css: ".teaser span" });
    await chat.shows("Both are in stock, and the brass one is ready to be sent today.");
    await chat.gone({ css: ".teaser" });
  });
}

/** Runs in the page: the number of the teaser's lines, and how much wider one side's space beside them is than the other's. */
function teaserLines(): { lines: number; strip: number } {
  const button = document.querySelector("porch-light")?.shadowRoot?.querySelector(".teaser button") as Element;
  const range = new Range();
  range.selectNodeContents(button);
  const [box, text] = [button.getBoundingClientRect(), range.getBoundingClientRect()];
  const tops = [...range.getClientRects()].map(({ y }) => Math.round(y));
  return { lines: new Set(tops).size, strip: Math.abs(text.left - box.left - (box.right - text.right)) };
}
