/**
 * The times of check 73 (WIDGET 9), in a thread of ten thousand messages: what one more message costs, and what opening the
 * panel costs at a quarter of the CPU's speed. They are CPU time of the page's main thread in milliseconds, because other load
 * disturbs it less than elapsed time. Each is the best of several tries. `node test/bench/long-thread.ts` measures only these.
 */
import type { Browser, CDPSession, Page } from "playwright-core";
import { chatOn, launch } from "../browser/browser.ts";
import { pageOf, startPages } from "../browser/checks/pages.ts";
import { fillThread, frames } from "../browser/checks/threads.ts";
import { type Harness, startHarness } from "../harness.ts";
import { wholeBrowserPath } from "../setup/programs.ts";

const MESSAGES = 10_000;
const TRIES = 12;
const SLOWDOWN = 4;
/** Largest values allowed. */
export const THREAD_BOUNDS = { appendMs: 16, openMs: 300 };
export type ThreadFigures = Record<keyof typeof THREAD_BOUNDS, number>;

/** Milliseconds of the processor that the page's main thread has taken so far. */
async function worked(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

async function append(page: Page, devtools: CDPSession, reply: () => Promise<unknown>, text: string): Promise<number> {
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
  const before = await worked(devtools);
  await reply();
  await painted;
  return (await worked(devtools)) - before;
}

/** Runs in the page: presses the launcher. */
const press = (): void =>
  document.querySelector("porch-light")?.shadowRoot?.querySelector<HTMLElement>(".launcher")?.click();

async function open(page: Page, devtools: CDPSession): Promise<number> {
  await page.evaluate(press);
  await page.locator("dialog.panel").waitFor({ state: "hidden" });
  await frames(page);
  const before = await worked(devtools);
  await page.evaluate(press);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  return (await worked(devtools)) - before;
}

async function best(take: (n: number) => Promise<number>): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES; n++) found = Math.min(found, await take(n));
  return Math.round(found * 10) / 10;
}

/** A page at the end of a thread of ten thousand messages. */
async function longThread(browser: Browser, harness: Harness, url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  const chat = chatOn(page);
  await page.goto(url);
  await chat.open();
  await chat.send("Hello");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await fillThread(harness, MESSAGES);
  await page.reload();
  await chat.open();
  await chat.thread.getByText(`reply number ${MESSAGES},`).waitFor();
  await page.locator(".thread").evaluate((thread) => {
    thread.scrollTop = thread.scrollHeight;
  });
  await frames(page);
  return page;
}

/** @returns the best figures of several tries */
export async function measureThread(): Promise<ThreadFigures> {
  const [pages, browser] = await Promise.all([startPages(), launch([], wholeBrowserPath())]);
  const harness = await startHarness({ env: { ALLOWED_ORIGINS: pages.url } });
  pages.put("/thread", { html: pageOf(`<script async src="${harness.url}/widget.js"></script>`) });
  const page = await longThread(browser, harness, `${pages.url}/thread`);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const fromId = harness.sandbox.messages().at(-1)?.fromId ?? "";
  const appendMs = await best((n) =>
    append(page, devtools, () => harness.sandbox.humanReply({ fromId, body: `one more, ${n}.` }), `one more, ${n}.`),
  );
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const openMs = await best(() => open(page, devtools));
  await Promise.all([browser.close(), harness.stop(), pages.stop()]);
  return { appendMs, openMs };
}

if (import.meta.main) {
  const figures = await measureThread();
  const exceeded = (Object.keys(THREAD_BOUNDS) as (keyof ThreadFigures)[]).filter(
    (name) => figures[name] > THREAD_BOUNDS[name],
  );
  console.log(JSON.stringify(figures), exceeded.join(", "));
  process.exit(exceeded.length === 0 ? 0 : 1);
}
