/** The visitor's emoji on a reply. Only the newest reply can get one, because the service applies it to that one. */

import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { adoptOnce } from "../base/adopt-once.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { Icon } from "../base/icons.tsx";
import { toggler } from "../base/late-parts.ts";
import type { PaletteProps } from "./palette.tsx";
import css from "./reaction.css?inline";

export type ReactionProps = { id: string; emoji: string };

/** The emoji as a button; pressing it removes the reaction. */
export const Reaction = component<ReactionProps>(({ t, chat, shell }: Needs<"t" | "chat" | "shell">) => {
  adoptOnce(shell.root, css);
  return ({ id, emoji }) => (
    <button type="button" class="pill reaction" aria-label={t("unreact", { emoji })} onClick={() => chat.react(id, "")}>
      {emoji}
    </button>
  );
});

/** The button that shows the emoji to choose from. */
export const React = component<{ id: string }>((ui: Needs<"t" | "chat" | "part" | "shell">, _mounted, { id }) => {
  const { t, chat, shell } = ui;
  adoptOnce(shell.root, css);
  const palette = signal<{ Palette: ComponentType<PaletteProps> } | undefined>(undefined);
  const toggle = toggler(ui, palette, () => import("./palette.tsx"));
  const choose = (emoji?: string): void => {
    palette.value = undefined;
    if (emoji) chat.react(id, emoji);
  };
  return () => {
    const { Palette } = palette.value ?? {};
    return (
      <div class="react">
        <button type="button" class="pill" aria-label={t("react")} aria-expanded={!!Palette} onClick={toggle}>
          <Icon name="emoji" />
        </button>
        {Palette && <Palette choose={choose} />}
      </div>
    );
  };
});
