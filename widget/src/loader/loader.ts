/**
 * The tag's script: only a launcher and a command queue until the visitor wants to chat. It uses no framework, because visitors who
 * never chat load it too.
 */

import type { Baked } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { pageFunction, pageSettings } from "./page-api.ts";
import { pageLink } from "./shell.ts";
import { startWidget } from "./widget.ts";

/** Replaced by the relay when it serves the file; the build checks that it is there exactly once. */
const baked = "__PORCHLIGHT__" as unknown as Baked;
const own = baked.site.id;

/** @returns the element if it is the widget's tag: a script with an address that the relay serves */
const asTag = (element: Element | null): HTMLScriptElement | undefined =>
  element instanceof HTMLScriptElement && /\/(widget|w\/[^/]+)\.js\b/.test(element.src) ? element : undefined;

/** Known while the script runs first; in modules and under `eval` the attribute still tells which one we are. */
const script = asTag(pageDocument.currentScript) ?? asTag(pageDocument.querySelector(`script[data-site="${own}"]`));
const asked = script?.dataset.site ?? own;
// A relative address is meant from the page: `script.src` follows whatever `<base>` stands in the page by now, which markup of
// others can place after the script was fetched.
baked.relay ||= pageSettings()?.relay || new URL(script?.getAttribute("src") ?? "", location.href).origin;
const { relay } = baked;

/** A prerendered page shows and fetches nothing, whatever commands it calls. */
const active = new Promise<unknown>((resolve) => {
  if ((pageDocument as { prerendering?: boolean }).prerendering)
    pageDocument.addEventListener("prerenderingchange", resolve);
  else resolve(0);
});
const fetchFile = (path: string): Promise<never> =>
  active.then(() => import(/* @vite-ignore */ relay + path) as Promise<never>);

/** Waits until the page has loaded and is idle, so that the page's own work goes first. */
const whenIdle = (run: () => void): unknown =>
  active.then(() => {
    // Safari has no `requestIdleCallback`; `setTimeout` reads the second argument as a delay of 0.
    const idle = (): unknown => (window.requestIdleCallback ?? setTimeout)(run, { timeout: 2_000 } as never);
    if (pageDocument.readyState === "complete") idle();
    else addEventListener("load", idle, { once: true });
  });

const running = pageFunction()?.site;
if (running) {
  if (running !== own) console.warn("Porchlight", running);
  // `/widget.js` is one site's script; a tag that names another gets that one's, as a module, which needs no element. Where it
  // cannot be had, the browser has said so in the console: a word of ours would be the page's unhandled rejection besides.
} else if (asked !== own) fetchFile(`/w/${asked}.js`).catch(() => {});
else {
  try {
    startWidget(baked, script, fetchFile, whenIdle);
  } catch {
    // An engine too old for the widget, without style sheets as objects (Safari before 16.4).
    whenIdle(() => pageDocument.body.append(pageLink(relay, own, "Chat")));
  }
}
