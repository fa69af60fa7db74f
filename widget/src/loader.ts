/**
 * The tag's script: a launcher, a command queue, and nothing else until somebody wants to chat. Vanilla TypeScript,
 * because everything here is paid for by visitors who never chat.
 */

import type { Baked } from "./ui/contract.ts";
import { pageLink } from "./ui/shell.ts";
import { startWidget } from "./widget.ts";

/** Replaced by the relay when it serves the file; the build checks that it is there exactly once. */
const baked = "__PORCHLIGHT__" as unknown as Baked;
const own = baked.site.id;

/** Known while the script runs first; null in modules and under `eval`, where the attribute still tells which one we are. */
const script = (document.currentScript ?? document.querySelector(`[data-site="${own}"]`)) as HTMLScriptElement | null;
const asked = script?.dataset.site ?? own;
/** Its own origin. */
// biome-ignore lint/suspicious/noAssignInExpressions: as two statements it is some bytes more on every page
const relay = (baked.relay ||= window.PorchlightSettings?.relay || new URL(script?.src || (location as never)).origin);

/** Nothing is shown on a page that is only prerendered, and nothing fetched, whatever it commands. */
const active = new Promise<unknown>((resolve) => {
  if ((document as { prerendering?: boolean }).prerendering) document.addEventListener("prerenderingchange", resolve);
  else resolve(0);
});
const fetchFile = (path: string): Promise<never> =>
  active.then(() => import(/* @vite-ignore */ relay + path) as Promise<never>);

/** After load and idle: the page's own work goes first. */
const whenIdle = (run: () => void): unknown =>
  active.then(() => {
    // Safari has no `requestIdleCallback`; there the second argument is a delay that reads as none.
    const idle = (): unknown => (window.requestIdleCallback ?? setTimeout)(run, { timeout: 2_000 } as never);
    if (document.readyState === "complete") idle();
    else addEventListener("load", idle, { once: true });
  });

const running = window.Porchlight?.site;
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
    whenIdle(() => document.body.append(pageLink(relay, own, "Chat")));
  }
}
