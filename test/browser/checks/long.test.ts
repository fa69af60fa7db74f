/** WIDGET.md section 9, checks 72 and 73: threads of which only a part is there. */

import type { CDPSession, Page, WebSocketRoute } from "playwright-core";
import { describe, expect, it } from "vitest";
import { converse, readUpTo, rectOf, setStage } from "./stage.ts";
import { frames, gap, withThread } from "./threads.ts";

const stage = setStage();

describe("72 older messages that come in above", () => {
  /** Scrolls, lets a page of older messages come, and answers how far each bubble in sight has moved, in pixels. */
  const prepend = (page: Page, scrollTop: number): Promise<number[]> =>
    page.locator(".thread").evaluate(async (thread, top) => {
      const frame = () => new Promise(requestAnimationFrame);
      const topOf = (element: Element) => element.getBoundingClientRect().top - thread.getBoundingClientRect().top;
      const rows = () => [...thread.querySelectorAll("li[data-row]")];
      const before = rows();
      thread.scrollTop = top;
      const bubbles = before.map((row) => row.querySelector(".bubble") as Element);
      const seen = bubbles.filter((one) => topOf(one) > -one.clientHeight && topOf(one) < thread.clientHeight);
      const were = seen.map(topOf);
      // Near the top they come by themselves; elsewhere somebody must ask for them.
      await frame();
      await frame();
      if (top >= 240) thread.querySelector<HTMLElement>(".older")?.click();
      while (rows().length < before.length + 40) await frame();
      await frame();
      await frame();
      return seen.map((one, n) => topOf(one) - (were[n] ?? 0));
    }, scrollTop);

  it("72 forty older messages move nothing that is in sight, at 500, 0 and 1 pixel from the top", async () => {
    const { page } = await withThread(stage, 230);
    for (const top of [500, 0, 1]) {
      const moved = await prepend(page, top);
      expect(moved.length, `in sight at ${top}`).toBeGreaterThan(2);
      for (const pixels of moved) expect(Math.abs(pixels), `at ${top}`).toBeLessThanOrEqual(1);
    }
  });
});

it("72 who opens the chat before its messages are there comes to the line above what is new, too", async () => {
  const { page, context, chat } = await stage.visit();
  await converse(chat);
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(1);
  await page.close();
  for (let n = 1; n <= 12; n++) await stage.reply(`news ${n} ${"of some length ".repeat(12)}`);
  let release = (): void => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (line: WebSocketRoute): void => {
    const server = line.connectToServer();
    server.onMessage((frame) => void opened.then(() => line.send(frame)));
  };
  const later = await stage.visit({ context, before: (page) => page.routeWebSocket(/\/socket/, hold) });
  await later.chat.open();
  await later.chat.composer.waitFor();
  release();
  await later.chat.thread.getByText("news 12").waitFor();
  await frames(later.page);
  const line = await rectOf(later.page, "porch-light .new");
  const thread = await rectOf(later.page, "porch-light .thread");
  expect(line.y).toBeGreaterThan(thread.y);
  expect(line.bottom).toBeLessThan(thread.y + thread.height / 2);
  expect(await gap(later.page)).toBeGreaterThan(100);
});

describe("73 ten thousand messages", () => {
  /** Milliseconds of the processor that the page's thread has taken so far: others at the machine do not count. */
  async function worked(cdp: CDPSession): Promise<number> {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  }

  /** What it took from the arrival of one more message until that was painted. */
  async function append(page: Page, cdp: CDPSession, text: string): Promise<number> {
    const painted = page.evaluate(
      (wanted) =>
        new Promise<void>((done) => {
          const root = document.querySelector("porch-light")?.shadowRoot as ShadowRoot;
          const watch = new MutationObserver(() => {
            if (!root.querySelector("li.msg:last-child")?.textContent?.includes(wanted)) return;
            watch.disconnect();
            requestAnimationFrame(() => setTimeout(done));
          });
          watch.observe(root, { subtree: true, childList: true });
        }),
      text,
    );
    await frames(page);
    const before = await worked(cdp);
    await stage.reply(text);
    await painted;
    return (await worked(cdp)) - before;
  }

  /** The best of several, 24 at most, until one is good enough: whatever else the machine does only ever adds. */
  async function best(enough: number, take: (n: number) => Promise<number>): Promise<number> {
    let found = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 24 && found > enough; n++) found = Math.min(found, await take(n));
    return found;
  }

  /** What it took from the click until the open panel was painted. */
  async function open(page: Page, cdp: CDPSession): Promise<number> {
    await page.evaluate(async () => {
      const root = document.querySelector("porch-light")?.shadowRoot;
      root?.querySelector<HTMLElement>(".launcher")?.click();
      while (root?.querySelector("dialog")?.open) await new Promise(requestAnimationFrame);
    });
    await frames(page);
    const before = await worked(cdp);
    await page.evaluate(async () => {
      document.querySelector("porch-light")?.shadowRoot?.querySelector<HTMLElement>(".launcher")?.click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    });
    return (await worked(cdp)) - before;
  }

  it("73 open within 300 ms at a quarter of the speed, in at most 300 rows, and one more costs less than a frame", async () => {
    const { page, context } = await withThread(stage, 10_000);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    /** All the way back to the first message, and the most rows that were ever there. */
    const most = await page.locator(".thread").evaluate(async (thread) => {
      let rows = 0;
      while (!thread.textContent?.includes("echo: Hello")) {
        thread.scrollTop = 0;
        await new Promise(requestAnimationFrame);
        rows = Math.max(rows, thread.querySelectorAll("li").length);
      }
      return rows;
    });
    expect(most).toBeLessThanOrEqual(300);
    await page.locator(".newest").click();
    await page.getByText("reply number 10000,").waitFor();

    expect(await best(16, (n) => append(page, cdp, `one more, ${n}.`))).toBeLessThanOrEqual(16);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    expect(await best(300, () => open(page, cdp))).toBeLessThanOrEqual(300);
    expect(await page.locator(".thread li").count()).toBeLessThanOrEqual(300);
  });
});
