/** WIDGET 9, checks 22 to 31: the policies under which the widget runs, and how it gets into the page. */

import { chromium, type Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startHarness } from "../../harness.ts";
import { freePort } from "../../ports.ts";
import { wholeBrowserPath } from "../../setup/programs.ts";
import { START_MS } from "../browser.ts";
import { setOffline } from "../offline.ts";
import { PIXEL } from "../png.ts";
import { prerender, showPrerendered } from "./prerendering.ts";
import { type Chat, callApi, converse, pageOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed({
  site: { account: "default", title: "Shop", privacyUrl: "https://shop.example/privacy" },
});

/** Every action of a visitor in a chat. */
async function wholeConversation(page: Page, chat: Chat): Promise<void> {
  testbed.harness.sandbox.configure({ botScript: "markdown" });
  await chat.open();
  await chat.send("see https://shop.example/a or mailto:a@shop.example");
  await chat.thread.getByRole("link", { name: /delivery page/ }).waitFor();
  await chat.panel.getByRole("button", { name: /emoji/i }).first().click();
  await page.locator(".composer .emoji button").first().click();
  expect(await chat.composer.inputValue()).toMatch(/\p{Emoji}/u);
  await page.locator("input[type=file]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: PIXEL });
  const sent = testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 2);
  await chat.panel.getByRole("button", { name: "Send message" }).click();
  await chat.thread.getByRole("img", { name: /picture/i }).waitFor();
  await sent;
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem", { name: "Turn sound off" }).click();
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
}

/** Policy violations and errors that the browser reports. */
async function listen(page: Page): Promise<string[]> {
  const reports: string[] = [];
  page.on("pageerror", (error) => reports.push(error.message));
  page.on("console", (message) => reports.push(message.text()));
  await page.exposeFunction("report", (text: string) => reports.push(text));
  await page.addInitScript(() => {
    const { report } = window as unknown as { report: (text: string) => void };
    document.addEventListener("securitypolicyviolation", (event) =>
      report(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  return reports;
}

const sources = (relay: string): string =>
  `connect-src ${relay} ${relay.replace(/^http/, "ws")}; img-src ${relay} blob:`;

it("22 runs a whole conversation under a policy that allows only one nonce", async () => {
  let reports: string[] = [];
  const { page, chat } = await testbed.visit({
    html: pageOf(`<script nonce="x" async src="${testbed.harness.url}/widget.js" data-site="default"></script>`),
    headers: {
      "Content-Security-Policy": `default-src 'none'; script-src 'nonce-x'; style-src 'none'; ${sources(testbed.harness.url)}`,
    },
    before: async (page) => {
      reports = await listen(page);
    },
  });
  await wholeConversation(page, chat);
  expect(reports).toEqual([]);
});

it("23 runs a whole conversation under Trusted Types without its own policy", async () => {
  let reports: string[] = [];
  const { page, chat } = await testbed.visit({
    headers: {
      "Content-Security-Policy": `default-src 'none'; script-src ${testbed.harness.url}; ${sources(testbed.harness.url)}; require-trusted-types-for 'script'; trusted-types 'none'`,
    },
    before: async (page) => {
      reports = await listen(page);
    },
  });
  await wholeConversation(page, chat);
  expect(reports).toEqual([]);
});

it("24 runs on a cross-origin isolated page", async () => {
  const { page, chat } = await testbed.visit({
    headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
  });
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await wholeConversation(page, chat);
});

it("25 commands from before the script has loaded run in order, once", async () => {
  const stub = `window.Porchlight=window.Porchlight||function(){(Porchlight.q=Porchlight.q||[]).push(arguments)};window.events=[];
Porchlight('on','ready',()=>events.push('ready'));Porchlight('on','open',()=>events.push('open'));Porchlight('open');Porchlight('send','first');Porchlight('send','second')`;
  const { page, chat } = await testbed.visit({ html: pageOf(`<script>${stub}</script>${testbed.tag()}`) });
  await chat.thread.getByText("echo: second", { exact: true }).waitFor();
  expect(testbed.harness.sandbox.messages().map(({ body }) => body)).toEqual(["first", "second"]);
  expect(await page.evaluate(() => (window as unknown as { events: string[] }).events)).toEqual(["ready", "open"]);
});

describe("26 ways in which the script gets into the page", () => {
  const WAYS: [name: string, script: (relay: string) => string][] = [
    [
      "a tag manager, without attributes",
      (relay) =>
        `<script>var s=document.createElement('script');s.async=true;s.src='${relay}/w/other.js';document.head.append(s)</script>`,
    ],
    [
      "eval, without a tag in the page",
      (relay) => `<script>fetch('${relay}/w/other.js').then((r)=>r.text()).then((text)=>(0,eval)(text))</script>`,
    ],
    ["a module", (relay) => `<script type="module" src="${relay}/w/other.js"></script>`],
    [
      "the common address, naming its site",
      (relay) => `<script async src="${relay}/widget.js" data-site="other"></script>`,
    ],
  ];
  for (const [name, script] of WAYS)
    it(`26 the widget starts with the right site: ${name}`, async () => {
      const port = await freePort();
      const harness = await startHarness({
        env: { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
        site: { origins: [testbed.host] },
        sites: { other: { title: "The other site" } },
      });
      try {
        const { chat } = await testbed.visit({ html: pageOf(script(harness.url)) });
        await converse(chat);
        await chat.panel.getByRole("heading", { name: "The other site" }).waitFor();
      } finally {
        await harness.stop();
      }
    });
});

describe("27 the panel's file cannot be loaded", () => {
  it("27 at the first attempt: it is requested again, and parts that are fetched later work with it", async () => {
    let failures = 1;
    const panels = new Set<string>();
    const { page, chat } = await testbed.visit({
      before: (page) =>
        page.route(/assets\/panel/, (route) => {
          panels.add(route.request().url());
          return failures-- > 0 ? route.fulfill({ status: 503 }) : route.continue();
        }),
    });
    await converse(chat);
    const file = { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("two lamps") };
    await chat.panel.locator('input[type="file"]').setInputFiles(file);
    await chat.panel.getByRole("button", { name: "Remove list.txt" }).click();
    await chat.panel.getByText("list.txt").waitFor({ state: "detached" });
    await chat.panel.getByRole("button", { name: "Insert an emoji" }).click();
    await chat.panel.getByRole("button", { name: "👍" }).click();
    expect(await chat.composer.inputValue()).toBe("👍");
    await chat.panel.getByRole("button", { name: "Chat options" }).click();
    await chat.panel.getByRole("menuitem").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    await chat.panel.getByRole("menuitem").first().waitFor({ state: "detached" });
    // One panel, whatever its address: two panels would not know of each other.
    expect(panels.size).toBe(2);
  });

  it("27 at any attempt: the widget requests its file, then the newest panel, and then shows a link to the chat page", async () => {
    const requested: string[] = [];
    const { page, chat } = await testbed.visit({
      before: (page) =>
        page.route(/assets\/panel/, (route) => {
          requested.push(
            route
              .request()
              .url()
              .replace(testbed.harness.url, "")
              .replace(/-[\w-]{8}\./, "-hash.")
              .replace(/\d\.\d+$/, "number"),
          );
          return route.fulfill({ status: 404 });
        }),
    });
    await chat.launcher.focus();
    await expect.poll(() => requested).toEqual(["/assets/panel-hash.js", "/assets/panel.js?number"]);
    await chat.launcher.click();
    const link = page.getByRole("link", { name: "Chat" });
    expect(await link.getAttribute("href")).toBe(`${testbed.harness.url}/c/default`);
  });
});

it("27 files that were requested without a network load when the network returns, in an open panel and in a closed one", async () => {
  for (const ask of ["open", "send"]) {
    const { page, chat } = await testbed.visit({ path: `/${ask}` });
    await chat.launcher.waitFor();
    await setOffline(page, true);
    // The promise of `send` resolves once the panel has loaded.
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/assets/panel.js?"));
    const called = callApi(page, ask, "from the page");
    await failed;
    if (ask === "open") await page.getByRole("link", { name: "Chat" }).waitFor();
    await setOffline(page, false);
    await called;
    if (ask === "open") await chat.send("from the page");
    await expect.poll(() => testbed.harness.sandbox.messages().map(({ body }) => body)).toEqual(["from the page"]);
    testbed.harness.sandbox.reset();
  }
});

it("27 a panel loads when the network returns before the first request for it has failed", async () => {
  let requests = 0;
  const { page } = await testbed.visit({
    before: (page) =>
      page.route(/assets\/panel/, async (route) => {
        requests++;
        if (requests === 1) await page.evaluate(() => dispatchEvent(new Event("online")));
        return requests > 2 ? route.continue() : route.abort();
      }),
  });
  await callApi(page, "send", "from the page");
  await expect.poll(() => testbed.harness.sandbox.messages().map(({ body }) => body)).toEqual(["from the page"]);
});

it("27 a panel loads when the network carries nothing during the first attempts after it has returned", async () => {
  let requests = 0;
  const { page, chat } = await testbed.visit({
    before: (page) =>
      page.route(/assets\/panel/, (route) => {
        requests++;
        // Each attempt makes two requests. The first attempt is that of `open`.
        return requests > 6 ? route.continue() : route.abort();
      }),
  });
  await callApi(page, "open");
  await page.getByRole("link", { name: "Chat" }).waitFor();
  expect(requests).toBe(2);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await chat.composer.waitFor();
  expect(requests).toBe(7);
});

it("28 a relay that is down when the page loads causes no error in the page, and the next page has its chat", async () => {
  const errors: string[] = [];
  await testbed.harness.halt();
  let isDown = true;
  const startAgain = async (): Promise<void> => {
    if (isDown) await testbed.harness.start();
    isDown = false;
  };
  try {
    const { page, context } = await testbed.visit({
      html: pageOf(
        `<p id="host">Host</p>${testbed.tag()}<script>addEventListener("load",()=>{host.textContent="Loaded"})</script>`,
      ),
      before: async (page) => {
        page.on("pageerror", (error) => errors.push(error.message));
        page.on("console", (message) => errors.push(`${message.location().url} ${message.text()}`));
      },
    });
    await page.getByText("Loaded").waitFor();
    await page.waitForLoadState("networkidle");
    // The browser's own message about the file that it could not fetch, and no other.
    await expect
      .poll(() => errors)
      .toEqual([`${testbed.harness.url}/widget.js Failed to load resource: net::ERR_CONNECTION_REFUSED`]);
    expect(await page.locator("porch-light").count()).toBe(0);
    await startAgain();
    const next = await testbed.visit({ context, path: "/next" });
    await converse(next.chat);
  } finally {
    await startAgain();
  }
});

it("29 a prerendered page makes no request except the loader's and shows nothing", async () => {
  const requested: string[] = [];
  const { page, chat } = await testbed.visit({
    before: async (page) => {
      page.on("request", (request) => requested.push(request.url()));
      await prerender(page);
    },
  });
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => "Porchlight" in window);
  expect(requested).toEqual([`${testbed.host}/`, `${testbed.harness.url}/widget.js`]);
  expect(await page.locator("porch-light").count()).toBe(0);
  await showPrerendered(page);
  await chat.launcher.waitFor();
});

it("30 going back restores a page with an open chat; the chat reconnects and shows missed messages", async () => {
  // The headless build has no back/forward cache.
  const browser = await chromium.launch({
    executablePath: wholeBrowserPath(),
    timeout: START_MS,
    args: ["--no-sandbox", "--disable-gpu"],
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  try {
    const { page, chat } = await testbed.visit({
      browser,
      before: (page) =>
        page.addInitScript(() =>
          addEventListener("pageshow", (event) => Object.assign(window, { persisted: event.persisted })),
        ),
    });
    await converse(chat);
    // The browser does not keep a page that still fetches code.
    await page.locator(".reply .react").waitFor({ state: "attached" });
    testbed.put("/away", { html: pageOf("<h1>Elsewhere</h1>") });
    await page.goto(`${testbed.host}/away`);
    await testbed.reply("while you were away");
    await page.goBack({ waitUntil: "commit" });
    await chat.thread.getByText("while you were away", { exact: true }).waitFor();
    const restored = await page.evaluate(() => ({
      persisted: (window as unknown as { persisted: boolean }).persisted,
      reasons: (performance.getEntriesByType("navigation")[0] as unknown as { notRestoredReasons: unknown })
        .notRestoredReasons,
    }));
    expect(restored).toEqual({ persisted: true, reasons: null });
    await chat.send("back again");
    await chat.thread.getByText("echo: back again", { exact: true }).waitFor();
  } finally {
    await browser.close();
  }
});

it("31 the files' headers allow any page to load them, and state how long they stay unchanged", async () => {
  const loader = await fetch(`${testbed.harness.url}/widget.js`);
  const own = await fetch(`${testbed.harness.url}/w/default.js`);
  const panel = /\/assets\/panel-[\w-]+\.js/.exec(await loader.text())?.[0] ?? "";
  const hashed = await fetch(testbed.harness.url + panel);
  for (const { headers } of [loader, own, hashed]) {
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  expect(hashed.headers.get("cache-control")).toContain("immutable");
  for (const { headers } of [loader, own]) {
    expect(Number(/max-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1])).toBeLessThanOrEqual(300);
    expect(headers.get("etag")).toBeTruthy();
  }
});
