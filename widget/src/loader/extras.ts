/**
 * Code that the tag's script does not contain: the panel's frame while the panel's code loads, and functions that most
 * pages never need. Fetched when first needed.
 */

import type { ExtrasModule, Shell } from "./contract.ts";
import { element } from "./dom.ts";
import { isSelector, PHONE_QUERY } from "./shell.ts";

export { drawFrame } from "./frame.ts";

const changes = () => import("./page-changes.ts");

// These functions fetch the code of `page-changes.ts`, and call the function of the same name there.
export const restoreHost: ExtrasModule["restoreHost"] = async (shell, insert) =>
  (await changes()).restoreHost(shell, insert);
export const moveToTopLayer: ExtrasModule["moveToTopLayer"] = async (shell) => (await changes()).moveToTopLayer(shell);
export const watchFocus: ExtrasModule["watchFocus"] = async (shell) => (await changes()).watchFocus(shell);

/** Lets elements of the page open the chat, and shows the teaser. */
export const addTriggers: ExtrasModule["addTriggers"] = async (shell, open) => {
  const { launcher, teaser } = shell.settings();
  if (isSelector(launcher)) openOnClick(shell, launcher as string, open);
  const phone = matchMedia(PHONE_QUERY);
  if (!teaser || phone.matches) return;
  const [{ watchTriggers }, { showTeaser }] = await Promise.all([
    import("./teaser-triggers.ts"),
    import("./teaser.ts"),
  ]);
  watchTriggers(shell.settings(), () => showTeaser(element, shell, phone));
};

function openOnClick({ host, root }: Shell, selector: string, open: (byVisitor: boolean) => unknown): void {
  const ended = new AbortController();
  addEventListener(
    "click",
    ({ target }) => {
      if (!root.isConnected && !host.isConnected) return ended.abort();
      if (target instanceof Element && target.closest(selector)) open(true);
    },
    { signal: ended.signal },
  );
}
