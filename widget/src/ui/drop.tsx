/** Covers the panel while a file is dragged over it, and says what letting go of it does. Fetched when the first one comes. */

import { addEnglish } from "../i18n.ts";
import { rare } from "../locales/en.rare.ts";
import css from "./drop.css?inline";
import { live } from "./live.ts";
import { adopt } from "./style.ts";

addEnglish(rare);

export const Drop = live(({ t, shell }, mounted) => {
  mounted(() => adopt(shell.root, css));
  return () => (
    <div class="drop">
      <p>{t("drop")}</p>
    </div>
  );
});
