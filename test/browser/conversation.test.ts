/** A visitor's first conversation, in real Chromium, on a page of another origin with one tag. */

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "../harness.ts";
import { chatOn, TIMEOUT_MS } from "./browser.ts";
import { PIXEL } from "./png.ts";
import { closeContexts, sharedBrowser } from "./shared.ts";
import { NOTHING_STORED, storageOf } from "./storage.ts";

let browser: Browser;
let harness: Harness;
let context: BrowserContext;

beforeAll(async () => {
  [browser, harness] = await Promise.all([sharedBrowser(), startHarness()]);
});
afterAll(() => Promise.all([closeContexts(), harness.stop()]));
beforeEach(async () => {
  harness.sandbox.reset();
  harness.sandbox.configure({ callbackUrl: harness.callbackUrl });
  context = await browser.newContext();
  context.setDefaultTimeout(TIMEOUT_MS);
});
afterEach(() => context.close());

/** A new tab of the same visitor, on a page of the host. */
async function visit(path = "/"): Promise<{ page: Page; chat: ReturnType<typeof chatOn> }> {
  const page = await context.newPage();
  await page.goto(harness.host + path);
  return { page, chat: chatOn(page) };
}

const fromId = (): string => harness.sandbox.messages()[0]?.fromId ?? "";

describe("before the visitor opens the chat", () => {
  it("requests only the tag's script, and stores nothing", async () => {
    const requests: string[] = [];
    const sockets: string[] = [];
    context.on("request", (request) => requests.push(request.url()));
    context.on("page", (page) => page.on("websocket", (socket) => sockets.push(socket.url())));
    const { page, chat } = await visit();
    await chat.launcher.waitFor();
    await page.waitForLoadState("networkidle");
    expect(requests).toEqual([`${harness.host}/`, `${harness.url}/widget.js`]);
    expect(sockets).toEqual([]);
    expect(await context.cookies([harness.host, harness.url])).toEqual([]);
    expect(await storageOf(page)).toEqual(NOTHING_STORED);
  });
});

describe("a conversation in the browser", () => {
  it("sends the typed text unchanged, and shows the reply", async () => {
    const text = "Do you ship to Norway? <b>ÆØÅ</b> 👋";
    const { chat } = await visit();
    await chat.open();
    await chat.send(text);
    await chat.thread.getByText(`echo: ${text}`, { exact: true }).waitFor();
    expect(await chat.thread.locator("b").count()).toBe(0);
    expect(harness.sandbox.messages().map(({ body }) => body)).toEqual([text]);
    expect(fromId()).toMatch(/^[A-Za-z0-9_]{20,50}$/);
  });

  it("sends only strings for the page's code, and logs an error for any other value", async () => {
    const { page, chat } = await visit();
    await chat.open();
    const logged: string[] = [];
    page.on("console", (message) => logged.push(message.text()));
    await page.evaluate(() => {
      const { Porchlight } = window as unknown as {
        Porchlight: { send: EventListener } & ((...call: unknown[]) => void);
      };
      document.body.addEventListener("click", Porchlight.send, { once: true });
      document.body.click();
      Porchlight("send");
      Porchlight("send", { text: "Hello" });
      Porchlight("send", "Hello");
    });
    await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
    expect(harness.sandbox.messages().map(({ body }) => body)).toEqual(["Hello"]);
    expect(logged).toEqual(Array(3).fill(expect.stringContaining("send takes a text")));
  });

  it("delivers three quick messages in typing order under one fromId", async () => {
    const { chat } = await visit();
    await chat.open();
    const texts = ["first", "second", "third"];
    for (const text of texts) {
      await chat.composer.fill(text);
      await chat.composer.press("Enter");
    }
    await harness.sandbox.until((sandbox) => sandbox.messages().length === 3);
    expect(harness.sandbox.messages().map(({ body }) => body)).toEqual(texts);
    expect(new Set(harness.sandbox.messages().map((message) => message.fromId)).size).toBe(1);
  });

  it("sends pictures with their text, even when the visitor picks them one by one before the tray's code has loaded", async () => {
    const { page, chat } = await visit();
    const code = Promise.withResolvers<void>();
    let held = 0;
    await page.route(/\/file-tray-[^/]*\.js$/, async (route) => {
      held++;
      await code.promise;
      await route.continue();
    });
    await chat.open();
    await chat.composer.fill("look at these");
    const names = ["one.png", "two.png", "three.png"];
    for (const name of names) {
      await page.locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer: PIXEL });
    }
    await chat.composer.press("Enter");
    expect(await chat.composer.inputValue()).toBe("look at these");
    // Proves that the pattern of the route matches the file's name.
    await expect.poll(() => held).toBeGreaterThan(0);
    code.resolve();
    await chat.panel.getByRole("button", { name: `Remove ${names[2]}` }).waitFor();
    expect(await chat.panel.locator(".tray bdi").allInnerTexts()).toEqual(names);
    await chat.panel.getByRole("button", { name: "Send message" }).click();
    await harness.sandbox.until((sandbox) => sandbox.messages().length === 3);
    await expect.poll(() => chat.thread.getByRole("img", { name: /picture/i }).count()).toBe(3);
    expect(harness.sandbox.messages()[0]?.body).toBe("look at these");
  });

  it("is there again after a reload, and on the next page", async () => {
    const { page, chat } = await visit();
    await chat.open();
    await chat.send("remember me");
    await chat.thread.getByText("echo: remember me").waitFor();
    for (const move of [() => page.reload(), () => page.goto(`${harness.host}/second`)]) {
      await move();
      await chat.open();
      await chat.thread.getByText("echo: remember me").waitFor();
      expect(await chat.thread.getByText("remember me").count()).toBe(2);
    }
  });

  it("shows messages of both sides live in a second tab", async () => {
    const first = await visit();
    await first.chat.open();
    await first.chat.send("said in the first tab");
    await first.chat.thread.getByText("echo: said in the first tab").waitFor();

    const second = await visit("/second");
    await second.chat.open();
    await second.chat.thread.getByText("echo: said in the first tab").waitFor();
    await second.chat.send("said in the second tab");
    for (const { chat } of [first, second]) {
      await chat.thread.getByText("said in the second tab", { exact: true }).waitFor();
      await chat.thread.getByText("echo: said in the second tab").waitFor();
    }
    expect(harness.sandbox.messages()).toHaveLength(2);
  });

  it("shows a reply that a person typed in the sandbox's inbox", async () => {
    const { chat } = await visit();
    await chat.open();
    await chat.send("is anybody there?");
    await chat.thread.getByText("echo: is anybody there?").waitFor();

    const inbox = await (await browser.newContext()).newPage();
    await inbox.goto(harness.sandbox.origin);
    await inbox.getByRole("link", { name: /is anybody there/ }).click();
    await inbox.getByRole("textbox", { name: /reply/i }).fill("Yes: a person, from the inbox");
    await inbox.getByRole("button", { name: /send/i }).click();
    await chat.thread.getByText("Yes: a person, from the inbox").waitFor();
    await inbox.context().close();
  });

  it("counts a reply that came while the page was closed as unread, and shows it", async () => {
    const { page, chat } = await visit();
    const socket = page.waitForEvent("websocket");
    await chat.open();
    const seen = (await socket).waitForEvent("framesent", ({ payload }) => String(payload).includes('"t":"read"'));
    await chat.send("back in a minute");
    await chat.thread.getByText("echo: back in a minute").waitFor();
    await seen;
    await chat.panel.getByRole("button", { name: /close/i }).click();
    await page.close();
    const reply = await harness.sandbox.humanReply({ fromId: fromId(), body: "here when you return" });
    expect(reply.status).toBe("Sent");

    const later = await visit();
    await later.page.getByRole("button", { name: /chat.*\b1 unread message/i }).waitFor();
    await later.chat.open();
    await later.chat.thread.getByText("here when you return").waitFor();
    await later.chat.thread.getByText("echo: back in a minute").waitFor();
  });
});
