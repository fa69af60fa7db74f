/**
 * What stands below the thread while a reply is awaited. Dots mean real work: the service has accepted the message. After
 * ten seconds, the limit of attention, come words, fetched then: `late.tsx`.
 */

import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { into } from "./context.ts";
import type { LateProps } from "./late.tsx";
import { live, watch } from "./live.ts";

/** Milliseconds since the service accepted the message, and what is shown from then on. */
const STAGES = [
  [600, "dots"],
  [3_000, "said"],
  [10_000, "still"],
  [30_000, "slow"],
  [120_000, "none"],
] as const;
export type Stage = (typeof STAGES)[number][1];

export const Waiting = live(({ t, chat, settings, announcer, now, asking, part }, mounted) => {
  const stage = signal<Stage | undefined>(undefined);
  const late = signal<{ Words: ComponentType<LateProps>; Offered: ComponentType<LateProps> } | undefined>(undefined);
  mounted(
    watch(() => {
      const working = chat.working.value;
      stage.value = undefined;
      // People type when they type, and while the site is closed nobody does: without a sign there is nothing to show.
      if (!working || chat.link.value !== "online" || settings.value.responder === "human" || asking.value) return;
      const timers = STAGES.map(([after, name]) =>
        setTimeout(
          () => {
            stage.value = name;
            if (name === "said") announcer.status(t("working"));
            if (name === "still") void part(() => import("./late.tsx"), into(late));
          },
          Math.max(0, working.since + after - now()),
        ),
      );
      return () => timers.forEach(clearTimeout);
    }),
  );
  return () => {
    const { Words, Offered } = late.value ?? {};
    return [
      stage.value && (
        <div class="waiting" data-row>
          {stage.value !== "none" && (
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
