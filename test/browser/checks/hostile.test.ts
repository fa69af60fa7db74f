/** WIDGET 9, check 18: no text becomes a script. */

import { existsSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { corpus } from "../../corpora.ts";
import { PAYLOADS } from "./payloads.ts";
import { strays } from "./strays.ts";
import { type Chat, callApi, setUpTestbed } from "./testbed.ts";

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
    expect(await strays(page), text).toEqual([]);
  }
  await page.keyboard.press("Escape");
  const messages = packed(texts, 3_500);
  for (const [n, message] of messages.entries()) {
    await chat.composer.fill(`${message}\n\nend ${n}.`);
    await chat.composer.press("Enter");
    await echoed(chat, n);
  }
  expect(await strays(page)).toEqual([]);
  const name = '"><img src=x onerror=alert(1)>.pdf';
  await page
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n%%EOF") });
  await page.locator(".tray li:not(:has(progress))").waitFor();
  await chat.composer.press("Enter");
  await chat.thread.locator(".file").waitFor();
  expect(await strays(page)).toEqual([]);
  expect(fired).toEqual([]);
});

const echoed = (chat: Chat, n: number) => chat.thread.locator(".reply").getByText(`end ${n}.`).waitFor();
