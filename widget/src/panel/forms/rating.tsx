/**
 * Asks once, in the thread, for a rating when the conversation seems over: the visitor closed the chat after reading the newest
 * reply, or did nothing for ten minutes after it (WIDGET 8.5). Fetched only if the site uses ratings.
 */

import { COMMENT_MAX } from "@porchlight/shared/limits";
import { computed, type Signal, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./rating.css?inline";
import { SCORES } from "./scores.ts";

addEnglish(rare);

/** Milliseconds without activity after which a conversation seems over. */
const IDLE_MS = 10 * 60_000;

const OUTLINE = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z";
const FACE = `${OUTLINE}M9 10v.01M15 10v.01`;
/** The worst face also has angry brows, and the best one laughing eyes, because small mouths alone look alike. */
const FACES: { readonly [label: string]: string } = {
  rateAwful: `${OUTLINE}M9 11.2v.01M15 11.2v.01M7.2 7.6l2.7 1.2M16.8 7.6l-2.7 1.2M8.3 17a4.4 4.4 0 0 1 7.4 0`,
  rateBad: `${FACE}M8.5 16.2a5.5 5.5 0 0 1 7 0`,
  rateFair: `${FACE}M8.5 15.2h7`,
  rateGood: `${FACE}M8.5 14.6a5.5 5.5 0 0 0 7 0`,
  rateGreat: `${OUTLINE}M7.5 10.3a1.7 1.7 0 0 1 3 0M13.5 10.3a1.7 1.7 0 0 1 3 0M7.5 13.5h9a4.5 4.5 0 0 1-9 0Z`,
};
const Face = ({ label }: { label: string }): VNode => (
  <svg viewBox="0 0 24 24" aria-hidden="true" class="icon">
    <path d={FACES[label]} />
  </svg>
);

/** Whether the conversation seems over. */
function followEnd({ chat, isOpen, now }: Needs<"chat" | "isOpen" | "now">, mounted: Mounted): () => boolean {
  /** Id of the newest reply when the conversation last seemed over. */
  const endedAfter = signal<string | undefined>(undefined);
  const newest = computed(() => {
    const item = chat.items.value.at(-1);
    return item?.from === "reply" ? item : undefined;
  });
  let typed = chat.draft.peek();
  let typedAt = 0;
  mounted(
    watch(() => {
      // A visitor who closes the chat with unread messages has not finished the conversation.
      if (!isOpen.value && chat.ready.value && !chat.unread.value) endedAfter.value = newest.value?.id;
    }),
  );
  mounted(
    watch(() => {
      if (chat.draft.value !== typed) typedAt = now();
      typed = chat.draft.value;
      const item = newest.value;
      if (!item) return;
      const wait = Math.max(0, Math.max(item.at, typedAt) + IDLE_MS - now());
      const timer = setTimeout(() => {
        endedAfter.value = item.id;
      }, wait);
      return () => clearTimeout(timer);
    }),
  );
  return () => newest.value !== undefined && newest.value.id === endedAfter.value;
}

type RateNeeds = Needs<"t" | "settings" | "chat" | "shell" | "isOpen" | "focusComposer" | "announcer" | "now">;

type State = {
  ui: RateNeeds;
  stage: Signal<"asking" | "sending" | "thanks" | "declined">;
  /** The chosen score, from 1. */
  chosen: Signal<number | undefined>;
  /** Whether the relay has refused the rating. */
  problem: Signal<boolean>;
};

const scaleOf = ({ settings }: Needs<"settings">): 2 | 5 => (settings.value.rating === "two" ? 2 : 5);

async function submit({ ui, stage, chosen, problem }: State, form: HTMLFormElement): Promise<void> {
  const score = chosen.peek();
  if (score === undefined || stage.peek() === "sending") return;
  stage.value = "sending";
  const comment = String(new FormData(form).get("comment") ?? "").trim();
  const frame = { t: "rate", score, of: scaleOf(ui), ...(comment && { comment }) } as const;
  problem.value = Boolean(await ui.chat.submit(frame));
  stage.value = problem.peek() ? "asking" : "thanks";
  if (problem.peek()) return;
  ui.announcer.status(ui.t("rateThanks"));
  ui.focusComposer();
}

function decline({ ui, stage }: State): void {
  stage.value = "declined";
  void ui.chat.submit({ t: "rate", of: scaleOf(ui) });
  ui.focusComposer();
}

/** Shows the form with the scores, and thanks once it is sent. Shows nothing while the conversation goes on, or when it was declined. */
export const Rate = component((ui: RateNeeds, mounted) => {
  const { t, chat, settings, announcer, shell, isOpen } = ui;
  const isOver = followEnd(ui, mounted);
  const state: State = { ui, stage: signal("asking"), chosen: signal(undefined), problem: signal(false) };
  const { stage } = state;
  const asks = computed(
    () => settings.value.rating !== "off" && stage.value !== "declined" && !chat.rating.value && isOver(),
  );
  mounted(() => adopt(shell.root, css));
  mounted(watch(() => asks.value && isOpen.value && announcer.status(t("rateAsk"))));
  return () => {
    if (stage.value === "thanks")
      return (
        isOver() && (
          <p class="rate" ref={reveal}>
            {t("rateThanks")}
          </p>
        )
      );
    return (
      asks.value && (
        <form
          class="rate"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(state, event.currentTarget);
          }}
        >
          <h3 id="rate-ask">{t("rateAsk")}</h3>
          {scores(state)}
          {state.chosen.value !== undefined && comment(state)}
          {state.problem.value && (
            <p class="over" role="alert">
              {t("tryLater")}
            </p>
          )}
          {buttons(state)}
        </form>
      )
    );
  };
});

/** The scores, each with a face and a label. Not a component, like `comment` and `buttons`: `Rate` subscribes to what they read. */
const scores = ({ ui, chosen }: State): VNode => (
  <div class="scores" role="radiogroup" aria-labelledby="rate-ask">
    {SCORES[scaleOf(ui)].map((label, at) => (
      <label key={label}>
        <input
          type="radio"
          name="score"
          class="vh"
          value={at + 1}
          checked={chosen.value === at + 1}
          onChange={() => {
            chosen.value = at + 1;
          }}
        />
        <Face label={label} />
        <span>{ui.t(label)}</span>
      </label>
    ))}
  </div>
);

/** Scrolls an element into view that appeared after the visitor's choice. */
const reveal = (added: Element | null): void => added?.scrollIntoView({ block: "nearest" });

const comment = ({ ui: { t } }: State): VNode => (
  <>
    <label class="why" for="rate-why">
      {`${t("rateWhy")} (${t("optional")})`}
    </label>
    <textarea id="rate-why" name="comment" rows={2} maxLength={COMMENT_MAX} />
  </>
);

const buttons = (state: State): VNode => (
  <div class="buttons">
    {state.chosen.value !== undefined && (
      <button type="submit" class="primary" ref={reveal} aria-disabled={state.stage.value === "sending"}>
        {state.ui.t("rateSend")}
      </button>
    )}
    <button type="button" class="link" onClick={() => decline(state)}>
      {state.ui.t("skip")}
    </button>
  </div>
);
