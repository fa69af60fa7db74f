/**
 * The widget as a module, for pages with a build step. It fetches the tag's script from the owner's relay, so the widget always has
 * the relay's version.
 *
 *   const chat = await mount({ relay: "https://chat.example.com", site: "default", accent: "#0a7" });
 *   chat.on("message", ({ text }) => console.log(text));
 */

import type { Options } from "../settings/options.ts";
import { type Mounted, pageFunction, pageSettings } from "./page-api.ts";

export type { Options, Settings } from "../settings/options.ts";
export type { Commands, Events, Mounted } from "./page-api.ts";

export type MountOptions = Options & {
  /** Origin of the relay. */
  relay: string;
  /** Key of the site. */
  site?: string;
};

/**
 * The page's object while a mounting is under way holds that mounting under this name: every copy of this module on the page,
 * one in each of its parts, knows it.
 */
const UNDER_WAY = Symbol.for("porchlight.mounting");
type Held = Options & { [UNDER_WAY]?: Promise<unknown> };
const underWay = (): Promise<unknown> | undefined => (pageSettings() as Held | undefined)?.[UNDER_WAY];

/** Modules are run once by their address; each mounting has another. */
let count = 0;

function restore(own: Options | undefined): void {
  if (own) window.PorchlightSettings = own;
  else delete window.PorchlightSettings;
}

/** Runs the script with settings that it reads as it starts; afterwards the page's own stand there again. */
async function fetchScript(relay: string, site: string, settings: Options): Promise<void> {
  const address = `${relay}/w/${encodeURIComponent(site)}.js?mount=`;
  const own = pageSettings();
  const run = async (): Promise<void> => {
    count++;
    // Numbers, so that the browser's cache can know the address from an earlier page.
    await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address + count);
    // Another copy of this module has counted so far: then that script has run already, and a word of chance is new.
    if (!pageFunction()?.site)
      await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address + Math.random());
    // From here on they are an update's, so that a later one can take each of them back.
    void pageFunction()?.("update", settings);
  };
  const held: Held = { ...own, ...settings, relay };
  window.PorchlightSettings = held;
  held[UNDER_WAY] = run();
  try {
    await held[UNDER_WAY];
  } finally {
    if (window.PorchlightSettings === held) restore(own);
  }
}

/**
 * Puts the chat on the page. Resolves when its commands can be called. A second call returns the existing chat, with a warning in the
 * console if that chat belongs to another site.
 * @throws when the relay cannot be reached
 */
export async function mount({ relay, site = "default", ...settings }: MountOptions): Promise<Mounted> {
  const other = underWay();
  // The earlier caller gets the error of a failed attempt; this call tries again.
  if (other) await other.catch(() => {});
  const origin = relay.replace(/\/+$/, "");
  const running = pageFunction()?.site;
  if (!running) await fetchScript(origin, site, settings);
  else if (running !== site)
    console.warn(`Porchlight: "${running}" is on this page already, so "${site}" is not mounted`);
  const mounted = pageFunction();
  if (!mounted?.site) throw new Error(`Porchlight: no script for site "${site}" at ${origin}`);
  return mounted as Mounted;
}
