/** The chat on the page that makes the tag. It shows every change of the owner immediately. */

import type { SiteSetting } from "@porchlight/shared/settings";
import type { LoaderNodes } from "../loader/contract.ts";
import { element } from "../loader/dom.ts";
import { PHONE_QUERY } from "../loader/shell.ts";
import type { ChosenSettings } from "./tag.ts";

/** The elements of the chat on this page; undefined before it is on the page. */
function findParts(): LoaderNodes | undefined {
  const host = document.querySelector<HTMLElement>("porch-light");
  const root = host?.shadowRoot;
  const launcher = root?.querySelector<HTMLButtonElement>(".launcher");
  const dialog = root?.querySelector("dialog");
  return host && root && launcher && dialog ? { host, root, launcher, dialog } : undefined;
}

/** @returns the function that applies a change to the chat in the corner. `chosen`: the settings that differ from the site's */
export function preview(site: string): (name: SiteSetting, value: unknown, chosen: ChosenSettings) => void {
  let previews = 0;
  /** Applies settings that matter only at the start, by restarting the chat. */
  const restart = async (chosen: ChosenSettings): Promise<void> => {
    const open = findParts()?.dialog.open;
    // In a conversation, consent is already given. So the owner becomes a new visitor, and sees what new visitors see.
    if (chosen.requireConsent) await window.Porchlight?.consent?.(false);
    await window.Porchlight?.destroy?.();
    // Show the teaser without waiting for its triggers.
    window.PorchlightSettings = { ...chosen, teaser: "" };
    previews++;
    await import(/* @vite-ignore */ `/w/${encodeURIComponent(site)}.js?preview=${previews}`);
    if (open) await window.Porchlight?.open?.();
  };
  return (name, value, chosen) => {
    if (name === "requireConsent") return void restart(chosen);
    window.Porchlight?.("update", { [name]: value });
    if (name !== "teaser") return;
    void showTeaser(`${value || ""}`);
  };
}

/** Removes the teaser that is shown. */
let hideTeaser = (): void => {};

/**
 * Shows the teaser immediately, also if the chat was opened before, because this visitor is the site's owner. Phones show none.
 * The bubble's code is fetched when an owner writes a teaser.
 */
async function showTeaser(text: string): Promise<void> {
  const { bubble } = await import("../loader/bubble.ts");
  hideTeaser();
  const parts = findParts();
  parts?.root.querySelector(".teaser")?.remove();
  if (parts && text && !matchMedia(PHONE_QUERY).matches)
    hideTeaser = bubble(element, parts, { content: [text], close: "Close" });
}
