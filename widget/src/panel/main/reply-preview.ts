/**
 * Shows the first two lines of a reply beside the launcher while the chat is closed. It is not a live region, because the
 * announcer has already told screen readers. Fetched with the first such reply.
 */

import type { Item } from "../../conversation/chat.ts";
import { bubble } from "../../loader/bubble.ts";
import { element } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { authorOf } from "../base/author.ts";
import type { Needs } from "../base/context.ts";

addEnglish(rare);

/** Most characters of a reply in the preview: more than fit into two lines. */
const TEXT_MAX = 200;

/** Removes the preview that is shown. */
let clear = (): void => {};

/**
 * Shows the reply until it is closed, read here or in another tab, or replaced by another one.
 * @param plain its text without Markdown
 */
export function preview(ui: Needs<"t" | "settings" | "chat" | "shell" | "isOpen">, item: Item, plain: string): void {
  const { shell, chat, t, isOpen, settings } = ui;
  const { root, launcher } = shell;
  clear();
  if (isOpen.peek() || launcher.hidden || !settings.peek().replyPreview) return;
  for (const teaser of root.querySelectorAll(".teaser")) teaser.remove();
  const text = plain || item.media?.name || "";
  const author = element("small", {}, authorOf(ui, item));
  const words = element("span", { dir: "auto" }, text.slice(0, TEXT_MAX));
  const remove = bubble(element, shell, { content: [author, words], close: t("dismiss"), onClose: () => clear() });
  const clearIfRead = (): void => {
    if (isOpen.peek() || !chat.unread.peek()) queueMicrotask(() => clear());
  };
  const stops = [isOpen.subscribe(clearIfRead), chat.unread.subscribe(clearIfRead), remove];
  clear = () => {
    for (const stop of stops.splice(0)) stop();
  };
}
