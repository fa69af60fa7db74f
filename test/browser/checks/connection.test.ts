/** Checks 34 and 37 of WIDGET 9: how connections fail, in real Chromium behind a real proxy. */

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "../../harness.ts";
import { type Host, startHost } from "../../host.ts";
import { type FaultyProxy, startProxy } from "../../proxy.ts";
import { chatOn, TIMEOUT_MS } from "../browser.ts";
import { closeContexts, sharedBrowser } from "../shared.ts";

let browser: Browser;
let harness: Harness;
let host: Host;
let proxy: FaultyProxy;
let page: Page;

beforeAll(async () => {
  proxy = await startProxy(() => harness.url);
  host = await startHost(() => proxy.url);
  [browser, harness] = await Promise.all([sharedBrowser(), startHarness({ env: { ALLOWED_ORIGINS: host.url } })]);
});
afterAll(async () => {
  await closeContexts();
  await Promise.all([proxy.stop(), host.stop(), harness.stop()]);
});

/** A new visitor, and a proxy without previous connections. */
async function begin(): Promise<void> {
  await page?.close();
  proxy.seen = [];
  page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
}

beforeEach(() => {
  Object.assign(proxy, { upgrades: "pass", buffers: false });
  return begin();
});
afterEach(() => page.close());

/** Opens the chat, sends a message and waits for the reply. */
async function converse(text: string): Promise<void> {
  await page.goto(host.url);
  const chat = chatOn(page);
  await chat.open();
  await chat.send(text);
  await chat.thread.getByText(`echo: ${text}`, { exact: true }).waitFor();
}

const upgrades = () => proxy.seen.filter((line) => line.startsWith("UPGRADE"));
const reads = (mode: string) => proxy.seen.filter((line) => line.endsWith(`mode=${mode}`));

describe("37 where WebSockets are blocked", () => {
  for (const how of ["refuse", "hang"] as const)
    it(`37 the conversation uses a stream when the proxy would ${how} them`, async () => {
      proxy.upgrades = how;
      await converse(`through a proxy that would ${how}`);
      expect(reads("stream")).toHaveLength(1);
      expect(reads("poll")).toEqual([]);
    });

  it("37 the conversation uses long polls when the proxy also buffers streams", async () => {
    Object.assign(proxy, { upgrades: "refuse", buffers: true });
    await converse("through a proxy that buffers");
    expect(reads("poll").length).toBeGreaterThan(1);
  });

  it("37 only a WebSocket is requested where it works", async () => {
    await converse("through a good proxy");
    expect(upgrades()).toHaveLength(1);
    expect(proxy.seen.filter((line) => line.includes("/socket/lines"))).toEqual([]);
  });
});

describe("34 a connection that died silently", () => {
  it("34 is replaced when the browser is back online, and missed messages arrive", async () => {
    await converse("before the tunnel");
    proxy.freeze();
    const { fromId } = harness.sandbox.messages().findLast(({ body }) => body === "before the tunnel") ?? {};
    await harness.sandbox.humanReply({ fromId: fromId ?? "", body: "said into the tunnel" });
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await chatOn(page).thread.getByText("said into the tunnel", { exact: true }).waitFor();
    expect(upgrades()).toHaveLength(2);
  });
});
