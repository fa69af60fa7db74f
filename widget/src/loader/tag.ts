/** The script's tag and what the relay has put into the script: which site, which settings, where the code comes from. */

import type { Baked } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { pageSettings } from "./page-api.ts";

/** Replaced by the relay when it serves the file; the build checks that it is there exactly once. */
const { relay: given, panel, site, words } = "__PORCHLIGHT__" as unknown as Baked;

export { panel as panelFile, site, words };
/** The site of this script. */
export const own = site.id;

/** @returns the element if it is the widget's tag: a script with an address that the relay serves */
const asTag = (element: Element | null): HTMLScriptElement | undefined =>
  element instanceof HTMLScriptElement && /\/(widget|w\/[^/]+)\.js\b/.test(element.src) ? element : undefined;

/** The tag, with its settings. Known while the script runs first; in modules and under `eval` the attribute still tells which one we are. */
export const script =
  asTag(pageDocument.currentScript) ?? asTag(pageDocument.querySelector(`script[data-site="${own}"]`));
/** The site that the tag names. */
export const asked = script?.dataset.site ?? own;
/**
 * Origin of the relay. A relative address is meant from the page: `script.src` follows whatever `<base>` stands in the page by now,
 * which markup of others can place after the script was fetched.
 */
export const relay = given || pageSettings()?.relay || new URL(script?.getAttribute("src") ?? "", location.href).origin;

/** A prerendered page shows and fetches nothing, whatever commands it calls. */
const active = new Promise<unknown>((resolve) => {
  if ((pageDocument as { prerendering?: boolean }).prerendering)
    pageDocument.addEventListener("prerenderingchange", resolve);
  else resolve(0);
});
/** Fetches code by its path at the relay. It can be called again after it failed. */
export const fetchFile = (path: string): Promise<never> =>
  active.then(() => import(/* @vite-ignore */ relay + path) as Promise<never>);

/** Waits until the page has loaded and is idle, so that the page's own work goes first. */
export const whenIdle = (run: () => void): unknown =>
  active.then(() => {
    // Safari has no `requestIdleCallback`; `setTimeout` reads the second argument as a delay of 0.
    const idle = (): unknown => (window.requestIdleCallback ?? setTimeout)(run, { timeout: 2_000 } as never);
    if (pageDocument.readyState === "complete") idle();
    else addEventListener("load", idle, { once: true });
  });
