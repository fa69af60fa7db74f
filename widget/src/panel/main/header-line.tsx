/**
 * The line under the title in each state of the conversation. It never promises an answer that cannot come. Fetched when
 * another line than the usual one may be needed.
 */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { authorOf, replyAuthorKind } from "../base/author.ts";
import { component, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver, isRefused } from "../base/conversation-state.ts";
import { HEADER_WORDS, type HeaderState } from "../base/header-words.ts";

addEnglish(rare);

/** Milliseconds that a state must last before the header says so. */
const LASTS_MS = { connecting: 3_000, noReply: 120_000 };

type LineState = Exclude<HeaderState, "closed">;
type StateNeeds = Needs<"chat" | "settings" | "now">;

/** The current state, and the milliseconds until the header shows it. Never `closed`: only the usual line knows that state. */
function stateOf({ chat, settings, now }: StateNeeds): [state: LineState, ms: number] {
  const link = chat.link.value;
  if (isRefused({ chat })) return ["notAllowed", 0];
  if (link === "ended" || isOver({ chat })) return ["ended", 0];
  if (link === "offline") return ["offline", 0];
  if (link === "waiting") return ["connecting", 0];
  if (link === "connecting") return ["connecting", LASTS_MS.connecting];
  if (chat.delivery.value === "delayed") return ["delayed", 0];
  const since = settings.value.responder === "human" ? undefined : chat.working.value?.since;
  return since === undefined ? ["ready", 0] : ["noReply", Math.max(0, since + LASTS_MS.noReply - now())];
}

function followState(ui: StateNeeds, mounted: Mounted): ReadonlySignal<LineState> {
  const { link, working } = ui.chat;
  // Without a question that waits for its answer, this code was fetched because the connection failed.
  const state = signal<LineState>(link.peek() === "connecting" && !working.peek() ? "connecting" : "ready");
  mounted(
    watch(() => {
      const [next, ms] = stateOf(ui);
      const show = (): void => {
        state.value = next;
      };
      // A new question has the usual time for its answer.
      if (ms > 0 && next === "noReply") state.value = "ready";
      const timer = ms > 0 ? setTimeout(show, ms) : undefined;
      if (ms === 0) show();
      return () => clearTimeout(timer);
    }),
  );
  return state;
}

/** The end of a sentence. In the thread the same words are a sentence; in the header they are not. */
const FULL_STOP = /[.。।።။۔]$/;

/** `usual`: the line without problems; absent if the default line is used. */
export type HeaderLineProps = { usual: ComponentType | undefined };

/** The line. It shows `usual` in the state `ready`, and the words of the table in all others. */
export const HeaderLine = component<HeaderLineProps>((ui: Needs<"t" | "settings" | "chat" | "now">, mounted) => {
  const { t, settings } = ui;
  const state = followState(ui, mounted);
  return ({ usual: Usual }) => {
    const words = HEADER_WORDS[state.value];
    const isReady = state.value === "ready";
    if (isReady && Usual) return <Usual />;
    // Promise no answer time before the opening hours are known.
    const isUsual = isReady && !settings.value.hours.timeZone;
    const about = words && `${authorOf(ui)}\u00a0· ${t(words).replace(FULL_STOP, "")}`;
    const line = about ?? (isUsual ? t(`status${replyAuthorKind(ui)}`) : authorOf(ui));
    return <span key={line}>{line}</span>;
  };
});
