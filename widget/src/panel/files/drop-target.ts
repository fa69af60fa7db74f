/** Covers the panel while files are dragged over it. Fetched when the first ones come. */

import { element } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./drop-target.css?inline";

addEnglish(rare);

/**
 * From now on `app` is covered while files are dragged over it that the site lets visitors send. The panel's own handler
 * prevents the default of such an event, and of no other; it also takes the files that are dropped.
 */
export function coverWhileDragged({ t, shell }: Needs<"t" | "shell">, app: HTMLElement): void {
  adopt(shell.root, css);
  const sentence = element("p");
  const cover = element("div", { class: "drop" }, sentence);
  const hide = (): void => cover.remove();
  app.addEventListener("dragover", (event) => {
    if (!event.defaultPrevented || cover.isConnected) return;
    sentence.textContent = t("drop");
    app.append(cover);
  });
  app.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!app.contains(relatedTarget as Node | null)) hide();
  });
  app.addEventListener("drop", hide);
}
