/**
 * What the closed widget costs a page, beside a bare button in a shadow root in the same run: one blank page, median of
 * five runs, at full speed and at a quarter of it. `node page.ts` measures and writes only these figures.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launch } from "../browser/browser.ts";
import { pageOf, startPages } from "../browser/checks/pages.ts";
import { startHouse } from "../harness.ts";

const RUNS = 5;
const BUTTON = `<script>addEventListener("load",()=>{const host=document.createElement("div");host.attachShadow({mode:"open"}).append(Object.assign(document.createElement("button"),{textContent:"Chat"}));document.body.append(host)})</script>`;

type Cost = { requests: number; bytes: number; scriptMs: number; longTasks: number; nodes: number; heapKb: number };

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Loads the page once in a browser context of its own. `bytes`: what came over the wire besides the page itself. */
async function load(browser: Browser, url: string, rate: number): Promise<Cost> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  let requests = -1;
  let bytes = 0;
  devtools.on("Network.requestWillBeSent", () => requests++);
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await devtools.send("Network.enable");
  await devtools.send("Performance.enable");
  await devtools.send("Emulation.setCPUThrottlingRate", { rate });
  await page.addInitScript(() => {
    const long: number[] = [];
    Object.assign(window, { long });
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
      buffered: true,
    });
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const value = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0;
  const longTasks = await page.evaluate(() => (window as unknown as { long: number[] }).long.length);
  await context.close();
  return {
    requests,
    bytes,
    scriptMs: value("ScriptDuration") * 1_000,
    longTasks,
    nodes: value("Nodes"),
    heapKb: value("JSHeapUsedSize") / 1_024,
  };
}

const difference = (a: Cost, b: Cost): Cost =>
  Object.fromEntries(Object.keys(a).map((name) => [name, a[name as keyof Cost] - b[name as keyof Cost]])) as Cost;

function middle(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost): number => Number(median(costs.map((cost) => cost[name])).toFixed(1));
  return {
    requests: of("requests"),
    bytes: of("bytes"),
    scriptMs: of("scriptMs"),
    longTasks: of("longTasks"),
    nodes: of("nodes"),
    heapKb: of("heapKb"),
  };
}

/** Costs beyond those of the blank page, in turn, so that a slow moment of the machine meets all alike. */
export async function measurePage() {
  const pages = await startPages();
  const [browser, house] = await Promise.all([launch(), startHouse({ env: { ALLOWED_ORIGINS: pages.url } })]);
  pages.put("/blank", { html: pageOf("") });
  pages.put("/button", { html: pageOf(BUTTON) });
  pages.put("/widget", { html: pageOf(`<script async src="${house.url}/widget.js"></script>`) });
  const at = async (rate: number) => {
    const button: Cost[] = [];
    const widget: Cost[] = [];
    for (let run = 0; run < RUNS; run++) {
      const blank = await load(browser, `${pages.url}/blank`, rate);
      button.push(difference(await load(browser, `${pages.url}/button`, rate), blank));
      widget.push(difference(await load(browser, `${pages.url}/widget`, rate), blank));
    }
    return { button: middle(button), widget: middle(widget) };
  };
  const figures = { runs: RUNS, fullSpeed: await at(1), quarterSpeed: await at(4) };
  await Promise.all([browser.close(), house.stop(), pages.stop()]);
  return figures;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "figures.json");
  const figures = { ...(JSON.parse(readFileSync(file, "utf8")) as object), page: await measurePage() };
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(JSON.stringify(figures.page, null, 2));
  process.exit(0);
}
