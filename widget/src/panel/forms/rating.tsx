/**
 * How was it? Asked in the thread, once, when the conversation seems over: the visitor had closed the chat on the newest
 * reply, or nothing has happened for ten minutes since (WIDGET 8.5). Fetched where the site asks for it.
 */

import { COMMENT_MAX } from "@porchlight/shared/limits";
import { computed, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { live, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./rating.css?inline";
import { SCORES } from "./scores.ts";

addEnglish(rare);

/** Milliseconds without a word after which a conversation seems over. */
const IDLE_MS = 10 * 60_000;

const FACE = "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM9 9.8v.01M15 9.8v.01M";
const FACES: { readonly [label: string]: string } = {
  rateAwful: `${FACE}8 16.8a4.4 4.4 0 0 1 8 0`,
  rateBad: `${FACE}8.8 16a5.5 5.5 0 0 1 6.4 0`,
  rateFair: `${FACE}8.8 15h6.4`,
  rateGood: `${FACE}8.8 14.4a5.5 5.5 0 0 0 6.4 0`,
  rateGreat: `${FACE}8 13.5h8a4 4 0 0 1-8 0Z`,
};
const Face = ({ label }: { label: string }): VNode => (
  <svg viewBox="0 0 24 24" aria-hidden="true" class="icon">
    <path d={FACES[label]} />
  </svg>
);

/** Whether the conversation seems over. */
function followEnd({ chat, isOpen, now }: Needs<"chat" | "isOpen" | "now">, mounted: Mounted): () => boolean {
  /** The reply on which it ended. */
  const last = signal<string | undefined>(undefined);
  const newest = computed(() => {
    const item = chat.items.value.at(-1);
    return item?.from === "reply" ? item : undefined;
  });
  let typed = chat.draft.peek();
  let typedAt = 0;
  mounted(
    watch(() => {
      // Whoever left with something unread has not closed the conversation, only the window.
      if (!isOpen.value && chat.ready.value && !chat.unread.value) last.value = newest.value?.id;
    }),
  );
  mounted(
    watch(() => {
      if (chat.draft.value !== typed) typedAt = now();
      typed = chat.draft.value;
      const item = newest.value;
      if (!item) return;
      const timer = setTimeout(
        () => {
          last.value = item.id;
        },
        Math.max(0, Math.max(item.at, typedAt) + IDLE_MS - now()),
      );
      return () => clearTimeout(timer);
    }),
  );
  return () => newest.value !== undefined && newest.value.id === last.value;
}
type RateNeeds = Needs<"t" | "settings" | "chat" | "shell" | "isOpen" | "focusComposer" | "announcer" | "now">;

export const Rate = live((ui: RateNeeds, mounted) => {
  const { t, chat, settings, announcer, focusComposer, shell } = ui;
  const isOver = followEnd(ui, mounted);
  const chosen = signal<number | undefined>(undefined);
  const state = signal<"asking" | "sending" | "thanks" | "declined">("asking");
  const problem = signal(false);
  const scale = (): 2 | 5 => (settings.value.rating === "two" ? 2 : 5);
  const asks = computed(
    () => settings.value.rating !== "off" && state.value !== "declined" && !chat.rating.value && isOver(),
  );
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const score = chosen.peek();
    if (score === undefined || state.peek() === "sending") return;
    state.value = "sending";
    const comment = String(new FormData(form).get("comment") ?? "").trim();
    problem.value = Boolean(await chat.submit({ t: "rate", score, of: scale(), ...(comment && { comment }) }));
    state.value = problem.peek() ? "asking" : "thanks";
    if (problem.peek()) return;
    announcer.status(t("saved"));
    focusComposer();
  };
  const decline = (): void => {
    state.value = "declined";
    void chat.submit({ t: "rate", of: scale() });
    focusComposer();
  };
  mounted(() => adopt(shell.root, css));
  mounted(watch(() => asks.value && ui.isOpen.value && announcer.status(t("rateAsk"))));
  return () => {
    if (state.value === "thanks") return isOver() && <p class="rate">{t("saved")}</p>;
    if (!asks.value) return null;
    return (
      <form
        class="rate"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <h3 id="rate-ask">{t("rateAsk")}</h3>
        <div class="scores" role="radiogroup" aria-labelledby="rate-ask">
          {SCORES[scale()].map((label, at) => (
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
              <span>{t(label)}</span>
            </label>
          ))}
        </div>
        {chosen.value !== undefined && (
          <>
            <label class="why" for="rate-why">
              {`${t("rateWhy")} (${t("optional")})`}
            </label>
            <textarea id="rate-why" name="comment" rows={2} maxLength={COMMENT_MAX} />
          </>
        )}
        {problem.value && (
          <p class="over" role="alert">
            {t("tryLater")}
          </p>
        )}
        <div class="buttons">
          {chosen.value !== undefined && (
            <button type="submit" class="primary" aria-disabled={state.value === "sending"}>
              {t("rateSend")}
            </button>
          )}
          <button type="button" class="link" onClick={decline}>
            {t("skip")}
          </button>
        </div>
      </form>
    );
  };
});
