/** Records what a screen reader announces: every text that enters a live region, and how long it stays. */

import type { Page } from "playwright-core";
import { expect } from "vitest";

export type Announcement = { text: string; role: string; at: number; ms: number | undefined };

/** Starts recording. The widget's panel must have loaded, because it contains the live regions. */
export async function record(page: Page): Promise<() => Promise<Announcement[]>> {
  await page.waitForFunction(() =>
    document.querySelector("porch-light")?.shadowRoot?.querySelector("[aria-live=polite]"),
  );
  await page.evaluate(() => {
    const said: Announcement[] = [];
    const nodes = new Map<Node, Announcement>();
    Object.assign(window, { said });
    const onMutation = (records: MutationRecord[]): void => {
      for (const { addedNodes, removedNodes, target } of records) {
        const region = (target as Element).closest("[aria-live=polite],[role=alert]");
        if (!region) continue;
        for (const node of addedNodes) {
          const one: Announcement = {
            text: node.textContent ?? "",
            role: region.getAttribute("role") ?? "polite",
            at: performance.now(),
            ms: undefined,
          };
          nodes.set(node, one);
          said.push(one);
        }
        for (const node of removedNodes) {
          const one = nodes.get(node);
          if (one) one.ms = performance.now() - one.at;
        }
      }
    };
    const root = document.querySelector("porch-light")?.shadowRoot;
    if (root) new MutationObserver(onMutation).observe(root, { subtree: true, childList: true });
  });
  return () => page.evaluate(() => (window as unknown as { said: Announcement[] }).said);
}

/** Waits for matching announcements until at least one occurred and all have disappeared. @returns them */
export async function announced(said: () => Promise<Announcement[]>, wanted: RegExp): Promise<Announcement[]> {
  const found = async () => (await said()).filter(({ text }) => wanted.test(text));
  const over = async () => (await found()).map(({ ms }) => ms !== undefined);
  await expect.poll(over, { message: String(wanted) }).toContain(true);
  await expect.poll(over, { message: String(wanted) }).not.toContain(false);
  return found();
}
