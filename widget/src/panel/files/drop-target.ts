/** Covers the panel while files are dragged over it. Fetched when files are first dragged. */

import { element } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./drop-target.css?inline";

addEnglish(rare);

/**
 * Covers `app` while files that the site accepts are dragged over it. The panel's own handler prevents the default of exactly
 * these events, and handles dropped files.
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
