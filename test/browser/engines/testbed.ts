/**
 * The setup of one engine's checks: the engine, a relay with its sandbox, and a server for test pages. A page that logs an
 * error fails its test.
 */

import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type Harness, startHarness } from "../../harness.ts";
import { type Pages, pageOf, startPages } from "../checks/pages.ts";
import { NO_LIMITS } from "../no-limits.ts";
import { DESKTOP, type Engine, type Environment, type Size, type Tab } from "./engine.ts";
import { type Chat, chatOn } from "./panel.ts";

export type Visit = { tab: Tab; chat: Chat };
export type VisitOptions = {
  size?: Size;
  path?: string;
  /** Markup of the page; absent: only the tag. */
  body?: string;
  head?: string;
  /** Attributes of the `html` element. */
  root?: string;
  headers?: Record<string, string>;
};

export type Testbed = {
  readonly engine: Engine;
  readonly harness: Harness;
  /** Origin of the pages. */
  readonly host: string;
  put: Pages["put"];
  /** Markup of the tag. */
  tag(attributes?: string, relay?: string): string;
  /** Continues as a new visitor in another environment. */
  inEnvironment(environment: Environment): Promise<void>;
  /** A new tab of the visitor. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** Expects console errors about the network that the test itself interrupted. */
  expectErrors(about: RegExp): void;
  /** Sends a reply to the only visitor of this test, as a person. */
  reply(body: string): Promise<unknown>;
};

/** Records errors, before all other scripts of the page. It is a separate file, because policies forbid inline scripts. */
const RECORDER = `window.pageErrors = [];
for (const type of ["error", "unhandledrejection", "securitypolicyviolation"])
  addEventListener(type, (event) => pageErrors.push(type + ": " + (event.message ?? event.reason ?? event.violatedDirective + " " + event.sample)));
for (const level of ["error", "warn"])
  console[level] = (...words) => pageErrors.push(level + ": " + words.join(" "));`;
/** The element that loads the recorder, for pages with a head of their own. @param attributes such as the nonce of a policy */
export const recorder = (attributes = ""): string => `<script src="/recorder.js" ${attributes}></script>`;

/** Starts the engine and the relay for all tests of a file. Call it once per file. */
export function setUpTestbed(start: () => Promise<Engine>): Testbed {
  let engine: Engine;
  let harness: Harness;
  let pages: Pages;
  let tabs: Tab[] = [];
  let expected: RegExp | undefined;
  beforeAll(async () => {
    pages = await startPages();
    pages.put("/recorder.js", { html: RECORDER, headers: { "Content-Type": "text/javascript" } });
    [engine, harness] = await Promise.all([
      start(),
      startHarness({ env: { ...NO_LIMITS, ALLOWED_ORIGINS: pages.url } }),
    ]);
  });
  afterAll(() => Promise.all([engine.stop(), harness.stop(), pages.stop()]));
  beforeEach(async () => {
    harness.sandbox.reset();
    harness.sandbox.configure({ callbackUrl: harness.callbackUrl });
    tabs = [];
    expected = undefined;
    await engine.begin({});
  });
  afterEach(async () => {
    const all = [...(await errorsIn(tabs)), ...engine.consoleErrors()];
    expect(all.filter((words) => !expected?.test(words))).toEqual([]);
  });

  const tag = (attributes = 'data-site="default"', relay = harness.url): string =>
    `<script async src="${relay}/widget.js" ${attributes}></script>`;

  return {
    get engine() {
      return engine;
    },
    get harness() {
      return harness;
    },
    get host() {
      return pages.url;
    },
    put: (path, answer) => pages.put(path, answer),
    tag,
    inEnvironment: (environment) => engine.begin(environment),
    async visit({
      size = DESKTOP,
      path = "/",
      body = tag(),
      head = recorder(),
      root = 'lang="en"',
      headers = {},
    } = {}) {
      pages.put(path, { html: pageOf(body, head).replace('lang="en"', root), headers });
      const tab = await engine.open(size);
      tabs.push(tab);
      await tab.goto(pages.url + path);
      return { tab, chat: chatOn(tab) };
    },
    expectErrors(about) {
      expected = about;
    },
    reply: (body) => harness.sandbox.humanReply({ fromId: harness.sandbox.messages().at(-1)?.fromId ?? "", body }),
  };
}

/** The recorded errors of all tabs. A tab that the test has closed cannot be read. */
async function errorsIn(tabs: readonly Tab[]): Promise<string[]> {
  const said = [];
  for (const tab of tabs) said.push(...(await tab.run(errorsOf).catch(() => [])));
  return said;
}

const errorsOf = (): string[] => (window as unknown as { pageErrors?: string[] }).pageErrors ?? [];
