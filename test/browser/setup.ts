/** Starts one Chromium for all browser tests, and stops it after the last one. */

import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumOptions } from "./browser.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the shared Chromium, for Playwright's protocol. */
    chromium: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(chromiumOptions());
  project.provide("chromium", server.wsEndpoint());
  return () => server.close();
}
