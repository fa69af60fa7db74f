/** The chat on faulty networks, in real Chromium behind real proxies. */

import { afterEach, expect, it } from "vitest";
import { startHost } from "../host.ts";
import { type FaultyProxy, startProxy } from "../proxy.ts";
import { chatOn, TIMEOUT_MS } from "./browser.ts";
import { converse, echo, pageOf, reopen, setUpTestbed } from "./checks/testbed.ts";
import { slowTests } from "./slow-network.ts";

const testbed = setUpTestbed();
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A proxy in front of the relay, until the test ends. */
async function proxied(): Promise<FaultyProxy> {
  const proxy = await startProxy(() => testbed.harness.url);
  stops.push(proxy.stop);
  return proxy;
}
/** A page whose tag names this address of the relay. */
const pageOver = (relay: string): { html: string } => ({ html: pageOf(testbed.tag('data-site="default"', relay)) });
const TIMEOUT = { timeout: TIMEOUT_MS };

it("after a restart behind a proxy that answers 502, the chat continues over a WebSocket", async () => {
  const proxy = await proxied();
  const { chat } = await testbed.visit(pageOver(proxy.url));
  await converse(chat);
  proxy.seen.length = 0;
  proxy.down = true;
  // The proxy has refused three upgrades, and the widget has checked whether the relay is up.
  await expect.poll(() => proxy.seen.filter((line) => line.startsWith("UPGRADE")).length, TIMEOUT).toBeGreaterThan(2);
  // The relay returns right after that check: before the next attempt, not between an attempt and its check.
  const checks = (): number => proxy.seen.filter((line) => line === "GET /healthz").length;
  const before = checks();
  await expect.poll(checks, { ...TIMEOUT, interval: 10 }).toBeGreaterThan(before);
  proxy.down = false;
  await chat.send("after the restart");
  await echo(chat, "after the restart").waitFor(TIMEOUT);
  expect(proxy.seen.filter((line) => line.includes("/socket/lines"))).toEqual([]);
});

it("where WebSockets are blocked, each of eight tabs over HTTP/1.1 has the whole conversation", async () => {
  const proxy = await proxied();
  proxy.upgrades = "refuse";
  const first = await testbed.visit(pageOver(proxy.url));
  await converse(first.chat);
  const chats = [first.chat];
  for (let n = 1; n < 8; n++) {
    const { chat } = await testbed.visit({ context: first.context, path: `/tab${n}`, ...pageOver(proxy.url) });
    await reopen(chat);
    chats.push(chat);
  }
  for (const [n, chat] of chats.entries()) await chat.send(`from tab ${n}`);
  for (const chat of chats) for (const n of chats.keys()) await echo(chat, `from tab ${n}`).waitFor(TIMEOUT);
  expect(proxy.seen.filter((line) => line.endsWith("mode=stream"))).toHaveLength(1);
  // The tab with the open connection closes; another tab now opens one.
  await first.page.close();
  await expect.poll(() => proxy.seen.filter((line) => line.endsWith("mode=stream")).length, TIMEOUT).toBe(2);
});

for (const upgrades of ["pass", "refuse"] as const)
  it(`the chat says that this page may not use it, where a proxy ${upgrades === "pass" ? "passes" : "blocks"} WebSockets`, async () => {
    const proxy = await proxied();
    proxy.upgrades = upgrades;
    const host = await startHost(() => proxy.url);
    stops.push(host.stop);
    const page = await testbed.browser.newPage();
    stops.push(() => page.close());
    await page.goto(host.url);
    // Not `open`, which waits for the composer: it disappears when the relay refuses.
    await chatOn(page).launcher.first().click();
    await page.locator(".ended").getByText("This chat isn't available here.").waitFor(TIMEOUT);
  });

slowTests(testbed, [2]);
