/** What a designer would change first (LOOK.md): sizes, edges, colours and motion, as the browser computes them. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { pageOf, setStage } from "./checks/stage.ts";

const stage = setStage({ sandbox: { botScript: "silent" } });
const html = (attributes = "") => pageOf(stage.tag(`data-site="default" ${attributes}`));

/** What the browser has made of one property. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page
    .locator(`porch-light ${selector}`)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

it("the frame around a file that is dragged over the panel has the panel's round corners", async () => {
  const { page, chat } = await stage.visit({ html: html('data-radius="20"') });
  await chat.open();
  await page.locator("porch-light .app").evaluate((app) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["a"], "a.txt"));
    app.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await chat.panel.getByText("Drop the file here to send it").waitFor();
  expect(await styleOf(page, ".drop", "border-start-start-radius")).toBe("19px");
  await page.locator("porch-light .app").dispatchEvent("dragleave");
  await page.locator("porch-light .drop").waitFor({ state: "detached" });
});
