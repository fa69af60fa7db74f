/** The panel's header: picture, title, and a line that says whether a machine answers. */

import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { authorOf, replier } from "../base/author.ts";
import { live } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isUnreachable } from "../base/conversation-state.ts";
import { Icon } from "../base/icons.tsx";
import { toggler } from "../base/late-parts.ts";

type MenuType = { Menu: ComponentType<{ close: (back: boolean) => void }> };

export const Header = live((ui: Needs<"t" | "settings" | "chat" | "close" | "forms" | "part">) => {
  const { t, settings, close, forms } = ui;
  const menu = signal<MenuType | undefined>(undefined);
  /** URL of a picture that could not be loaded. */
  const lost = signal("");
  let button: HTMLButtonElement | null = null;
  const toggle = toggler(ui, menu, () => import("./menu.tsx"));
  const shut = (back: boolean): void => {
    menu.value = undefined;
    if (back) button?.focus();
  };
  const keep = (node: HTMLButtonElement | null): void => {
    button = node;
  };
  return () => {
    const { title, avatar, mode, header, hours } = settings.value;
    const Status = forms.value?.Status;
    const name = title || t("title");
    const { Menu } = menu.value ?? {};
    // Promise no answer time before the opening hours are known, or while the service cannot be reached.
    const silent = hours.timeZone || isUnreachable(ui);
    return (
      <div class={header === "accent" ? "head filled" : "head"}>
        {avatar && lost.value !== avatar ? (
          <img
            class="avatar"
            src={avatar}
            alt=""
            onError={() => {
              lost.value = avatar;
            }}
          />
        ) : (
          <span class="avatar" aria-hidden="true">
            {/* The first letter of the site's own title; the letter of our default title would mean nothing. */}
            {title ? [...title][0]?.toLocaleUpperCase() : <b />}
          </span>
        )}
        <div class="who">
          <h2 id="title" tabIndex={-1} key={name}>
            {name}
          </h2>
          <p id="about" key={replier(ui) + !Status + silent}>
            {Status ? <Status /> : silent ? authorOf(ui) : t(`status${replier(ui)}`)}
          </p>
        </div>
        <button
          ref={keep}
          type="button"
          class="tool"
          aria-label={t("options")}
          aria-haspopup="menu"
          aria-expanded={!!Menu}
          onClick={toggle}
        >
          <Icon name="menu" />
        </button>
        {mode === "widget" && (
          <button type="button" class="tool" aria-label={t("close")} onClick={close}>
            <Icon name="close" />
          </button>
        )}
        {Menu && <Menu close={shut} />}
      </div>
    );
  };
});
