/** The panel's header: picture, title, and a line that says whether a machine answers. */

import { type Signal, signal } from "@preact/signals-core";
import type { ComponentType, VNode } from "preact";
import type { PanelSettings } from "../../settings/options.ts";
import { authorOf, replyAuthorKind } from "../base/author.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isUnreachable } from "../base/conversation-state.ts";
import { Icon } from "../base/icons.tsx";
import { into, toggler } from "../base/late-parts.ts";
import { lazyPart } from "../base/lazy-part.tsx";
import type { FacesProps } from "../thread/faces.tsx";
import type { HeaderLineProps } from "./header-line.tsx";

type MenuType = { Menu: ComponentType<{ close: (back: boolean) => void }> };

/** The site's picture; without one, or where it cannot be loaded, the first letter of the site's own title, else a glyph. */
const avatarOf = ({ title, avatar }: PanelSettings, failedUrl: Signal<string>): VNode =>
  avatar && failedUrl.value !== avatar ? (
    <img
      class="avatar"
      src={avatar}
      alt=""
      onError={() => {
        failedUrl.value = avatar;
      }}
    />
  ) : (
    <span class="avatar" aria-hidden="true">
      {title ? [...title][0]?.toLocaleUpperCase() : <b />}
    </span>
  );

/** The faces of the team, if the site names one. */
const Faces = lazyPart<FacesProps>(
  async () => (await import("../thread/faces.tsx")).Faces,
  (_, { usual }) => usual,
);

type LineType = { HeaderLine: ComponentType<HeaderLineProps> };

/** The line under the title: who answers, and the present state. */
const About = component((ui: Needs<"t" | "settings" | "chat" | "forms" | "part">, mounted) => {
  const { t, chat, settings, forms } = ui;
  const headerLine = signal<LineType | undefined>(undefined);
  mounted(
    watch(() => {
      // Quiet, because offline this part cannot be fetched, and the connection bar explains that. The next change tries again.
      if (chat.working.value || /off|wait|end/.test(chat.link.value))
        void ui.part(() => import("./header-line.tsx"), into(headerLine), true);
    }),
  );
  return () => {
    const Status = forms.value?.Status;
    const { HeaderLine } = headerLine.value ?? {};
    // Promise no answer time before the opening hours are known, or while the service cannot be reached.
    const words = settings.value.hours.timeZone || isUnreachable(ui) ? authorOf(ui) : t(`status${replyAuthorKind(ui)}`);
    return (
      <p id="about" key={HeaderLine ? "" : words + !Status}>
        {HeaderLine ? <HeaderLine usual={Status} /> : Status ? <Status /> : words}
      </p>
    );
  };
});

/** The header with its buttons. The code of the menu and of the faces is fetched when it is needed. */
export const Header = component((ui: Needs<"t" | "settings" | "close" | "part" | "shell">) => {
  const { t, settings, close, shell } = ui;
  const menu = signal<MenuType | undefined>(undefined);
  /** URL of a picture that could not be loaded. */
  const failedUrl = signal("");
  let button: HTMLButtonElement | null = null;
  const toggle = toggler(ui, menu, () => import("./menu.tsx"));
  const closeMenu = (back: boolean): void => {
    menu.value = undefined;
    if (back) button?.focus();
  };
  const setButton = (node: HTMLButtonElement | null): void => {
    button = node;
  };
  return () => {
    const { title, mode, header } = settings.value;
    const name = title || t("title");
    const { Menu } = menu.value ?? {};
    return (
      <div class={header === "accent" ? "head filled" : "head"}>
        {shell.settings().team ? (
          <Faces usual={avatarOf(settings.value, failedUrl)} />
        ) : (
          avatarOf(settings.value, failedUrl)
        )}
        <div class="who">
          <h2 id="title" tabIndex={-1} key={name}>
            {name}
          </h2>
          <About />
        </div>
        <button
          ref={setButton}
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
        {Menu && <Menu close={closeMenu} />}
      </div>
    );
  };
});
