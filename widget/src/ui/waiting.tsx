/**
 * What stands below the thread while a reply is awaited. Dots mean real work: the service has accepted the message. After
 * ten seconds, the limit of attention, come words; after two minutes the truth.
 */

import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { into } from "./context.ts";
import { live, watch } from "./live.ts";

/** Milliseconds since the service accepted the message, and what is shown from then on. */
const STAGES = [
  [600, "dots"],
  [3_000, "said"],
  [10_000, "still"],
  [30_000, "slow"],
  [120_000, "none"],
] as const;
type Stage = (typeof STAGES)[number][1];

const SAID = { said: "working", still: "stillWorking", slow: "slow", none: "noReply" } as const;

export const Waiting = live(({ t, chat, settings, announcer, now, send, focusComposer, part }, mounted) => {
  const stage = signal<Stage | undefined>(undefined);
  /** Stays when the reply comes meanwhile: somebody may be writing in it. */
  const offer = signal<{ Offer: ComponentType } | undefined>(undefined);
  mounted(
    watch(() => {
      const working = chat.working.value;
      stage.value = undefined;
      // People type when they type: without a sign from them there is nothing to show.
      if (!working || chat.link.value !== "online" || settings.value.responder === "human") return;
      const timers = STAGES.map(([after, name]) =>
        setTimeout(
          () => {
            stage.value = name;
            // Three times are enough for the ear; that nothing came is left to be read.
            if (name !== "dots" && name !== "none") announcer.status(t(SAID[name]));
            if (name === "slow" && settings.peek().emailOffer) void leaveEmail();
          },
          Math.max(0, working.since + after - now()),
        ),
      );
      return () => timers.forEach(clearTimeout);
    }),
  );
  const leaveEmail = (): Promise<void> => part(() => import("./forms.tsx"), into(offer));
  const askAgain = (): void => {
    send(chat.items.peek().findLast((item) => item.from === "visitor")?.text ?? "");
    focusComposer();
  };
  return () => {
    const shown = stage.value;
    const { Offer } = offer.value ?? {};
    return [
      shown && (
        <div class="waiting" data-row>
          {shown !== "none" && (
            <div class="bubble dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </div>
          )}
          {shown !== "dots" && shown !== "said" && (
            <p key={shown} class="meta">
              {t(SAID[shown])}
            </p>
          )}
          {shown === "none" && (
            <button type="button" class="link" onClick={askAgain}>
              {t("askAgain")}
            </button>
          )}
        </div>
      ),
      Offer && <Offer />,
    ];
  };
});
