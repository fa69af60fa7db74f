/** A site's forms: set in the relay's file, shown in a real browser, received by the service. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { IDENTITY_SECRET, identityOf } from "../identities.ts";
import { clockOf, listenTo, pass } from "./checks/clocks.ts";
import { callApi, converse, pageOf, setUpTestbed } from "./checks/testbed.ts";
import { setOffline } from "./offline.ts";

/** Times on a Monday in Oslo, before and after nine. */
const EARLY = "2026-01-05T07:30:00Z";
const OPEN = "2026-01-05T08:30:00Z";
const testbed = setUpTestbed({
  env: { IDENTITY_SECRET },
  site: {
    identitySecret: "env:IDENTITY_SECRET",
    capture: ["email"],
    hours: { timeZone: "Europe/Oslo", mon: "9:00-17:00" },
  },
});
const contacts = () => testbed.harness.sandbox.state().contacts;
const at = (time: string) => async (page: Page) => {
  await page.clock.install({ time });
};

it("outside business hours, accepts a message and an address, and names the opening time in the visitor's time zone", async () => {
  const { chat } = await testbed.visit({
    before: at(EARLY),
    options: { timezoneId: "Europe/London", locale: "en-GB" },
  });
  await chat.launcher.first().click();
  await chat.panel.getByText("We'll be back today at 08:00").waitFor();
  await chat.panel.getByRole("textbox", { name: "Name" }).fill("Ada");
  await chat.panel.getByRole("button", { name: "Leave a message" }).click();
  const missing = chat.panel.getByText("Please fill in this field.");
  await expect.poll(() => missing.count()).toBe(2);
  await chat.panel.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await expect.poll(() => missing.count()).toBe(1);
  await chat.panel.getByRole("textbox", { name: "Message" }).fill("Where is my lamp?");
  await chat.panel.getByRole("button", { name: "Leave a message" }).click();
  await chat.panel.getByText("We've got your message").waitFor();
  await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
  expect(testbed.harness.sandbox.messages()[0]?.body).toContain("Where is my lamp?");
  await expect.poll(contacts).toMatchObject([{ email: "ada@example.com", firstName: "Ada" }]);
});

it("outside business hours, confirms the message once, without a sign of waiting", async () => {
  testbed.harness.sandbox.configure({ botScript: "silent" });
  const before = async (page: Page): Promise<void> => {
    await page.clock.install({ time: EARLY });
    await listenTo(page);
  };
  const { page, chat } = await testbed.visit({ before });
  await chat.launcher.first().click();
  await chat.panel.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await chat.panel.getByRole("textbox", { name: "Message" }).fill("Where is my lamp?");
  await chat.panel.getByRole("button", { name: "Leave a message" }).click();
  await chat.panel.getByText("We've got your message").waitFor();
  await expect.poll(async () => (await clockOf(page)).working).toBeGreaterThan(0);
  await pass(page, 135_000);
  expect(await page.locator(".waiting").count()).toBe(0);
  expect(testbed.harness.sandbox.messages()).toHaveLength(1);
});

it("outside business hours, confirms a message only when it is stored, and refuses a message that is too long", async () => {
  const { page, chat } = await testbed.visit({ before: at(EARLY) });
  await chat.launcher.first().click();
  const message = chat.panel.getByRole("textbox", { name: "Message" });
  await chat.panel.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await message.fill("y".repeat(4_200));
  await chat.panel.getByText("200 characters over the limit").waitFor();
  await chat.panel.getByRole("button", { name: "Leave a message" }).click();
  await chat.panel.getByRole("alert").getByText("200 characters over the limit").waitFor();
  await message.fill("Where is my lamp?");
  await setOffline(page, true);
  await page.evaluate(() => dispatchEvent(new Event("offline")));
  await chat.panel.getByRole("button", { name: "Leave a message" }).click();
  await chat.panel.locator(".form").getByText("Waiting to send").waitFor();
  expect(await chat.panel.getByText("We've got your message").count()).toBe(0);
  await setOffline(page, false);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await chat.panel.getByText("We've got your message").waitFor();
  expect(await chat.thread.getByText("Not sent").count()).toBe(0);
});

it("opens at business hours while the page is open", async () => {
  const { page, chat } = await testbed.visit({ before: at(EARLY) });
  await chat.launcher.first().click();
  await chat.panel.getByText("We'll be back today").waitFor();
  await page.clock.fastForward("45:00");
  await chat.panel.getByText("We'll be back today").waitFor({ state: "detached" });
  await chat.send("Hello");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
});

it("asks once for an address after the first message, and the visitor can decline", async () => {
  const { page, chat } = await testbed.visit({ before: at(OPEN) });
  await converse(chat);
  await chat.thread.getByText("Leave your email and we'll send replies there").waitFor();
  await chat.thread.getByRole("button", { name: "No, thanks" }).click();
  await chat.thread.getByText("Leave your email").waitFor({ state: "detached" });
  const focused = () => chat.composer.evaluate((field) => (field.getRootNode() as ShadowRoot).activeElement === field);
  await expect.poll(focused).toBe(true);
  await page.reload();
  await chat.open();
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  expect(await chat.thread.getByText("Leave your email").count()).toBe(0);
});

it("never asks twice for an address that was given before the first message or signed", async () => {
  testbed.harness.sandbox.configure({ botScript: [] });
  const first = await testbed.visit({
    before: at(OPEN),
    html: pageOf(testbed.tag('data-site="default" data-prechat="email" data-capture="" data-email-offer')),
  });
  await first.chat.launcher.first().click();
  await first.chat.panel.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await first.chat.panel.getByRole("button", { name: "Start chat" }).click();
  await first.chat.send("Do you have it in green?");
  await first.page.locator(".dots").waitFor();
  await first.page.clock.fastForward(31_000);
  await first.chat.thread.getByText("This is taking longer than usual", { exact: false }).waitFor();
  expect(await first.chat.thread.getByRole("textbox", { name: "Email" }).count()).toBe(0);

  const identity = identityOf({ sub: "grace", name: "Grace", email: "grace@example.com" });
  const before = async (page: Page): Promise<void> => {
    await page.clock.install({ time: EARLY });
  };
  const { page, chat } = await testbed.visit({ before });
  await callApi(page, "identify", identity);
  await chat.launcher.first().click();
  await chat.panel.getByText("We'll be back today").waitFor();
  await chat.panel.getByRole("textbox", { name: "Email" }).waitFor({ state: "detached" });
  await chat.panel.getByRole("textbox", { name: "Message" }).fill("Where is my lamp?");
  await chat.panel.getByRole("button", { name: "Leave a message" }).click();
  await chat.panel.getByText("We've got your message").waitFor();
  await page.clock.fastForward("45:00");
  await chat.panel.getByText("We've got your message").waitFor({ state: "detached" });
  await chat.thread.getByText("Where is my lamp?", { exact: true }).waitFor();
  expect(await chat.panel.getByRole("textbox", { name: "Email" }).count()).toBe(0);

  // The next person on this device is asked again.
  await callApi(page, "logout");
  await chat.send("Hello");
  await chat.thread.getByRole("textbox", { name: "Email" }).waitFor();
});

it("offers a visitor who has waited half a minute to leave an address, where the site has no such form", async () => {
  testbed.harness.sandbox.configure({ botScript: [] });
  const { page, chat } = await testbed.visit({
    before: at(OPEN),
    html: pageOf(testbed.tag('data-site="default" data-capture="" data-email-offer')),
  });
  await chat.open();
  await chat.send("Do you have it in green?");
  await page.locator(".dots").waitFor();
  expect(await chat.thread.getByText("Leave your email").count()).toBe(0);
  await page.clock.fastForward(31_000);
  await chat.thread.getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await testbed.reply("Yes, in two greens.");
  await chat.thread.getByText("Yes, in two greens.").waitFor();
  await chat.thread.getByRole("button", { name: "Notify me" }).click();
  await chat.thread.getByText("Thanks, saved!").waitFor();
});
