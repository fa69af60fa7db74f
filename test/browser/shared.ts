import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";

let connected: Promise<Browser> | undefined;

/**
 * The one Chromium of this test run (see setup.ts). Each test opens its own contexts. A file that leaves contexts open calls
 * `closeContexts` at its end.
 */
export function sharedBrowser(): Promise<Browser> {
  connected ??= chromium.connect(inject("chromium"));
  return connected;
}

/** Closes every context that this file opened in the shared browser. */
export async function closeContexts(): Promise<void> {
  const contexts = (await connected)?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
}
