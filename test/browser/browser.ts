import { type Browser, chromium, type Page } from "playwright-core";
import { browserPath } from "../setup/programs.ts";

/** Real Chromium, without its own traffic; `extra` arguments besides. */
export const launch = (extra: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...extra,
    ],
  });

/** The widget on a page, found as a person finds it: by role and name. Locators look into open shadow roots. */
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
      await launcher.first().click();
      await composer.waitFor();
    },
    async say(text: string): Promise<void> {
      await composer.fill(text);
      await panel.getByRole("button", { name: "Send message" }).click();
    },
  };
}
