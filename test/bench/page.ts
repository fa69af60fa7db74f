/**
 * Measures what the widget costs a page, and a bare button in a shadow root in the same run: on a blank page, medians,
 * at full CPU speed and at a quarter of it. Script times are CPU time of the main thread, which other load disturbs
 * less. `npm run bench -- --page` measures it alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, CDPSession, Page } from "playwright-core";
import { chatOn, launch } from "../browser/browser.ts";
import { pageOf, startPages } from "../browser/checks/pages.ts";
import { type Harness, startHarness } from "../harness.ts";
import { wholeBrowserPath } from "../setup/programs.ts";
import { measurePhone } from "./phone.ts";

const DIST = join(import.meta.dirname, "..", "..", "widget", "dist");

/**
 * The smallest possible launcher, as the reference of the figures: a script from another origin that runs after load and
 * idle, a shadow root, a style sheet, and a button with a name.
 */
const BUTTON = `(() => {
  const start = () => {
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":host{all:initial;position:fixed;right:20px;bottom:20px}button{width:56px;height:56px;border:0;border-radius:50%;background:#4f46e5;color:#fff;font:600 15px system-ui;cursor:pointer}");
    root.adoptedStyleSheets = [sheet];
    const button = document.createElement("button");
    button.setAttribute("aria-label", "Open chat");
    button.setAttribute("aria-haspopup", "dialog");
    button.setAttribute("aria-expanded", "false");
    button.textContent = "Chat";
    root.append(button);
    document.body.append(host);
  };
  addEventListener("load", () => requestIdleCallback(start));
})();`;

/** The cost of a page so far. `bytes`: transferred bytes without the page itself. Times in milliseconds. */
type Cost = Record<"requests" | "bytes" | "scriptMs" | "longTasks" | "shift" | "nodes" | "heapKb", number>;
/** The cost including an opened chat in which a message was sent and answered. */
type Opened = Cost & {
  /** From the click to the next paint, which shows the panel's frame; browsers report it in steps of 8 ms. */
  shellMs: number;
  /** From the click until the visitor can write. */
  readyMs: number;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Each figure's own median. */
function mediansOf<Figures extends Record<string, number>>(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, Number(median(all.map((one) => one[name] ?? 0)).toFixed(3))]),
  ) as Figures;
}

type Seen = { long: number; shift: number; click: number };

/** Runs in the page: observes long tasks, layout shifts, and the time from a click to its paint. */
function watch(): void {
  const seen: Seen = { long: 0, shift: 0, click: 0 };
  Object.assign(window, { seen });
  type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean };
  const observe = (type: string, take: (entry: Entry) => void, more = {}): void =>
    new PerformanceObserver((list) => list.getEntries().forEach(take as never)).observe({
      type,
      buffered: true,
      ...more,
    });
  observe("longtask", () => seen.long++);
  // Movement within half a second of a visitor's input does not count as a shift (Layout Instability, section 2.6).
  observe("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) seen.shift += value;
  });
  observe(
    "event",
    ({ name, duration }) => {
      if (name === "click") seen.click ||= duration;
    },
    { durationThreshold: 16 },
  );
}

type Visit = { page: Page; cost: () => Promise<Cost>; seen: () => Promise<Seen>; leave: () => Promise<void> };

/** Loads a page in a browser context of its own, at a fraction of the CPU's speed. */
async function visit(browser: Browser, url: string, rate: number): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools: CDPSession = await context.newCDPSession(page);
  let requests = -1;
  let bytes = 0;
  let own = "";
  devtools.on("Network.requestWillBeSent", ({ requestId, type }) => {
    requests++;
    if (type === "Document") own = requestId;
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (requestId !== own) bytes += encodedDataLength;
  });
  await devtools.send("Network.enable");
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate });
  await page.addInitScript(watch);
  await page.goto(url, { waitUntil: "networkidle" });
  const seen = (): Promise<Seen> => page.evaluate(() => (window as unknown as { seen: Seen }).seen);
  return {
    page,
    seen,
    async cost() {
      await devtools.send("HeapProfiler.collectGarbage");
      const { metrics } = await devtools.send("Performance.getMetrics");
      const value = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0;
      const { long, shift } = await seen();
      return {
        requests,
        bytes,
        scriptMs: value("ScriptDuration") * 1_000,
        longTasks: long,
        shift,
        nodes: value("Nodes"),
        heapKb: value("JSHeapUsedSize") / 1_024,
      };
    },
    leave: () => context.close(),
  };
}

async function closed(browser: Browser, url: string, rate: number): Promise<Cost> {
  const visitor = await visit(browser, url, rate);
  const cost = await visitor.cost();
  await visitor.leave();
  return cost;
}

async function opened(browser: Browser, url: string, rate: number): Promise<Opened> {
  const visitor = await visit(browser, url, rate);
  const chat = chatOn(visitor.page);
  const clicked = performance.now();
  await chat.launcher.first().click();
  await chat.composer.waitFor();
  const readyMs = performance.now() - clicked;
  await chat.send("Do you ship to Norway?");
  await chat.panel.getByText("echo: Do you ship to Norway?").waitFor();
  await visitor.page.waitForFunction(() => (window as unknown as { seen: Seen }).seen.click > 0);
  const { click } = await visitor.seen();
  const cost = await visitor.cost();
  await visitor.leave();
  return { ...cost, shellMs: click, readyMs };
}

const difference = <Figures extends Cost>(a: Figures, b: Cost): Figures => ({
  ...a,
  ...Object.fromEntries(Object.keys(b).map((name) => [name, a[name as keyof Cost] - b[name as keyof Cost]])),
});

/** Serves the bare button from an origin that is not the page's. */
async function startButton(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/javascript; charset=utf-8").setHeader("Access-Control-Allow-Origin", "*");
    response.end(BUTTON);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/button.js`, stop: () => server.close() };
}

/** Bytes of the built files, gzip, as the budgets count them. */
function sizes() {
  const panel = readdirSync(join(DIST, "assets")).find((name) => /^panel-.*\.js$/.test(name)) ?? "";
  const zipped = (path: string): number => gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length;
  return { loader: zipped("loader.js"), panel: zipped(join("assets", panel)) };
}

/** Measures the costs beyond the blank page's, in turn, so that a slow moment of the machine affects all alike. */
async function measure(browser: Browser, pages: string, rate: number, runs: number) {
  const button: Cost[] = [];
  const widget: Cost[] = [];
  const open: Opened[] = [];
  for (let run = 0; run < runs; run++) {
    const blank = await closed(browser, `${pages}/blank`, rate);
    button.push(difference(await closed(browser, `${pages}/button`, rate), blank));
    widget.push(difference(await closed(browser, `${pages}/widget`, rate), blank));
    open.push(difference(await opened(browser, `${pages}/widget`, rate), blank));
  }
  const ratio = median(widget.map(({ scriptMs }, run) => scriptMs / (button[run]?.scriptMs ?? Number.NaN)));
  return {
    button: mediansOf(button),
    widget: mediansOf(widget),
    open: mediansOf(open),
    scriptRatio: Number(ratio.toFixed(2)),
  };
}

/** @param runs loads of each page at each speed; published figures are medians of five */
export async function measurePage(runs: number) {
  const [pages, button, browser] = await Promise.all([startPages(), startButton(), launch([], wholeBrowserPath())]);
  const harness: Harness = await startHarness({ env: { ALLOWED_ORIGINS: pages.url } });
  const tag = (src: string): { html: string } => ({ html: pageOf(`<script async src="${src}"></script>`) });
  pages.put("/blank", { html: pageOf("") });
  pages.put("/button", tag(button.url));
  pages.put("/widget", tag(`${harness.url}/widget.js`));
  const figures = {
    command: "npm run bench -- --page",
    runs,
    browser: `Chromium ${browser.version()}`,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    sizes: sizes(),
    fullSpeed: await measure(browser, pages.url, 1, runs),
    quarterSpeed: await measure(browser, pages.url, 4, runs),
    phone: await measurePhone(browser, pages, harness.url, runs),
  };
  button.stop();
  await Promise.all([browser.close(), harness.stop(), pages.stop()]);
  return figures;
}
