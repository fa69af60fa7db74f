/**
 * What the thread shows while the visitor waits for a reply. Dots mean that the service has accepted the message. After ten
 * seconds a text appears, and later an offer (`long-wait.tsx`, fetched then). A visitor whose message could not be delivered
 * for that long gets only the offer, without dots and text.
 */

import { computed, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { into } from "../base/late-parts.ts";
import type { LateProps } from "./long-wait.tsx";
import { STAGES, type WaitStage } from "./wait-stages.ts";

/** Shortest time that the dots are shown, even below a reply that has just come, so that they do not flash (WIDGET 8.2). */
const DOTS_MS = 500;
type WaitingNeeds = Needs<"t" | "settings" | "chat" | "announcer" | "now" | "asking" | "part">;

/** The dots, and below them the texts of `long-wait.tsx`. Empty while the visitor waits for nothing. */
export const Waiting = component(({ t, chat, settings, announcer, now, asking, part }: WaitingNeeds, mounted) => {
  const stage = signal<WaitStage>(0);
  const late = signal<{ Words: ComponentType<LateProps>; Offered: ComponentType<LateProps> } | undefined>(undefined);
  let shown = 0;
  const show = (next: WaitStage): void => {
    if (!stage.peek()) shown = now();
    stage.value = next;
  };
  /** The time since which the newest message waits for an unreachable service. */
  const undeliveredSince = computed(() => {
    const newest = chat.items.value.at(-1);
    return chat.delivery.value === "delayed" && newest?.state === "sent" ? newest.at : undefined;
  });
  mounted(
    watch(() => {
      // Where people answer, the relay does not know whether anybody is writing, so show no dots.
      const since =
        undeliveredSince.value ?? (settings.value.responder === "human" ? undefined : chat.working.value?.since);
      const isOnline = chat.link.value === "online";
      const waits = since !== undefined && isOnline && !asking.value;
      const answered = isOnline && chat.items.peek().at(-1)?.from === "reply";
      const time = now();
      /** The stages to show, each with the milliseconds until then. */
      const steps: [WaitStage, number][] = waits
        ? STAGES.map((after) => [after, since + after - time])
        : [[0, answered ? shown + DOTS_MS - time : 0]];
      // Skip the steps that passed on an earlier page.
      const passed = steps.findLast(([, ms]) => ms <= 0);
      if (passed || waits) {
        stage.value = 0;
        show(passed?.[0] ?? 0);
      }
      const timers = steps.filter(([, ms]) => ms > 0).map(([next, ms]) => setTimeout(show, ms, next));
      return () => timers.forEach(clearTimeout);
    }),
  );
  mounted(watch(() => stage.value === 3_000 && !undeliveredSince.peek() && announcer.status(t("working"))));
  mounted(watch(() => stage.value > 3_000 && part(() => import("./long-wait.tsx"), into(late))));
  return () => {
    const { Words, Offered } = late.value ?? {};
    return [
      !undeliveredSince.value && stage.value > 0 && (
        <div class="waiting" data-row>
          {stage.value < 120_000 && (
            <div class="bubble dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </div>
          )}
          {Words && <Words stage={stage} />}
        </div>
      ),
      // The offer stays when the reply arrives, because the visitor may be typing in it.
      Offered && <Offered stage={stage} />,
    ];
  };
});
