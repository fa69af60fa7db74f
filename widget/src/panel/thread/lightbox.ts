/** A picture of the conversation, large over the whole page. Fetched when a picture is opened. */

import { element, icon } from "../../loader/dom.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { adopt } from "../base/style.ts";
import css from "./lightbox.css?inline";

addEnglish(rare);

const CROSS = "m6.5 6.5 11 11m0-11-11 11";

/** `close`: name of the button that closes it. */
export type Enlarged = { src: string; alt: string; close: string };

/**
 * Shows a picture as a modal dialog: the browser keeps the focus in it, closes it on Escape, and gives the focus back. A press
 * anywhere closes it, too.
 */
export function enlarge(root: ShadowRoot, { src, alt, close }: Enlarged): void {
  const button = element("button", { type: "button", "aria-label": close });
  button.append(icon(CROSS));
  const image = element("img", { src, alt, referrerpolicy: "no-referrer" });
  const dialog = element("dialog", { class: "lightbox", "aria-label": alt }, image, button);
  const undress = adopt(root, css);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    undress();
  });
  root.append(dialog);
  dialog.showModal();
}
