/**
 * What stands below the thread while a reply is awaited. Dots mean real work: the service has accepted the message. After
 * ten seconds, the limit of attention, come words, and then an offer, fetched then: `late.tsx`. The offer comes, without
 * dots and words, to those as well whose message the service could not be given for so long.
 */

import { computed, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { live, watch } from "../base/component.ts";
import { into } from "../base/context.ts";
import type { LateProps } from "./long-wait.tsx";
import { STAGES, type Stage } from "./wait-stages.ts";

/** Dots that came stay so long, below a reply that came just then: as a flash they are a fault of the eye (WIDGET 8.2). */
const DOTS_MS = 500;

export const Waiting = live(({ t, chat, settings, announcer, now, asking, part }, mounted) => {
  const stage = signal<Stage>(0);
  const late = signal<{ Words: ComponentType<LateProps>; Offered: ComponentType<LateProps> } | undefined>(undefined);
  let shown = 0;
  const show = (next: Stage): void => {
    if (!stage.peek()) shown = now();
    stage.value = next;
  };
  /** Since when the newest message waits for a service that cannot be reached. */
  const held = computed(() => {
    const newest = chat.items.value.at(-1);
    return chat.delivery.value === "delayed" && newest?.state === "sent" ? newest.at : undefined;
  });
  mounted(
    watch(() => {
      // People type when they type, and while the site is closed nobody does: without a sign there is nothing to show.
      const since = held.value ?? (settings.value.responder === "human" ? undefined : chat.working.value?.since);
      const isOnline = chat.link.value === "online";
      const waits = since !== undefined && isOnline && !asking.value;
      const answered = isOnline && chat.items.peek().at(-1)?.from === "reply";
      const time = now();
      /** What is shown, and in how long. */
      const steps: [Stage, number][] = waits
        ? STAGES.map((after) => [after, since + after - time])
        : [[0, answered ? shown + DOTS_MS - time : 0]];
      // What went by on an earlier page is not gone through again.
      const gone = steps.findLast(([, ms]) => ms <= 0);
      if (gone || waits) {
        stage.value = 0;
        show(gone?.[0] ?? 0);
      }
      const timers = steps.filter(([, ms]) => ms > 0).map(([next, ms]) => setTimeout(show, ms, next));
      return () => timers.forEach(clearTimeout);
    }),
  );
  mounted(watch(() => stage.value === 3_000 && !held.peek() && announcer.status(t("working"))));
  mounted(watch(() => stage.value > 3_000 && part(() => import("./long-wait.tsx"), into(late))));
  return () => {
    const { Words, Offered } = late.value ?? {};
    return [
      !held.value && stage.value > 0 && (
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
      // Stays when the reply comes meanwhile: somebody may be writing in it.
      Offered && <Offered stage={stage} />,
    ];
  };
});
