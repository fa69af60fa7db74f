/** A few emoji to answer a reply with. Fetched when first wanted. */

import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { live } from "../base/component.ts";
import { adopt } from "../base/style.ts";
import css from "./palette.css?inline";

addEnglish(rare);

const EMOJI = ["👍", "❤️", "😂", "🎉", "😮", "😢"];

/** `choose` is given nothing when the visitor thinks better of it. */
export type PaletteProps = { choose: (emoji?: string) => void };

export const Palette = live<PaletteProps>(({ t, shell }, mounted, { choose }) => {
  let box: HTMLElement | null = null;
  mounted(() => adopt(shell.root, css));
  mounted(() => box?.querySelector("button")?.focus());
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    choose();
  };
  return () => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div
      ref={(node) => {
        box = node;
      }}
      class="palette"
      role="group"
      aria-label={t("react")}
      onKeyDown={onKeyDown}
    >
      {EMOJI.map((emoji) => (
        <button key={emoji} type="button" aria-label={t("reactWith", { emoji })} onClick={() => choose(emoji)}>
          {emoji}
        </button>
      ))}
    </div>
  );
});
