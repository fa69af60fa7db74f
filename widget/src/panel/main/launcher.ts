/** Updates the launcher once the panel is loaded: unread count, open state, and the visitor's language. */

import { effect } from "@preact/signals-core";
import type { LoaderWords } from "../../loader/contract.ts";
import { element } from "../../loader/dom.ts";
import { launcherCross } from "../../loader/launcher-cross.ts";
import type { Needs } from "../base/context.ts";

/** Adds the number of unread replies and the cross to the launcher, and keeps both up to date. @returns a function that stops it */
export function syncLauncher({
  chat,
  shell,
  t,
  isOpen,
  language,
}: Needs<"t" | "language" | "chat" | "shell" | "isOpen">): () => void {
  const badge = element("span", { class: "badge", "aria-hidden": "true" });
  const cross = launcherCross(shell.launcher);
  shell.launcher.append(badge);
  const stop = effect(() => {
    const count = isOpen.value ? 0 : chat.unread.value;
    badge.hidden = count === 0;
    // The style sheet draws the number. The accessible name says it in words, which need not contain the digits.
    badge.dataset.count = count > 99 ? "99+" : `${count}`;
    shell.unread = count === 0 ? "" : `, ${t("unread", { n: count })}`;
    shell.words = { ...(shell.words as LoaderWords), dir: language.value.dir, word: t("chat") };
    shell.host.lang = language.value.tag;
    shell.style();
  });
  return () => {
    stop();
    badge.remove();
    cross.remove();
  };
}
