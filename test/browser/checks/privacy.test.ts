/** WIDGET 9, checks 46 to 51: what is stored on the device, and what is sent. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page, type Request, type Response } from "playwright-core";
import { expect, it } from "vitest";
import { openSqlite } from "../../../relay/src/db/sqlite.ts";
import { browserPath, wholeBrowserPath } from "../../setup/programs.ts";
import { chatOn, START_MS, TIMEOUT_MS } from "../browser.ts";
import { NOTHING_STORED, storageOf } from "../storage.ts";
import { converse, PLAIN, pageOf, reopen, setUpTestbed } from "./testbed.ts";
import { withThread } from "./threads.ts";

const testbed = setUpTestbed();

it("46 before the click nothing is stored, and no request identifies the visitor", async () => {
  const requested: Request[] = [];
  const answered: Response[] = [];
  const note = async (page: Page): Promise<void> => {
    page.on("request", (request) => requested.push(request));
    page.on("response", (response) => answered.push(response));
  };
  const { page, context, chat } = await testbed.visit({ before: note });
  await chat.launcher.hover();
  await page.waitForLoadState("networkidle");
  expect(await storageOf(page)).toEqual(NOTHING_STORED);
  expect(await context.cookies([testbed.host, testbed.harness.url])).toEqual([]);
  const ours = requested.filter((request) => request.url().startsWith(testbed.harness.url));
  expect(ours.length).toBeGreaterThan(0);
  for (const request of ours) {
    const headers = await request.allHeaders();
    expect(new URL(request.url()).search).toBe("");
    expect(request.postData()).toBeNull();
    expect(headers).not.toHaveProperty("cookie");
    expect(headers).not.toHaveProperty("authorization");
  }
  await expect.poll(() => answered.length - requested.length).toBe(0);
  // A browser may drop a cookie; the relay must not even try to set one.
  const cookies = await Promise.all(answered.map((response) => response.headerValue("set-cookie")));
  expect(cookies.filter((cookie) => cookie !== null)).toEqual([]);
});

it("47 where cookies are blocked, a whole conversation works in memory, without an error", async () => {
  const folder = await mkdtemp(join(tmpdir(), "porchlight-profile-"));
  await mkdir(join(folder, "Default"));
  const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(join(folder, "Default", "Preferences"), JSON.stringify(blocked));
  // The headless build has no such setting.
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: wholeBrowserPath(),
    args: ["--no-sandbox", "--disable-gpu"],
    timeout: START_MS,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    testbed.put("/", { html: pageOf(testbed.tag()) });
    await page.goto(`${testbed.host}/`);
    const thrown = await page.evaluate(() => {
      try {
        return String(localStorage);
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(thrown).toBe("SecurityError");
    const chat = chatOn(page);
    await converse(chat);
    await chat.send("again");
    await chat.thread.getByText("echo: again", { exact: true }).waitFor();
    await chat.panel.getByRole("button", { name: "Close chat" }).click();
    expect(errors).toEqual([]);
    // After a broken connection, it is still the same visitor.
    await testbed.harness.halt();
    await testbed.harness.start();
    await page.evaluate(() => void dispatchEvent(new Event("online")));
    await converse(chat, "after the break");
    expect(new Set(testbed.harness.sandbox.messages().map(({ fromId }) => fromId)).size).toBe(1);
    expect(await chat.thread.getByText("echo: again", { exact: true }).count()).toBe(1);
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
});

it("48 works on a page without https, where browsers disable many functions", async () => {
  const browser = await chromium.launch({
    executablePath: browserPath(),
    timeout: START_MS,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      `--host-resolver-rules=MAP ${PLAIN} 127.0.0.1`,
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ],
  });
  try {
    const { port } = new URL(testbed.host);
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    testbed.put("/", { html: pageOf(testbed.tag()) });
    await page.goto(`http://${PLAIN}:${port}/`);
    expect(await page.evaluate(() => [isSecureContext, "randomUUID" in crypto, "locks" in navigator])).toEqual([
      false,
      false,
      false,
    ]);
    const chat = chatOn(page);
    await converse(chat);
    // Unsent messages are for one tab to send; without locks, nothing decides which one.
    await testbed.harness.halt();
    await chat.send("found again");
    await page.reload();
    await testbed.harness.start();
    await reopen(chat);
    await chat.thread.getByText("echo: found again", { exact: true }).waitFor();
  } finally {
    await browser.close();
  }
});

/** Number of rows about a visitor in the relay's database. */
async function rowsOf(id = ""): Promise<Record<string, number | undefined>> {
  const db = openSqlite(`${testbed.harness.dataDir}/porchlight.db`);
  const count = async (table: string, column: string): Promise<number | undefined> => {
    const [row] = await db.all<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${column} = $1`, id);
    return row?.n;
  };
  try {
    return {
      visitors: await count("visitors", "id"),
      messages: await count("messages", "visitor"),
      outbox: await count("outbox", "visitor"),
    };
  } finally {
    await db.close();
  }
}

it("49 a deleted conversation is removed from browser and relay, and the returning visitor gets a new id", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  const first = testbed.harness.sandbox.messages()[0]?.fromId;
  // The reply may be shown before the relay has the service's answer to the message.
  await expect.poll(() => rowsOf(first)).toEqual({ visitors: 1, messages: 2, outbox: 0 });
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem", { name: "Delete conversation" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await chat.thread.getByText("echo: Hello").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
  expect(await storageOf(page)).toEqual(NOTHING_STORED);
  expect(await rowsOf(first)).toEqual({ visitors: 0, messages: 0, outbox: 0 });
  await page.reload();
  await converse(chat, "Hello again");
  expect(await chat.thread.getByText("echo: Hello", { exact: true }).count()).toBe(0);
  const second = testbed.harness.sandbox.messages().at(-1)?.fromId;
  expect(second).toBeTruthy();
  expect(second).not.toBe(first);
});

it("50 the transcript contains every message, even those never shown, and opens offline as plain text", async () => {
  const { page, context, chat } = await withThread(testbed, 130);
  testbed.harness.sandbox.configure({ botScript: "html" });
  await chat.send("<img src=x onerror=alert(1)> & more");
  await chat.thread.getByText("onerror").nth(1).waitFor();
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Download conversation" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^\S.* \d{4}-\d\d-\d\d\.txt$/);
  const folder = await mkdtemp(join(tmpdir(), "porchlight-transcript-"));
  try {
    const file = join(folder, download.suggestedFilename());
    await download.saveAs(file);
    const text = await readFile(file, "utf8");
    const numbers = [...text.matchAll(/reply number (\d+),/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(Array.from({ length: 130 }, (_, n) => n + 1));
    expect(text).toMatch(/You \([^)]*\)\nHello\n/);
    expect(text).toContain("<img src=x onerror=alert(1)> & more");
    expect(text).toContain("onerror=\"alert('reply')\"");
    await context.setOffline(true);
    const reader = await context.newPage();
    await reader.goto(`file://${file}`);
    expect(await reader.evaluate(() => [document.contentType, document.images.length])).toEqual(["text/plain", 0]);
    expect(await reader.locator("body").textContent()).toContain("<img src=x onerror=alert(1)> & more");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

for (const [how, blocked] of [
  ["a WebSocket", false],
  ["a stream", true],
] as const)
  it(`51 over ${how} the token appears in no address, referrer, console message or page content`, async () => {
    const seen: string[] = [];
    const requested: Request[] = [];
    const { page, chat } = await testbed.visit({
      before: async (page) => {
        page.on("request", (request) => requested.push(request));
        page.on("websocket", (socket) => seen.push(socket.url()));
        page.on("console", (message) => seen.push(message.text()));
        if (blocked) await page.routeWebSocket(/socket/, (socket) => socket.close({ code: 1006 }));
      },
    });
    await converse(chat);
    await page.reload();
    await reopen(chat);
    await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
    for (const request of [...requested]) seen.push(request.url(), (await request.allHeaders()).referer ?? "");
    expect(seen.some((url) => url.includes("mode=stream"))).toBe(blocked);
    const token = await page.evaluate(
      () => (JSON.parse(localStorage["porchlight:default"]) as { token: string }).token,
    );
    expect(token.length).toBeGreaterThan(20);
    const markup = await page.evaluate(
      () => document.documentElement.outerHTML + (document.querySelector("porch-light")?.shadowRoot?.innerHTML ?? ""),
    );
    expect([...seen, markup].filter((text) => text.includes(token))).toEqual([]);
  });
