/** Shows a picture of the conversation large, over the whole page. Fetched when a picture is opened. */

import { element, icon } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { adopt } from "../base/style.ts";
import css from "./lightbox.css?inline";

addEnglish(rare);

const CROSS = "m6.5 6.5 11 11m0-11-11 11";

/** `close`: accessible name of the close button. */
export type Enlarged = { src: string; alt: string; close: string };

/**
 * Shows a picture as a modal dialog: the browser keeps the focus inside, closes it on Escape, and restores the focus. A
 * click anywhere closes it too.
 */
export function enlarge(root: ShadowRoot, { src, alt, close }: Enlarged): void {
  const button = element("button", { type: "button", "aria-label": close });
  button.append(icon(CROSS));
  const image = element("img", { src, alt, referrerpolicy: "no-referrer" });
  const dialog = element("dialog", { class: "lightbox", "aria-label": alt }, image, button);
  const removeStyle = adopt(root, css);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    removeStyle();
  });
  root.append(dialog);
  dialog.showModal();
}
