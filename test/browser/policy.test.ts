import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Harness, startHarness } from "../harness.ts";
import { chatOn, TIMEOUT_MS } from "./browser.ts";
import { closeContexts, sharedBrowser } from "./shared.ts";

let browser: Browser;
let harness: Harness;

/** Allows only what the README requires. */
const policy = (relay: string): string =>
  `default-src 'none'; script-src ${relay}; connect-src ${relay} ${relay.replace(/^http/, "ws")}; require-trusted-types-for 'script'; trusted-types 'none'`;

beforeAll(async () => {
  const headers = (relay: string): Record<string, string> => ({
    "Content-Security-Policy": policy(relay),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
  });
  [browser, harness] = await Promise.all([sharedBrowser(), startHarness({ tag: { headers } })]);
});
afterAll(() => Promise.all([closeContexts(), harness.stop()]));

it("runs under the strictest policy of the page, with Trusted Types, without a violation", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  page.on("pageerror", (error) => logged.push(error.message));
  await page.goto(harness.host);
  const chat = chatOn(page);
  await chat.open();
  await chat.send("**bold** and https://example.com");
  await chat.thread.getByText("echo:").waitFor();
  await chat.panel.getByRole("button", { name: /close/i }).click();
  expect(logged).toEqual([]);
});
