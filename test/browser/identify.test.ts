/** The visitor's identity: what the page states and what the relay accepts. */

import { expect, it } from "vitest";
import { IDENTITY_SECRET, identityOf } from "../identities.ts";
import { callApi, converse, pageOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed({ env: { IDENTITY_SECRET } });

it("an identity is reported to the page once the relay has accepted it; a forged one is reported as an error", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag('data-greeting="Hello {name}!"')) });
  await page.evaluate(() => {
    const events: string[] = [];
    Object.assign(window, { events });
    addEventListener("porchlight:identify", () => events.push("identify"));
    addEventListener("porchlight:error", (event) => events.push((event as CustomEvent).detail.code));
  });
  const eventsOnPage = () => page.evaluate(() => (window as unknown as { events: string[] }).events);
  await callApi(page, "identify", "a.b.c");
  expect(await eventsOnPage()).toEqual([]);
  await chat.open();
  await expect.poll(eventsOnPage).toEqual(["not_allowed"]);
  await callApi(page, "identify", identityOf({ sub: "ada", name: "Ada" }));
  await expect.poll(eventsOnPage).toEqual(["not_allowed", "identify"]);
  await chat.panel.getByText("Hello Ada!").waitFor();
  await callApi(
    page,
    "identify",
    identityOf({ sub: "bob", name: "Bob" }, "another secret that is quite as long as ours"),
  );
  await expect.poll(eventsOnPage).toEqual(["not_allowed", "identify", "not_allowed"]);
  await chat.panel.getByText("Hello Ada!").waitFor();
});

it("a page that waits for its first command can identify a visitor who has a conversation", async () => {
  const first = await testbed.visit();
  await converse(first.chat);
  await first.page.close();
  const { page, chat } = await testbed.visit({
    context: first.context,
    html: pageOf(testbed.tag('data-manual data-greeting="Hello {name}!"')),
  });
  await page.waitForFunction(() => "Porchlight" in window);
  await callApi(page, "identify", identityOf({ sub: "ada", name: "Ada" }));
  expect(await page.locator("porch-light").count()).toBe(0);
  await callApi(page, "open");
  await chat.panel.getByText("Hello Ada!").waitFor();
});

it("the next visitor finds no answers or settings after a logout, a deletion or withdrawn consent", async () => {
  const html = pageOf(testbed.tag('data-prechat="name" data-capture="phone" data-require-consent'));
  const { page, chat } = await testbed.visit({ html });
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const choose = async (name: string): Promise<void> => {
    await chat.panel.getByRole("button", { name: "Chat options" }).click();
    await chat.panel.getByRole("menuitem", { name }).click();
  };
  await chat.launcher.first().click();
  await chat.panel.locator(".consent").waitFor();
  await choose("Turn sound off");
  expect(await stored()).toBe("{}");
  for (const leave of [
    () => callApi(page, "logout"),
    () => callApi(page, "consent", false),
    async () => {
      await choose("Delete conversation");
      await chat.panel.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    },
  ]) {
    const agree = chat.panel.getByRole("button", { name: "Agree and chat" });
    const name = chat.panel.getByRole("textbox", { name: "Name" });
    await agree
      .or(name)
      .or(chat.panel.getByRole("button", { name: "Start a new conversation" }))
      .first()
      .waitFor();
    if (await agree.isVisible()) await agree.click();
    else if (!(await name.isVisible()))
      await chat.panel.getByRole("button", { name: "Start a new conversation" }).click();
    await name.fill("Ada");
    await chat.panel.getByRole("button", { name: "Start chat" }).click();
    await chat.send("Hello");
    await chat.thread.getByRole("button", { name: "No, thanks" }).click();
    await expect.poll(stored).toContain("prechat capture");
    await leave();
    await expect.poll(stored).toBe("{}");
  }
});

it("an identity returns when consent is withdrawn and given again, but not after a logout", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag('data-greeting="Hello {name}!"')) });
  const greeting = (name: string) => chat.panel.getByText(`Hello${name}!`).waitFor();
  await chat.open();
  await callApi(page, "identify", identityOf({ sub: "ada", name: "Ada" }));
  await greeting(" Ada");
  await callApi(page, "consent", false);
  await chat.panel.locator(".consent").waitFor();
  await callApi(page, "consent", true);
  await greeting(" Ada");
  await callApi(page, "logout");
  await callApi(page, "consent", false);
  await callApi(page, "consent", true);
  await chat.send("who am I?");
  await chat.panel.getByText("echo: who am I?").waitFor();
  expect(await chat.panel.getByText("Hello Ada!").count()).toBe(0);
});
