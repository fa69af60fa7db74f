/**
 * The widget as a module, for pages that are built: the same script as the tag's, fetched from the owner's relay, so that
 * it is always as new as the relay.
 *
 *   const chat = await mount({ relay: "https://chat.example.com", site: "default", accent: "#0a7" });
 *   chat.on("message", ({ text }) => console.log(text));
 */

import type { Mounted } from "./api.ts";
import type { Options } from "./options.ts";

export type { Commands, Events, Mounted } from "./api.ts";
export type { Options, Settings } from "./options.ts";

export type MountOptions = Options & {
  /** Origin of the relay. */
  relay: string;
  /** Key of the site. */
  site?: string;
};

/** Modules are run once by their address; each mounting has another. */
let count = 0;
/** What the page has set by itself, and that with an earlier mounting's settings over it, which are gone with that. */
let own: Options | undefined;
let over: Options | undefined;

/**
 * Puts the chat on the page. Resolves when its commands can be called; a second call answers the chat that is there.
 * @throws when the relay cannot be reached
 */
export async function mount({ site = "default", ...settings }: MountOptions): Promise<Mounted> {
  if (!window.Porchlight?.site) {
    if (window.PorchlightSettings !== over) own = window.PorchlightSettings;
    over = window.PorchlightSettings = { ...own, ...settings };
    count++;
    await import(/* @vite-ignore */ `${settings.relay}/w/${encodeURIComponent(site)}.js?mount=${count}`);
  }
  if (!window.Porchlight?.site) throw new Error(`Porchlight: no script for site "${site}" at ${settings.relay}`);
  return window.Porchlight as Mounted;
}
