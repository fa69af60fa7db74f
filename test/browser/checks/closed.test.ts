/** WIDGET 1 and WIDGET 2: what must hold before the visitor opens the chat. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { IDENTITY_SECRET, identityOf } from "../../identities.ts";
import { prerender, showPrerendered } from "./prerendering.ts";
import { callApi, converse, pageOf, rectOf, setUpTestbed } from "./testbed.ts";
import { frames } from "./threads.ts";

const testbed = setUpTestbed({ env: { IDENTITY_SECRET } });

/** Records the paths that a page requests from the relay, including sockets. */
function recordRequests(page: Page): string[] {
  const paths: string[] = [];
  const record = (url: string): void => {
    if (url.includes(new URL(testbed.harness.url).host)) paths.push(new URL(url).pathname);
  };
  page.on("request", (request) => record(request.url()));
  page.on("websocket", (socket) => record(socket.url()));
  return paths;
}

/** Records the uncaught errors of a page. */
function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  return errors;
}

/** The lower right corner of the launcher, in CSS pixels. */
const corner = async (page: Page): Promise<number[]> => {
  const { right, bottom } = await rectOf(page, ".launcher");
  return [right, bottom];
};

it("4 a later transform, and a page that grows under it, do not move the launcher", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(`<div style="height:3000px"></div>${testbed.tag()}`) });
  await chat.launcher.waitFor();
  await page.evaluate(() => {
    scrollTo(0, 500);
    document.body.style.transform = "translateX(0)";
  });
  await expect.poll(() => corner(page)).toEqual([1260, 700]);

  const style = "<style>body{margin:0;min-height:100vh;will-change:transform}</style>";
  const short = await testbed.visit({ path: "/short", html: pageOf(`<p id="box"></p>${testbed.tag()}`, style) });
  await short.chat.launcher.waitFor();
  await short.page.evaluate(() => {
    (document.getElementById("box") as HTMLElement).style.height = "3000px";
  });
  await expect.poll(() => corner(short.page)).toEqual([1260, 700]);
  await converse(short.chat);
});

it("4 a launcher that is shown again is not a popover, so the page's z-index order still applies", async () => {
  const { page, chat } = await testbed.visit();
  await chat.launcher.waitFor();
  await callApi(page, "hide");
  await frames(page);
  await callApi(page, "show");
  await chat.launcher.waitFor();
  expect(await page.locator("porch-light").getAttribute("popover")).toBeNull();
});

it("3 custom properties of the page with the widget's names change nothing", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag(), "<style>*{--_accent:#fff;--_y:300px;--_radius:0px;--_ink:#fff}</style>"),
  });
  await chat.launcher.waitFor();
  expect(await corner(page)).toEqual([1260, 700]);
  const colour = await page.locator(".launcher").evaluate((it) => getComputedStyle(it).backgroundColor);
  expect(colour).not.toBe("rgb(255, 255, 255)");
});

it("17 when destroyed while the panel loads, it leaves no socket and no listener", async () => {
  const { page: before, chat, context } = await testbed.visit();
  await converse(chat);
  await before.close();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const sockets: boolean[] = [];
  let requested: Promise<unknown> = held;
  const { page } = await testbed.visit({
    context,
    path: "/again",
    before: async (page) => {
      requested = page.waitForRequest(/assets\/panel/);
      page.on("websocket", (socket) => {
        const at = sockets.push(true) - 1;
        socket.on("close", () => {
          sockets[at] = false;
        });
      });
      await page.route(/assets\/panel/, async (route) => {
        await held;
        await route.continue();
      });
    },
  });
  await requested;
  await callApi(page, "destroy");
  const response = page.waitForResponse(/assets\/panel/);
  release();
  await (await response).finished();
  // Import another module: when it has run, the panel's module has run too.
  await page.evaluate("import('data:text/javascript,')");
  await expect.poll(() => sockets.includes(true)).toBe(false);
  expect(await page.locator("porch-light").count()).toBe(0);
});

it("29 commands of a prerendered page fetch nothing, and run when it is shown", async () => {
  const first = await testbed.visit();
  await converse(first.chat);
  await first.page.close();
  let requests: string[] = [];
  const identity = identityOf({ sub: "ada", name: "Ada" });
  const { page, chat } = await testbed.visit({
    context: first.context,
    path: "/prerendered",
    html: pageOf(
      `<script>Porchlight=function(){(Porchlight.q=Porchlight.q||[]).push(arguments)};Porchlight("identify",${JSON.stringify(identity)});Porchlight("open")</script>${testbed.tag()}`,
    ),
    before: async (page) => {
      requests = recordRequests(page);
      await prerender(page);
    },
  });
  await page.waitForFunction(() => "site" in (window as unknown as { Porchlight: object }).Porchlight);
  await page.waitForLoadState("networkidle");
  expect(requests).toEqual(["/widget.js"]);
  await showPrerendered(page);
  await chat.send("shown now");
  await chat.thread.getByText("echo: shown now", { exact: true }).waitFor();
});

it("46 pointing at the launcher fetches the panel, but stores nothing and opens no connection", async () => {
  let requests: string[] = [];
  const { page, chat } = await testbed.visit({
    before: async (page) => {
      requests = recordRequests(page);
    },
  });
  await chat.launcher.hover();
  // The panel's code sets this attribute when it has started.
  await page.locator("dialog[aria-labelledby]").waitFor({ state: "attached" });
  expect(requests.filter((path) => !/^\/(assets|frame)\//.test(path))).toEqual(["/widget.js"]);
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""]);
  await converse(chat);
});

it("28 throws no error into the page when the teaser cannot be loaded or the site is unknown", async () => {
  let refused = false;
  const teaser = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-teaser="Hello?"')),
    before: async (page) => {
      await page.clock.install();
      page.on("requestfailed", () => {
        refused = true;
      });
      await page.route(/frame\/extras/, (route) => route.abort());
    },
  });
  const errors = errorsOf(teaser.page);
  await teaser.page.clock.runFor(1_000);
  await teaser.chat.launcher.waitFor();
  await expect.poll(() => refused).toBe(true);
  await teaser.page.clock.runFor(10_000);
  const unknownSite = await testbed.visit({
    path: "/nope",
    html: pageOf(testbed.tag('data-site="nope"')),
    before: async (page) => {
      page.on("pageerror", (error) => errors.push(error.message));
    },
  });
  await unknownSite.page.waitForLoadState("networkidle");
  expect(errors).toEqual([]);
});

it("the command open shows a hidden chat, so that the visitor sees the messages that count as read", async () => {
  const { page, chat } = await testbed.visit();
  await chat.launcher.waitFor();
  await callApi(page, "hide");
  await chat.launcher.waitFor({ state: "hidden" });
  await callApi(page, "open");
  await chat.composer.waitFor();
});

it("the chat appears on a page with data-manual when the page sends a message, so that the visitor sees the answer", async () => {
  for (const manual of ["data-manual", 'data-manual="manual"']) {
    const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag(`data-site="default" ${manual}`)) });
    await page.waitForFunction(() => "Porchlight" in window);
    expect(await chat.launcher.count()).toBe(0);
    await callApi(page, "send", "from the page");
    await chat.launcher.waitFor();
    await page.getByRole("button", { name: /1 unread/ }).waitFor();
  }
  for (const manual of ["null", "0", '"no"', '"false"']) {
    const html = pageOf(`<script>PorchlightSettings={manual:${manual}}</script>${testbed.tag()}`);
    const { chat } = await testbed.visit({ html });
    await chat.launcher.waitFor();
  }
});

it("uses the page's language when a shared cache returns a script for another language", async () => {
  const arabic = await fetch(`${testbed.harness.url}/widget.js`, { headers: { "Accept-Language": "ar" } });
  const body = await arabic.text();
  const { page } = await testbed.visit({
    html: pageOf(testbed.tag()).replace(' lang="en"', ""),
    before: (page) => page.route(/widget\.js/, (route) => route.fulfill({ contentType: "text/javascript", body })),
  });
  await page.locator(".launcher").waitFor();
  expect(body).toContain("محادثة");
  expect(await page.locator(".launcher").getAttribute("aria-label")).toBe("Chat");
});
