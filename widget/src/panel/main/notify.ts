/**
 * Tells of a reply beside the browser, where the visitor has asked for it: only while the page is hidden, and from one tab
 * (WIDGET 8.5); whoever calls sees to both. The permission belongs to the page's origin, so it is asked for by the visitor's
 * own press and never again once it was denied.
 */

import type { Item } from "../../conversation/chat.ts";
import { pageFunction } from "../../loader/page-api.ts";
import { plainText } from "../../text/markdown.ts";
import { type Ui, wordsOf } from "../base/context.ts";

/** Characters of a reply that are shown. */
const BODY_MAX = 160;

export function notify(ui: Ui, item: Item): void {
  const { t, settings, language } = ui;
  if (Notification.permission !== "granted") return;
  const body = plainText(wordsOf(ui, item));
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
