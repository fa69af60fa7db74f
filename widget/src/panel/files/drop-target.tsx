/** Covers the panel while a file is dragged over it, and says what letting go of it does. Fetched when the first one comes. */

import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./drop-target.css?inline";

addEnglish(rare);

export const Drop = live(({ t, shell }: Needs<"t" | "shell">, mounted) => {
  mounted(() => adopt(shell.root, css));
  return () => (
    <div class="drop">
      <p>{t("drop")}</p>
    </div>
  );
});
