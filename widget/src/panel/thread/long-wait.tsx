/** Words for a reply that takes long, and after two minutes the truth. Fetched when one has taken ten seconds. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { live, watch } from "../base/component.ts";
import { into } from "../base/context.ts";
import type { OfferProps } from "../forms/forms.tsx";
import type { Stage } from "./wait-stages.ts";

addEnglish(rare);

const WORDS = { 10000: "stillWorking", 30000: "slow", 120000: "noReply" } as const;

export type LateProps = { stage: ReadonlySignal<Stage> };
const wordsOf = ({ stage }: LateProps) => WORDS[stage.value as keyof typeof WORDS];

/** Below the dots, and in their place when nothing came. */
export const Words = live<LateProps>(({ t, chat, announcer, focusComposer }, mounted, given) => {
  mounted(
    watch(() => {
      const words = wordsOf(given);
      // With the first, said by the dots, three are enough for the ear; that nothing came is left to be read.
      if (words && words !== "noReply") announcer.status(t(words));
    }),
  );
  /** The question stands ready to be sent, or asked in other words; what was begun meanwhile is left alone. */
  const askAgain = (): void => {
    chat.draft.value ||= chat.items.peek().findLast((item) => item.from === "visitor")?.text ?? "";
    focusComposer();
  };
  return () => {
    const words = wordsOf(given);
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

/** The way to an answer without waiting, where the site wants it: from half a minute on. */
export const Offered = live<LateProps>(({ chat, settings, part }, mounted, { stage }) => {
  const offer = signal<{ Offer: ComponentType<OfferProps> } | undefined>(undefined);
  mounted(
    watch(() => {
      // Who was offered it has left: whoever comes next has not waited yet.
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
