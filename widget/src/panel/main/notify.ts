/**
 * Shows a browser notification of a reply, if the visitor has asked for it. The caller makes sure that the page is hidden and
 * that only one tab notifies (WIDGET 8.5). The permission belongs to the page's origin, so it is requested only when the
 * visitor presses the entry, and never again once it was denied.
 */

import type { Item } from "../../conversation/chat.ts";
import { pageFunction } from "../../loader/page-api.ts";
import { plainText } from "../../text/plain-text.ts";
import { wordsOf } from "../base/author.ts";
import type { Needs } from "../base/context.ts";

/** Longest part of a reply that is shown, in characters. */
const BODY_MAX = 160;

/** Shows the notification. Does nothing without permission. A click on it opens the chat. */
export async function notify(ui: Needs<"t" | "settings" | "language">, item: Item): Promise<void> {
  const { t, settings, language } = ui;
  if (Notification.permission !== "granted") return;
  const body = await plainText(wordsOf(ui, item));
  const { tag: lang, dir } = language.peek();
  const note = new Notification(settings.peek().title || t("title"), {
    body: body.length > BODY_MAX ? `${body.slice(0, BODY_MAX)}…` : body,
    tag: item.id,
    lang,
    dir,
  });
  note.onclick = () => {
    note.close();
    window.focus();
    pageFunction()?.("open");
  };
}
