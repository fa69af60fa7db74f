/** WIDGET 9, check 18: no text becomes a script. */

import { existsSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { en } from "../../../widget/src/locales/en.ts";
import { corpus } from "../../corpora.ts";
import { forbiddenElements } from "./forbidden-elements.ts";
import { PAYLOADS } from "./payloads.ts";
import { type Chat, callApi, converse, pageOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();
const POLICY = "require-trusted-types-for 'script'; trusted-types 'none'";

/** Payloads of the corpus, if available, that run when a page writes them as markup. */
function payloads(): string[] {
  const file = (name: string) => JSON.parse(readFileSync(corpus(`xss/${name}.json`), "utf8")) as unknown;
  if (!existsSync(corpus("xss/payloads.json"))) return [...PAYLOADS];
  const all = new Map((file("payloads") as { id: number; payload: string }[]).map(({ id, payload }) => [id, payload]));
  const firing = ["control-fires-href", "control-fires-innerhtml", "control-fires-raw-html"].flatMap(
    (name) => file(name) as number[],
  );
  return [...PAYLOADS, ...[...new Set(firing)].slice(0, 300).flatMap((id) => all.get(id)?.slice(0, 900) ?? [])];
}

async function arm(page: Page): Promise<string[]> {
  const fired: string[] = [];
  page.on("dialog", (dialog) => {
    fired.push(`dialog ${dialog.message()}`);
    // A closed page has dismissed its dialog.
    dialog.dismiss().catch(() => undefined);
  });
  await page.exposeFunction("report", (text: string) => fired.push(text));
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) =>
      (window as unknown as { report: (text: string) => void }).report(`${event.violatedDirective} ${event.sample}`),
    ),
  );
  return fired;
}

/** Packs as many payloads into each message as fit. */
function packed(texts: readonly string[], size: number): string[] {
  const messages: string[] = [];
  for (const text of texts) {
    const last = messages.at(-1);
    if (last !== undefined && last.length + text.length + 2 < size)
      messages[messages.length - 1] = `${last}\n\n${text}`;
    else messages.push(text);
  }
  return messages;
}

it("18 payloads stay text: as messages of either side, as settings and as file names (4.13-17; R-606)", async () => {
  const texts = payloads();
  expect(texts.length).toBeGreaterThanOrEqual(60);
  let fired: string[] = [];
  const { page, chat } = await testbed.visit({
    headers: { "Content-Security-Policy": POLICY },
    before: async (page) => {
      fired = await arm(page);
    },
  });
  testbed.harness.sandbox.configure({ botScript: "echo" });
  await chat.open();
  // First the settings: the texts of an empty thread and of the menu.
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem").first().waitFor();
  for (const text of texts.slice(0, PAYLOADS.length)) {
    await callApi(page, "update", {
      title: text,
      greeting: text,
      label: text,
      avatar: text,
      privacyUrl: text,
      suggestions: [text],
    });
    expect(await forbiddenElements(page), text).toEqual([]);
  }
  await page.keyboard.press("Escape");
  const messages = packed(texts, 3_500);
  for (const [n, message] of messages.entries()) {
    await chat.composer.fill(`${message}\n\nend ${n}.`);
    await chat.composer.press("Enter");
    await echoed(chat, n);
  }
  expect(await forbiddenElements(page)).toEqual([]);
  const name = '"><img src=x onerror=alert(1)>.pdf';
  await page
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n%%EOF") });
  await page.locator(".tray li:not(:has(progress))").waitFor();
  await chat.composer.press("Enter");
  await chat.thread.locator(".file").waitFor();
  expect(await forbiddenElements(page)).toEqual([]);
  expect(fired).toEqual([]);
});

const echoed = (chat: Chat, n: number) => chat.thread.locator(".reply").getByText(`end ${n}.`).waitFor();

/** Opens a page that forbids every script but the relay's. @returns also what payloads have reported there */
async function armedVisit(attributes = "") {
  let fired: string[] = [];
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag(`data-site="default" ${attributes}`)),
    headers: { "Content-Security-Policy": POLICY },
    before: async (page) => {
      fired = await arm(page);
    },
  });
  return { page, chat, fired };
}

/** A payload on one line, without the signs that end a name, a title or an answer. */
const oneLine = (text: string, max: number): string =>
  text
    .replaceAll(/[[\]\s]+/g, " ")
    .slice(0, max)
    .trim();

it("18 payloads stay text in cards, answers and names of authors (R-606)", async () => {
  const { page, chat, fired } = await armedVisit();
  await converse(chat);
  for (const [n, text] of PAYLOADS.entries()) {
    const line = oneLine(text, 70);
    const card = `> # ${line}\n> ${line}\n> [${line}](https://shop.example/) [x](${line})`;
    await testbed.reply(`[${oneLine(text, 40)}](${testbed.host}/a.png)\n${card}\n\n( ) ${line}\n( ) answer ${n}`);
    await chat.thread.getByRole("button", { name: `answer ${n}`, exact: true }).waitFor();
    expect(await chat.thread.locator(".reply").last().locator(".card").count(), text).toBe(1);
    expect(await forbiddenElements(page), text).toEqual([]);
  }
  expect(fired).toEqual([]);
});

it("18 payloads stay text in labels, choices and values of forms, in topics and in every word of the site", async () => {
  const { page, chat, fired } = await armedVisit();
  await chat.open();
  const names = PAYLOADS.map((_, n) => `field${n}`);
  const types = ["text", "long", "choice", "checkbox", "url"];
  await callApi(page, "update", {
    customFields: Object.fromEntries(
      PAYLOADS.map((text, n) => [names[n], { label: text, type: types[n % types.length], choices: [text, "other"] }]),
    ),
    prefill: Object.fromEntries([...names, "email", "message"].map((name, n) => [name, PAYLOADS[n] ?? "<b>x</b>"])),
    prechat: ["email?", ...names.map((name) => `${name}?`)],
    team: PAYLOADS.map((text) => `${text.replaceAll("=", " ")}=${text}`),
  });
  await expect.poll(() => chat.panel.locator("form label").count()).toBe(PAYLOADS.length + 1);
  const labels = await chat.panel.locator("form label").allTextContents();
  expect(labels.slice(1).map((label) => label.replace(" (optional)", ""))).toEqual(PAYLOADS);
  expect(await forbiddenElements(page)).toEqual([]);
  await callApi(page, "update", { prechat: [], customFields: {}, prefill: {} });
  for (const text of PAYLOADS) {
    const strings = Object.fromEntries(Object.keys(en).map((key) => [key, text]));
    await callApi(page, "update", { strings, topics: [text, `${text}=${text}`], askPerson: text });
    expect(await forbiddenElements(page), text).toEqual([]);
  }
  expect(fired).toEqual([]);
});

it("18 payloads stay text in help articles, wherever their file comes from", async () => {
  const articles = PAYLOADS.map((text, n) => ({
    title: `${n} ${text}`,
    text: `${text}\n\nend ${n}.`,
    url: text,
    words: [text],
  }));
  testbed.put("/articles.json", { html: JSON.stringify(articles), headers: { "Content-Type": "application/json" } });
  const { page, chat, fired } = await armedVisit(`data-start-screen data-articles="${testbed.host}/articles.json"`);
  await chat.launcher.first().click();
  const titles = chat.panel.locator(".articles button");
  await expect.poll(() => titles.count()).toBe(PAYLOADS.length);
  for (const [n, text] of PAYLOADS.entries()) {
    await titles.nth(n).click();
    await chat.panel.getByText(`end ${n}.`).waitFor();
    expect(await forbiddenElements(page), text).toEqual([]);
    await chat.panel.getByRole("button", { name: "Back" }).click();
  }
  expect(fired).toEqual([]);
});
