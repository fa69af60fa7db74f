import { type Browser, chromium, type LaunchOptions, type Page } from "playwright-core";
import { browserPath } from "../setup/programs.ts";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Time limit for the browser to start on a busy machine, in milliseconds. */
export const START_MS = 120_000;

/** Longest time to wait for anything in a page, in milliseconds: as long as a poll of vitest.config.ts. */
export const TIMEOUT_MS = 120_000;

/**
 * How the tests start Chromium: without its own traffic.
 * @param extra additional arguments
 * @param executablePath default: the browser of the tests
 */
export const chromiumOptions = (extra: string[] = [], executablePath = browserPath()): LaunchOptions => ({
  executablePath,
  args: [...ARGS, ...extra],
  timeout: START_MS,
});

/** A browser for one test. Most tests share one: `sharedBrowser`. */
export const launch = (extra: string[] = [], executablePath = browserPath()): Promise<Browser> =>
  chromium.launch(chromiumOptions(extra, executablePath));

/** Runs in the page. Storage throws where cookies are blocked. */
const wasLeftOpen = (): boolean =>
  innerWidth > 599 && innerHeight > 449 && Object.keys(sessionStorage).some((key) => /^porchlight:.*:open$/.test(key));

/** The widget on a page, found by role and name, as a person finds it. Locators search open shadow roots. */
export function chatOn(page: Page) {
  const panel = page.getByRole("dialog");
  const composer = panel.getByRole("textbox", { name: "Message" });
  const launcher = page.getByRole("button", { name: /chat/i });
  return {
    launcher,
    panel,
    composer,
    thread: panel.getByRole("log"),
    async open(): Promise<void> {
      await launcher.first().waitFor();
      // If it was left open on the previous page, it opens by itself.
      const opensItself = await page.evaluate(wasLeftOpen).catch(() => false);
      if (!opensItself) await launcher.first().click();
      await composer.waitFor();
    },
    async send(text: string): Promise<void> {
      await composer.fill(text);
      await panel.getByRole("button", { name: "Send message" }).click();
    },
  };
}
