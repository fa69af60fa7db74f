/** The setup of every file of the checks: one browser, one harness (a relay with its sandbox), and a host with pages for the test. */

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Harness, type HarnessOptions, startHarness } from "../../harness.ts";
import { chatOn, TIMEOUT_MS } from "../browser.ts";
import { NO_LIMITS } from "../no-limits.ts";
import { closeContexts, sharedBrowser } from "../shared.ts";
import { type Pages, pageOf, startPages } from "./pages.ts";

export { pageOf } from "./pages.ts";

export type Chat = ReturnType<typeof chatOn>;
export type Visit = { page: Page; context: BrowserContext; chat: Chat };

export type VisitOptions = {
  /** The visitor of an earlier visit; absent: a new one. */
  context?: BrowserContext;
  browser?: Browser;
  options?: BrowserContextOptions;
  path?: string;
  /** Absent: a page with only the tag. */
  html?: string;
  headers?: Record<string, string>;
  /** Runs before the page loads. */
  before?: (page: Page, context: BrowserContext) => Promise<unknown>;
};

export type Testbed = {
  readonly browser: Browser;
  readonly harness: Harness;
  /** Origin of the pages. */
  readonly host: string;
  put: Pages["put"];
  /** Markup of the tag. */
  tag(attributes?: string, relay?: string): string;
  visit(options?: VisitOptions): Promise<Visit>;
  /** Sends a reply to the only visitor of this test, as a person. */
  reply(body: string): Promise<unknown>;
};

/** Another host name, mapped to this machine. It is not `localhost`, so it is not a secure context. */
export const PLAIN = "plain.test";
/** Call once per file. Between tests the sandbox is reset, and every visitor leaves. */
export function setUpTestbed({ env, site, ...options }: HarnessOptions = {}): Testbed {
  let browser: Browser;
  let harness: Harness;
  let pages: Pages;
  const contexts = new Set<BrowserContext>();
  beforeAll(async () => {
    pages = await startPages();
    const origins = [pages.url, pages.url.replace("localhost", PLAIN)];
    const own = site ? { site: { origins, ...site } } : {};
    const start = startHarness({ ...options, ...own, env: { ...NO_LIMITS, ALLOWED_ORIGINS: origins.join(), ...env } });
    [browser, harness] = await Promise.all([sharedBrowser(), start]);
  });
  afterAll(() => Promise.all([closeContexts(), harness.stop(), pages.stop()]));
  beforeEach(() => {
    harness.sandbox.reset();
    harness.sandbox.configure({ callbackUrl: harness.callbackUrl });
  });
  afterEach(async () => {
    await Promise.all([...contexts].map((context) => context.close()));
    contexts.clear();
  });

  const tag = (attributes = 'data-site="default"', relay = harness.url): string =>
    `<script async src="${relay}/widget.js" ${attributes}></script>`;

  async function visit(given: VisitOptions = {}): Promise<Visit> {
    const context = given.context ?? (await (given.browser ?? browser).newContext(given.options));
    contexts.add(context);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.addInitScript(allowNotificationQuestion);
    const { path = "/", html = pageOf(tag()), headers = {} } = given;
    pages.put(path, { html, headers });
    await given.before?.(page, context);
    await page.goto(pages.url + path);
    return { page, context, chat: chatOn(page) };
  }

  return {
    get browser() {
      return browser;
    },
    get harness() {
      return harness;
    },
    get host() {
      return pages.url;
    },
    put: (path, answer) => pages.put(path, answer),
    tag,
    visit,
    reply: (body) => harness.sandbox.humanReply({ fromId: harness.sandbox.messages().at(-1)?.fromId ?? "", body }),
  };
}

/** Runs in the page: the permission is not decided yet, as in a visitor's browser. The headless build denies it. */
function allowNotificationQuestion(): void {
  if ("Notification" in window)
    Object.defineProperty(Notification, "permission", { get: () => "default", configurable: true });
}

/** Opens the chat, sends a text, and waits for the echo and for the end of the dots, which may stay half a second longer. */
export async function converse(chat: Chat, text = "Hello"): Promise<void> {
  await chat.open();
  await chat.send(text);
  await echo(chat, text).waitFor();
  await chat.thread.locator(".waiting").waitFor({ state: "detached" });
}

/** The bot's answer to a text. */
export const echo = (chat: Chat, text: string) => chat.thread.getByText(`echo: ${text}`, { exact: true });

/** The number up to which this browser has seen everything. */
export const readUpTo = (page: Page): Promise<number> =>
  page.evaluate(() => (JSON.parse(localStorage["porchlight:default"]) as { read: number }).read);

/** Calls a command of the page API. */
export const callApi = (page: Page, ...call: unknown[]): Promise<unknown> =>
  page.evaluate(
    (given) => (window as unknown as { Porchlight: (...call: unknown[]) => unknown }).Porchlight(...given),
    call,
  );

/** Opens the chat on a page that may restore it open. */
export async function reopen(chat: Chat): Promise<void> {
  await chat.launcher.first().waitFor();
  if (!(await chat.composer.isVisible())) await chat.open();
}

export type Rect = { x: number; y: number; right: number; bottom: number; width: number; height: number };

/** The rectangle of an element in the shadow root, in pixels of the window, after its animations. */
export const rectOf = (page: Page, selector: string): Promise<Rect> =>
  page
    .locator(selector)
    .first()
    .evaluate(async (element) => {
      const moving = (element.getRootNode() as ShadowRoot)
        .getAnimations()
        .filter(({ effect }) => effect instanceof KeyframeEffect && effect.target?.contains(element));
      await Promise.allSettled(moving.map(({ finished }) => finished));
      const { x, y, right, bottom, width, height } = element.getBoundingClientRect();
      return { x, y, right, bottom, width, height };
    });
