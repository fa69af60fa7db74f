/** The panel: header, connection bar, thread and composer, and the parts that only some sites or conversations have. */

import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver, isRefused } from "../base/conversation-state.ts";
import { into } from "../base/late-parts.ts";
import { Composer } from "../composer/composer.tsx";
import { Thread } from "../thread/thread.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Header } from "./header.tsx";

type PanelNeeds = Needs<
  "t" | "settings" | "chat" | "shell" | "consent" | "forms" | "asking" | "rating" | "ended" | "part" | "addFiles"
>;

/** Whether files are dragged, and may be sent. */
const acceptsDrag = (
  { consent, settings }: Pick<PanelNeeds, "consent" | "settings">,
  { dataTransfer }: DragEvent,
): boolean | undefined => consent.peek() && settings.peek().attachments && dataTransfer?.types.includes("Files");

/** Fetches the components that the site's settings ask for. */
function fetchForms({ settings, shell, consent, part, forms }: PanelNeeds): void {
  const { prechat, capture, hours } = settings.value;
  const { voice, camera, startScreen, prefill, replyMinutes } = shell.settings();
  const add = (components: object): void => {
    forms.value = { ...forms.peek(), ...components };
  };
  // Fetched also if they are switched off: the part itself checks the setting.
  if ((voice ?? camera ?? startScreen ?? prefill) !== undefined) void part(() => import("../start/optional.ts"), add);
  if (prechat[0] || capture[0] || hours.timeZone || replyMinutes || !consent.value)
    void part(() => import("../forms/forms.tsx"), add);
}

/** The whole panel below the loader's dialog. Files can be dropped anywhere on it. */
export const Panel = component((ui: PanelNeeds, mounted) => {
  const { t, chat, consent, settings, forms, rating, ended, asking, part } = ui;
  mounted(watch(() => fetchForms(ui)));
  mounted(
    watch(() => {
      if (settings.value.rating === "off" || rating.value || chat.rating.value) return;
      if (chat.items.value.at(-1)?.from === "reply") void part(() => import("../forms/rating.tsx"), into(rating));
    }),
  );
  mounted(watch(() => chat.link.value === "ended" && part(() => import("../thread/ended.tsx"), into(ended))));
  let isCoverFetched: boolean | undefined;
  const onDragOver = (event: DragEvent & { currentTarget: HTMLElement }): void => {
    if (!acceptsDrag(ui, event)) return;
    event.preventDefault();
    const app = event.currentTarget;
    if (!isCoverFetched)
      void part(
        () => import("../files/drop-target.ts"),
        ({ coverWhileDragged }) => coverWhileDragged(ui, app),
      );
    isCoverFetched = true;
  };
  // Handled here and not in the part, because files may be dropped before its code has loaded.
  const onDrop = (event: DragEvent): void => {
    if (!acceptsDrag(ui, event)) return;
    event.preventDefault();
    ui.addFiles(event.dataTransfer?.files ?? []);
  };
  return () => {
    const refused = isRefused(ui);
    const Foot = !refused && (!consent.value || !isOver(ui)) && forms.value?.[consent.value ? "Foot" : "Consent"];
    const Start = forms.value?.Start;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: a button offers the same action as dropping files
      <div class="app" onDragOver={onDragOver} onDrop={onDrop}>
        <Header />
        <ConnectionBar />
        {Start && <Start />}
        <Thread />
        {Foot && <Foot />}
        {/* Always the same child, so that a visitor who types keeps the field when the code of the forms arrives. */}
        {consent.value && !refused && (!asking.value || isOver(ui)) && <Composer />}
        <p id="tab" hidden>
          {t("newTab")}
        </p>
      </div>
    );
  };
});
