/** Covers the panel while files are dragged over it, and takes them. Fetched when the first ones come. */

import { element } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./drop-target.css?inline";

addEnglish(rare);

type DropNeeds = Needs<"t" | "shell" | "addFiles">;

/**
 * From now on files that are dropped on `app` are added to the message. Its own handlers have refused those that may not
 * be sent, and the browser's way with the others: then the event's default is prevented.
 */
export function acceptFiles({ t, shell, addFiles }: DropNeeds, app: HTMLElement): void {
  adopt(shell.root, css);
  const sentence = element("p");
  const cover = element("div", { class: "drop" }, sentence);
  app.addEventListener("dragover", (event) => {
    if (!event.defaultPrevented || cover.isConnected) return;
    sentence.textContent = t("drop");
    app.append(cover);
  });
  app.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!app.contains(relatedTarget as Node | null)) cover.remove();
  });
  app.addEventListener("drop", (event) => {
    cover.remove();
    if (event.defaultPrevented) addFiles([...(event.dataTransfer?.files ?? [])]);
  });
}
