/**
 * DOM clobbering and prototype pollution. An attacker who can place markup but no script, for example a comment that keeps
 * `id` and `name`, shadows a property of `document` or `window` with an element. Or an attacker makes another script of the
 * page write to `Object.prototype`. In both cases the chat still opens and runs only its own scripts.
 */

import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_CASES } from "../all-cases.ts";
import { type Harness, startHarness } from "../harness.ts";
import { freePort } from "../ports.ts";
import { type Pages, pageOf, startPages } from "./checks/pages.ts";
import { closeContexts, sharedBrowser } from "./shared.ts";

/** The target of the injected addresses. The test answers the browser's requests to it. */
const FOREIGN = "http://foreign.example";

type Markup = (attribute: "id" | "name") => string;
const named =
  (tag: string, name: string, more = "", inside = ""): Markup =>
  (attribute) =>
    `<${tag} ${attribute}="${name}" ${more}>${inside}</${tag}>`;
/** A single element without content. */
const bare =
  (tag: string, name: string, more = ""): Markup =>
  (attribute) =>
    `<${tag} ${attribute}="${name}" ${more}>`;
const source = `src="${FOREIGN}/widget.js" data-site="default"`;

const MARKUPS: readonly [what: string, markup: Markup][] = [
  ["a picture as the running script", bare("img", "currentScript", source)],
  ["a plugin as the running script", bare("embed", "currentScript", source)],
  ["an object as the running script", named("object", "currentScript", `data="${FOREIGN}/widget.js"`)],
  ["a frame as the running script", named("iframe", "currentScript")],
  [
    "links as settings",
    (attribute) =>
      `<a id="PorchlightSettings"></a><a id="PorchlightSettings" name="relay" href="${FOREIGN}"></a><a ${attribute}="relay" href="${FOREIGN}"></a>`,
  ],
  ["a form as settings", named("form", "PorchlightSettings", "", `<input name="relay" value="${FOREIGN}">`)],
  ["a plugin as settings", bare("embed", "PorchlightSettings", `src="${FOREIGN}"`)],
  ["a frame as settings", named("iframe", "PorchlightSettings", `src="${FOREIGN}"`)],
  ["a form as the function", named("form", "Porchlight", "", '<input name="site"><input name="q">')],
  ["a plugin as the function", bare("embed", "Porchlight")],
  ["a frame as the function", named("iframe", "Porchlight")],
  ["addEventListener", bare("img", "addEventListener")],
  ["readyState", named("form", "readyState")],
  ["body", bare("img", "body")],
  ["head", named("object", "head")],
  ["createElement", bare("img", "createElement")],
  ["createElementNS", named("form", "createElementNS")],
  ["documentElement", bare("embed", "documentElement")],
  [
    "querySelector",
    (attribute) => `<img ${attribute}="querySelector"><div data-site="default" data-src="${FOREIGN}"></div>`,
  ],
  ["activeElement", named("form", "activeElement", 'tabindex="0"', '<input name="shadowRoot">')],
  ["visibilityState", bare("img", "visibilityState")],
  ["prerendering", named("form", "prerendering")],
  ["requestIdleCallback", named("a", "requestIdleCallback")],
  ["querySelectorAll", named("form", "querySelectorAll")],
];

type Way = readonly [way: string, tag: (relay: string) => string];
const WAYS: readonly [Way, Way] = [
  ["in the page", (relay) => `<script async src="${relay}/widget.js" data-site="default"></script>`],
  [
    "added by a script",
    (relay) =>
      `<script>{const tag=Document.prototype.createElement.call(document,"script");tag.src="${relay}/widget.js";tag.dataset.site="default";Document.prototype.querySelector.call(document,"body").append(tag)}</script>`,
  ],
];

/** Number of tabs in parallel. */
const TABS = 4;

let browser: Browser;
let context: BrowserContext;
let pages: Pages;
let harnesses: { [address in "with" | "without"]: Harness };

beforeAll(async () => {
  pages = await startPages();
  const port = await freePort();
  const env = { ALLOWED_ORIGINS: pages.url, MESSAGES_PER_MINUTE: "0", SOCKETS_PER_ADDRESS: "0" };
  const known = { ...env, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` };
  const [started, without, withAddress] = await Promise.all([
    sharedBrowser(),
    startHarness({ env }),
    startHarness({ env: known }),
  ]);
  browser = started;
  harnesses = { without, with: withAddress };
  context = await browser.newContext();
  // Each case is a first visit, because the widget reopens a chat that was left open in the tab.
  await context.addInitScript(() => window === window.top && sessionStorage.clear());
});
afterAll(() => Promise.all([closeContexts(), harnesses.with.stop(), harnesses.without.stop(), pages.stop()]));

/**
 * Opens the chat by its launcher. @returns whether the visitor can write. Does not use `document`, because the page may have
 * changed it
 */
const opens = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const find = (): ShadowRoot | null | undefined =>
      Document.prototype.querySelector.call(document, "porch-light")?.shadowRoot;
    const until = async (done: () => unknown): Promise<boolean> => {
      for (const since = performance.now(); performance.now() - since < 60_000; ) {
        if (done()) return true;
        await new Promise(requestAnimationFrame);
      }
      return false;
    };
    if (!(await until(() => find()?.querySelector(".launcher")))) return false;
    find()?.querySelector<HTMLElement>(".launcher")?.click();
    return until(() => find()?.querySelector("dialog[open] textarea"));
  });

type Case = { name: string; path: string; html: string };
type Verdict = { name: string; opened: boolean; foreign: string[] };

async function judge(page: Page, { name, path, html }: Case): Promise<Verdict> {
  const foreign: string[] = [];
  const onRequest = (request: { resourceType(): string; url(): string }): unknown =>
    request.resourceType() === "script" && request.url().startsWith(FOREIGN) && foreign.push(request.url());
  page.on("request", onRequest);
  pages.put(path, { html });
  await page.goto(pages.url + path, { waitUntil: "commit" });
  const opened = await opens(page);
  page.off("request", onRequest);
  return { name, opened, foreign };
}

/** Tests all cases, a few tabs at a time. */
async function judgeAll(cases: Case[]): Promise<Verdict[]> {
  const waiting = [...cases];
  const verdicts: Verdict[] = [];
  const work = async (): Promise<void> => {
    const page = await context.newPage();
    await page.route(`${FOREIGN}/**`, (route) =>
      route.fulfill({ contentType: "text/javascript", body: "export const start = () => {}" }),
    );
    for (let next = waiting.pop(); next; next = waiting.pop()) verdicts.push(await judge(page, next));
    await page.close();
  };
  await Promise.all(Array.from({ length: TABS }, work));
  return verdicts;
}

/**
 * The cases of a relay with or without a public address. Of the eight combinations of a markup, `npm test` runs four, in which
 * each pair of address, way and attribute occurs.
 */
const casesFor = (address: "with" | "without"): Case[] =>
  MARKUPS.flatMap(([what, markup], number) =>
    WAYS.flatMap(([way, tag], second) =>
      (["id", "name"] as const).flatMap((attribute, third) => {
        const name = `${what} by ${attribute}, the tag ${way}`;
        const path = `/${address}/${encodeURIComponent(name)}`;
        const isPaired = (number + Number(address === "with") + second + third) % 2 === 0;
        return ALL_CASES || isPaired
          ? [{ name, path, html: pageOf(markup(attribute) + tag(harnesses[address].url)) }]
          : [];
      }),
    ),
  );

describe("markup that shadows the page's own names", () => {
  it.each(["with", "without"] as const)("changes nothing for a relay %s a public address", async (address) => {
    const cases = casesFor(address);
    expect(cases).toHaveLength(MARKUPS.length * (ALL_CASES ? 4 : 2));
    const verdicts = await judgeAll(cases);
    expect(verdicts).toHaveLength(cases.length);
    expect(verdicts.filter(({ opened, foreign }) => !opened || foreign.length > 0)).toEqual([]);
  });
});

it("changes nothing when elements shadow every property of the document at once", async () => {
  const page = await context.newPage();
  const names = await page.evaluate(() =>
    [HTMLDocument, Document, Node, EventTarget].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)),
  );
  expect(names.length).toBeGreaterThan(200);
  const markup = names.map((name) => `<form name="${name}"></form>`).join("");
  const verdicts: Verdict[] = [];
  for (const [way, tag] of WAYS) {
    const html = pageOf(markup + tag(harnesses.without.url));
    verdicts.push(await judge(page, { name: way, path: `/all/${encodeURIComponent(way)}`, html }));
  }
  expect(verdicts.map(({ opened, foreign }) => [opened, foreign])).toEqual([
    [true, []],
    [true, []],
  ]);
  await page.close();
});

it("opens the chat in a browser without requestIdleCallback, whatever element has this name", async () => {
  const page = await context.newPage();
  const html = `<script>delete window.requestIdleCallback</script><form id="requestIdleCallback"></form>`;
  pages.put("/idle", { html: pageOf(html + WAYS[0][1](harnesses.without.url)) });
  await page.goto(`${pages.url}/idle`);
  // Not by `evaluate`: Playwright itself would use the element.
  await page.locator("porch-light .launcher").click();
  await page.locator("porch-light textarea").waitFor();
  await page.close();
});

it("runs the commands of the manual's stub beside an element with the name of the function", async () => {
  const manual = await readFile(new URL("../../widget/README.md", import.meta.url), "utf8");
  const [stub] = /^.*Porchlight\.q \|\|= .*$/m.exec(manual) ?? [];
  const page = await context.newPage();
  const html = `<form id="Porchlight"></form><script>${stub}\nPorchlight("open");</script>`;
  pages.put("/stub", { html: pageOf(html + WAYS[0][1](harnesses.without.url)) });
  await page.goto(`${pages.url}/stub`);
  await page.locator("porch-light textarea").waitFor();
  await page.close();
});

it.each(["with", "without"] as const)(
  "opens the chat from a tag with integrity, for a relay %s a public address",
  async (address) => {
    const { url } = harnesses[address];
    const { path, integrity, crossorigin } = await (await fetch(`${url}/v/default.json`)).json();
    const tag = (digest: string): string =>
      `<script async src="${url}${path}" integrity="${digest}" crossorigin="${crossorigin}" data-site="default"></script>`;
    const page = await context.newPage();
    const html = pageOf(`<img name="currentScript" data-src="${FOREIGN}">${tag(integrity)}`);
    expect(await judge(page, { name: "fixed", path: `/fixed/${address}`, html })).toMatchObject({
      opened: true,
      foreign: [],
    });
    // The browser itself refuses a script with another hash.
    pages.put(`/wrong/${address}`, { html: pageOf(tag(`sha384-${"A".repeat(64)}`)) });
    await page.goto(`${pages.url}/wrong/${address}`, { waitUntil: "load" });
    expect(await page.evaluate(() => "Porchlight" in window)).toBe(false);
    await page.close();
  },
);

it("resolves a relative address against the page, whatever base element follows the tag", async () => {
  const page = await context.newPage();
  await page.route(`${FOREIGN}/**`, (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  // As behind a proxy that serves the relay's files on the page's own origin.
  await page.route(/\/(widget\.js|assets\/.+)$/, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (!route.request().url().startsWith(pages.url)) return route.fallback();
    return route.fulfill({ response: await route.fetch({ url: harnesses.without.url + pathname }) });
  });
  const html = pageOf(`<script defer src="/widget.js" data-site="default"></script><base href="${FOREIGN}/">`);
  expect(await judge(page, { name: "base", path: "/base", html })).toMatchObject({ opened: true, foreign: [] });
  await page.close();
});

/** Settings and attributes that an attacker writes to `Object.prototype`. */
const POLLUTION = {
  PorchlightSettings: { relay: FOREIGN, title: "Polluted", greeting: "Polluted", label: "Polluted" },
  relay: FOREIGN,
  launcher: "none",
  manual: "",
  mode: "page",
  label: "Polluted",
  title: "Polluted",
  greeting: "Polluted",
  avatar: `${FOREIGN}/avatar.png`,
  locale: "ar",
  dir: "rtl",
  file: `//${new URL(FOREIGN).host}/words.js`,
  requireConsent: "",
  send: "Polluted",
  token: "polluted",
  onclick: "polluted()",
  onerror: "polluted()",
  style: "color: red",
  class: "polluted",
  hidden: "",
  href: `${FOREIGN}/link`,
  "data-polluted": "1",
  is: "polluted",
  key: "polluted",
};

it.each([
  ["without settings of its own", ""],
  ["with settings of its own", "<script>window.PorchlightSettings = { sound: false };</script>"],
])("ignores settings and attributes of a polluted Object.prototype on a page %s", async (what, own) => {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  const pollute = `<script>for (const [name, value] of ${JSON.stringify(Object.entries(POLLUTION))})
    Object.defineProperty(Object.prototype, name, { value, enumerable: true, writable: true, configurable: true });</script>`;
  const html = pageOf(pollute + own + WAYS[0][1](harnesses.without.url));
  const verdict = await judge(page, { name: "polluted", path: `/polluted/${encodeURIComponent(what)}`, html });
  expect(verdict).toMatchObject({ opened: true, foreign: [] });
  const found = await page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot as ShadowRoot;
    const all = [...root.querySelectorAll("*")];
    return {
      count: all.length,
      polluted: all
        .filter((element) => /polluted|foreign|color: red/i.test((element.cloneNode() as Element).outerHTML))
        .map(String),
      hidden: all.filter((element) => element.matches(".app [hidden]:not(#tab)")).map(String),
      words: root.querySelector("dialog")?.textContent,
      launcher: root.querySelector(".launcher")?.ariaLabel,
      direction: getComputedStyle(root.host).direction,
      stored: localStorage["porchlight:default"] as string | undefined,
    };
  });
  expect(found.count).toBeGreaterThan(30);
  expect(found).toMatchObject({ polluted: [], hidden: [], launcher: "Chat", direction: "ltr" });
  expect(`${found.words} ${found.stored}`).not.toMatch(/polluted/i);
  expect(errors).toEqual([]);
  await page.close();
});
