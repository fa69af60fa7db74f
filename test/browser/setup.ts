/** Starts one Chromium before the first browser test, for all of them, and ends it after the last. */

import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumOptions } from "./browser.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the shared Chromium can be reached, by Playwright's protocol. */
    chromium: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(chromiumOptions());
  project.provide("chromium", server.wsEndpoint());
  return () => server.close();
}
