/** Consent: what waits for it, and what the page may change later. */

import { expect, it } from "vitest";
import { callApi, pageOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed();

it("sends the page's messages only after the visitor has agreed, once and in order", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-require-consent="true"')),
  });
  await chat.launcher.waitFor();
  await callApi(page, "send", "from the page");
  await chat.launcher.click();
  const agree = page.getByRole("button", { name: "Agree and chat" });
  await agree.waitFor();
  await callApi(page, "send", "and more");
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  expect(testbed.harness.sandbox.messages()).toEqual([]);
  await agree.click();
  await chat.thread.getByText("echo: and more", { exact: true }).waitFor();
  expect(testbed.harness.sandbox.messages().map(({ body }) => body)).toEqual(["from the page", "and more"]);
});

it("the consent form has a link to the privacy policy, and states only once what is stored", async () => {
  const { chat } = await testbed.visit({
    html: pageOf(
      testbed.tag('data-site="default" data-require-consent data-privacy-url="https://shop.example/privacy"'),
    ),
  });
  await chat.launcher.click();
  await chat.panel.getByRole("button", { name: "Agree and chat" }).waitFor();
  expect(await chat.panel.getByRole("link", { name: "Privacy policy" }).count()).toBe(1);
  expect(await chat.panel.getByText(/\bstore\b/).count()).toBe(1);
});

it("the page can switch the consent form on and off after the panel has loaded", async () => {
  const { page, chat } = await testbed.visit();
  await chat.launcher.hover();
  await page.locator("porch-light dialog[aria-labelledby]").waitFor({ state: "attached" });
  await callApi(page, "update", { requireConsent: true });
  await chat.launcher.click();
  await page.getByRole("button", { name: "Agree and chat" }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await callApi(page, "update", { requireConsent: false });
  await chat.composer.waitFor();
});

it("the page can change consent and sound at any time, but not against the visitor's own choice", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  const options = chat.panel.getByRole("button", { name: "Chat options" });
  const offers = async (name: string): Promise<void> => {
    await options.click();
    await page.getByRole("menuitem", { name }).waitFor();
  };
  await callApi(page, "update", { sound: false });
  await offers("Turn sound on");
  // The menu takes the focus after it is drawn. Until then, Escape closes the chat.
  await page.locator("[role=menuitem]:focus").waitFor();
  await page.keyboard.press("Escape");
  await callApi(page, "update", { sound: true });
  await offers("Turn sound off");
  await page.getByRole("menuitem", { name: "Turn sound off" }).click();
  await callApi(page, "update", { sound: false });
  await callApi(page, "update", { sound: true });
  await offers("Turn sound on");
});
