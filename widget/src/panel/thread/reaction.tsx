/** The visitor's emoji on a reply. Only the newest reply can get one, because the service applies it to that one. */

import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { Icon } from "../base/icons.tsx";
import { toggler } from "../base/late-parts.ts";
import type { PaletteProps } from "./palette.tsx";

/** The button that shows the emoji to choose from. */
export const React = live<{ id: string }>((ui: Needs<"t" | "chat" | "part">, _mounted, { id }) => {
  const { t, chat } = ui;
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
        <button type="button" aria-label={t("react")} aria-expanded={!!Palette} onClick={toggle}>
          <Icon name="emoji" />
        </button>
        {Palette && <Palette choose={choose} />}
      </div>
    );
  };
});
