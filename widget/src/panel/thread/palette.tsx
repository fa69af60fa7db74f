/** A few emoji to react to a reply with. Fetched at the first use. */

import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./palette.css?inline";

addEnglish(rare);

const EMOJI = ["👍", "❤️", "😂", "🎉", "😮", "😢"];

/** Calls `choose` with undefined when the visitor cancels. */
export type PaletteProps = { choose: (emoji?: string) => void };

/** The emoji as buttons; the first has the focus. Escape cancels. */
export const Palette = component<PaletteProps>(({ t, shell }: Needs<"t" | "shell">, mounted, { choose }) => {
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
