/** Texts for a reply that takes long; after two minutes it says that none came. Fetched after ten seconds of waiting. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { into } from "../base/late-parts.ts";
import type { OfferProps } from "../forms/forms.tsx";
import type { WaitStage } from "./wait-stages.ts";

addEnglish(rare);

const WORDS = { 10000: "stillWorking", 30000: "slow", 120000: "noReply" } as const;

export type LateProps = { stage: ReadonlySignal<WaitStage> };
const wordsOf = ({ stage }: LateProps) => WORDS[stage.value as keyof typeof WORDS];

type WordsNeeds = Needs<"t" | "chat" | "focusComposer" | "announcer">;

/** Shown below the dots, and in their place when no reply came. */
export const Words = component<LateProps>(({ t, chat, announcer, focusComposer }: WordsNeeds, mounted, props) => {
  mounted(
    watch(() => {
      const words = wordsOf(props);
      // Screen readers hear at most three announcements: that of `Waiting`, and two of these. `noReply` is only shown.
      if (words && words !== "noReply") announcer.status(t(words));
    }),
  );
  /** Puts the question back into the composer, to send or reword it. Keeps a draft that was begun meanwhile. */
  const askAgain = (): void => {
    chat.draft.value ||= chat.items.peek().findLast((item) => item.from === "visitor")?.text ?? "";
    focusComposer();
  };
  return () => {
    const words = wordsOf(props);
    return (
      words && (
        <p key={words} class="meta">
          <span>{t(words)}</span>
          {words === "noReply" && (
            <button type="button" class="link" onClick={askAgain}>
              {t("askAgain")}
            </button>
          )}
        </p>
      )
    );
  };
});

type OfferedNeeds = Needs<"settings" | "chat" | "part">;

/** Offers an answer by email after half a minute, if the site wants it. */
export const Offered = component<LateProps>(({ chat, settings, part }: OfferedNeeds, mounted, { stage }) => {
  const offer = signal<{ Offer: ComponentType<OfferProps> } | undefined>(undefined);
  mounted(
    watch(() => {
      // The conversation ended. The next visitor has not waited yet.
      if (!chat.ready.value) offer.value = undefined;
      else if (stage.value >= 30_000 && settings.peek().emailOffer && !offer.peek())
        void part(() => import("../forms/forms.tsx"), into(offer));
    }),
  );
  return () => {
    const { Offer } = offer.value ?? {};
    return Offer && <Offer again={stage.value === 120_000} />;
  };
});
