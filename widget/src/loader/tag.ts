/** The script's tag, and the data that the relay writes into the script: site, settings and paths of the code. */

import { mergeLayers } from "../settings/options.ts";
import type { ServedData } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { asFunction, pageSettings } from "./page-api.ts";

/** Replaced by the relay when it serves the file; the build checks that it is there exactly once. */
const { relay: servedRelay, panel, site, words } = "__PORCHLIGHT__" as unknown as ServedData;

export { panel as panelFile, site, words };
/** The site of this script. */
export const siteId = site.id;

/** @returns the element if it is the widget's tag: a script with an address that the relay serves */
const asTag = (element: Element | null): HTMLScriptElement | undefined =>
  element instanceof HTMLScriptElement && /\/(widget|w\/[^/]+)\.js\b/.test(element.src) ? element : undefined;

/**
 * The tag, with its settings. `currentScript` is set while a classic script runs; in modules and `eval`, the attribute
 * identifies the tag.
 */
export const script =
  asTag(pageDocument.currentScript) ?? asTag(pageDocument.querySelector(`script[data-site="${siteId}"]`));
/** The site that the tag names. */
export const tagSite = script?.dataset.site ?? siteId;
/**
 * Origin of the relay. A relative address is resolved against the page. `script.src` is not used, because it follows the
 * current `<base>`, which injected markup can add after the script was fetched.
 */
export const relay =
  servedRelay ||
  mergeLayers(false, pageSettings()).relay ||
  new URL(script?.getAttribute("src") ?? "", location.href).origin;

/** Resolves when the page is no longer prerendered. Until then the widget shows and fetches nothing, even after commands. */
const active = new Promise<unknown>((resolve) => {
  if ((pageDocument as { prerendering?: boolean }).prerendering)
    pageDocument.addEventListener("prerenderingchange", resolve);
  else resolve(0);
});
/** Fetches code by its path at the relay. After a failure it can be called again. */
export const fetchFile = (path: string): Promise<never> =>
  active.then(() => import(/* @vite-ignore */ relay + path) as Promise<never>);

/** Waits until the page has loaded and is idle, so that the page's own work goes first. */
export const whenIdle = (run: () => void): unknown =>
  active.then(() => {
    // Safari has no `requestIdleCallback`, but a page may have an element of this name. `setTimeout` reads the second argument as
    // a delay of 0.
    const idle = (): unknown =>
      (asFunction(window.requestIdleCallback) ?? setTimeout)(run, { timeout: 2_000 } as never);
    if (pageDocument.readyState === "complete") idle();
    else addEventListener("load", idle, { once: true });
  });
