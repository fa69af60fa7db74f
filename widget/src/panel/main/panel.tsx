/** The panel: header, connection, thread, composer. */

import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { live, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver, isRefused } from "../base/conversation-state.ts";
import { into } from "../base/late-parts.ts";
import { Composer } from "../composer/composer.tsx";
import { Thread } from "../thread/thread.tsx";
import { Bar } from "./connection-bar.tsx";
import { Header } from "./header.tsx";

type PanelNeeds = Needs<
  "t" | "settings" | "chat" | "consent" | "forms" | "asking" | "rating" | "ended" | "part" | "addFiles"
>;

export const Panel = live((ui: PanelNeeds, mounted) => {
  const { t, chat, consent, settings, addFiles, forms, rating, ended, asking, part } = ui;
  const dropping = signal(false);
  const overlay = signal<{ Drop: ComponentType } | undefined>(undefined);
  mounted(
    watch(() => {
      const { prechat, capture, hours, replyMinutes } = settings.value;
      if (prechat[0] || capture[0] || hours.timeZone || replyMinutes || !consent.value)
        void part(() => import("../forms/forms.tsx"), into(forms));
    }),
  );
  mounted(
    watch(() => {
      if (settings.value.rating === "off" || rating.value || chat.rating.value) return;
      if (chat.items.value.at(-1)?.from === "reply") void part(() => import("../forms/rating.tsx"), into(rating));
    }),
  );
  mounted(watch(() => chat.link.value === "ended" && part(() => import("../thread/ended.tsx"), into(ended))));
  const over = (event: DragEvent): void => {
    const welcome = consent.peek() && settings.peek().attachments && event.dataTransfer?.types.includes("Files");
    if (welcome && !dropping.peek()) void part(() => import("../files/drop-target.tsx"), into(overlay));
    dropping.value = welcome === true;
    if (welcome) event.preventDefault();
  };
  const leave = (event: DragEvent): void => {
    if (!(event.currentTarget as Element).contains(event.relatedTarget as Node)) dropping.value = false;
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    dropping.value = false;
    addFiles([...(event.dataTransfer?.files ?? [])]);
  };
  return () => {
    const refused = isRefused(ui);
    const Foot = !refused && (!consent.value || !isOver(ui)) && forms.value?.[consent.value ? "Foot" : "Consent"];
    const { Drop } = overlay.value ?? {};
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is one more way to what a button does
      <div class="app" onDragOver={over} onDragLeave={leave} onDrop={drop}>
        <Header />
        <Bar />
        <Thread />
        {Foot && <Foot />}
        {/* In a place of its own: whoever types already must not lose it when the code of the forms comes. */}
        {consent.value && !refused && (!asking.value || isOver(ui)) && <Composer />}
        {dropping.value && Drop && <Drop />}
        <p id="tab" hidden>
          {t("newTab")}
        </p>
      </div>
    );
  };
});
