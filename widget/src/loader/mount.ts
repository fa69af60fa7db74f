/**
 * The widget as a module, for pages with a build step. It fetches the tag's script from the owner's relay, so the widget always
 * has the relay's version.
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
 * While a mount runs, `window.PorchlightSettings` holds its promise under this symbol. A page may contain several
 * copies of this module; through the symbol, each of them can wait for the others.
 */
const MOUNTING = Symbol.for("porchlight.mounting");
type SettingsDuringMount = Options & { [MOUNTING]?: Promise<unknown> };
const pendingMount = (): Promise<unknown> | undefined =>
  (pageSettings() as SettingsDuringMount | undefined)?.[MOUNTING];

/** The browser runs a module once per address, so each mount uses another address. */
let count = 0;

function restore(pageOwn: Options | undefined): void {
  if (pageOwn) window.PorchlightSettings = pageOwn;
  else delete window.PorchlightSettings;
}

/**
 * Runs the tag's script with these settings, which it reads when it starts. Restores the page's own settings
 * afterwards.
 */
async function fetchScript(relay: string, site: string, settings: Options): Promise<void> {
  const address = `${relay}/w/${encodeURIComponent(site)}.js?mount=`;
  const pageOwn = pageSettings();
  const run = async (): Promise<void> => {
    count++;
    // A counter, so that addresses repeat across pages and the browser's cache can be used.
    await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address + count);
    // Another copy of this module has already used this number, so the script did not run again. Use a random address.
    if (!pageFunction()?.site)
      await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ address + Math.random());
    // Also pass the settings as an update, so that a later update can reset each of them.
    void pageFunction()?.("update", settings);
  };
  const mountSettings: SettingsDuringMount = { ...pageOwn, ...settings, relay };
  window.PorchlightSettings = mountSettings;
  mountSettings[MOUNTING] = run();
  try {
    await mountSettings[MOUNTING];
  } finally {
    if (window.PorchlightSettings === mountSettings) restore(pageOwn);
  }
}

/**
 * Puts the chat on the page. Resolves when its commands can be called. A second call returns the existing chat, with a warning
 * in the console if that chat belongs to another site.
 * @throws when the relay cannot be reached
 */
export async function mount({ relay, site = "default", ...settings }: MountOptions): Promise<Mounted> {
  const earlier = pendingMount();
  // The earlier caller gets the error of a failed attempt; this call tries again.
  if (earlier) await earlier.catch(() => {});
  const origin = relay.replace(/\/+$/, "");
  const running = pageFunction()?.site;
  if (!running) await fetchScript(origin, site, settings);
  else if (running !== site)
    console.warn(`Porchlight: site "${running}" is already on this page, so site "${site}" is not mounted`);
  const mounted = pageFunction();
  if (!mounted?.site) throw new Error(`Porchlight: no script for site "${site}" at ${origin}`);
  return mounted as Mounted;
}
