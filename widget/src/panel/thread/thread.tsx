/** The conversation: a scrolling log, with buttons for older messages and back to the newest ones. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { component, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver, isRefused } from "../base/conversation-state.ts";
import { Icon } from "../base/icons.tsx";
import { lazyPart } from "../base/lazy-part.tsx";
import { PrivacyLine } from "../base/privacy.tsx";
import { Greeting } from "./greeting.tsx";
import { Message } from "./message.tsx";
import { followNew } from "./new-line.ts";
import { dayName, type Row, rowsOf } from "./rows.ts";
import { ThreadView } from "./thread-view.ts";

type ThreadNeeds = Needs<"t" | "chat" | "consent" | "isOpen" | "forms" | "asking" | "rating" | "ended" | "settings">;

/** The thread in its box that scrolls. Messages that stay visible for a second are marked as read. */
export const Thread = component((ui: ThreadNeeds, mounted) => {
  const { t, chat } = ui;
  /** Position of the newest message that has been visible. */
  const seenPos = signal(0);
  const { firstNew, isLooking } = followNew(ui, mounted, seenPos);
  const view = new ThreadView(chat, (pos) => {
    if (isLooking.peek() && pos > seenPos.peek()) seenPos.value = pos;
  });
  mounted(() => view.start());
  followMessages(ui, mounted, { view, seenPos, isLooking });
  const hasBegun = computed(() => chat.items.value.length > 0 || chat.draft.value !== "");
  /** Replies below the newest one that was visible. */
  const below = (): number =>
    chat.items.value.filter(({ from, pos = 0 }) => from === "reply" && pos > seenPos.value).length;
  return () => (
    <div class="middle">
      <div
        ref={(node) => {
          view.box = node;
        }}
        class="thread"
        role="log"
        aria-live="off"
        aria-labelledby="title"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
      >
        <div class={chat.items.value.length ? "content" : "content empty"}>
          {view.hasEarlier() ? (
            <button type="button" class="pill older" onClick={view.earlier}>
              {t("older")}
            </button>
          ) : (
            !isOver(ui) && !isRefused(ui) && <Greeting />
          )}
          {messages(ui, view, firstNew.value)}
          {hasBegun.value && <Waiting />}
          {rareRows(ui)}
        </div>
      </div>
      {!view.atEnd.value && <ToNewest count={Math.min(chat.unread.value, below())} jump={view.jump} />}
    </div>
  );
});

/** The messages that are drawn, with the lines between them. */
function messages({ chat }: ThreadNeeds, view: ThreadView, firstNew: string | undefined): VNode {
  const all = chat.items.value;
  const newest = (["visitor", "reply"] as const).map((from) => all.findLast((item) => item.from === from));
  return (
    /* biome-ignore lint/a11y/noRedundantRoles: Safari drops the list role from lists without markers */
    <ol role="list">
      {rowsOf(view.shown(all), firstNew).map((row) =>
        row.kind === "message" ? (
          <Message {...row} newest={newest.includes(row.item)} />
        ) : (
          <Divider key={row.key} row={row} />
        ),
      )}
    </ol>
  );
}

/** The parts below the messages that only some conversations have. */
function rareRows(ui: ThreadNeeds) {
  const { Card, ReplyTime } = ui.forms.value ?? {};
  const { Rate } = ui.rating.value ?? {};
  const { Ended } = ui.ended.value ?? {};
  const { topics, askPerson, suggestions } = ui.settings.value;
  const canWrite = ui.consent.value && !isOver(ui) && !isRefused(ui) && !ui.asking.value;
  const isEmpty = !ui.chat.items.value.length;
  return [
    ReplyTime && <ReplyTime />,
    Card && <Card />,
    Rate && <Rate />,
    Ended && <Ended />,
    canWrite && (askPerson || (isEmpty && (topics[0] || suggestions[0]))) && <Choices />,
    canWrite && isEmpty && <PrivacyLine />,
  ];
}

/** Fetched when the visitor begins to write, so that it is there once a message waits. */
const Waiting = lazyPart(
  async () => (await import("./waiting.tsx")).Waiting,
  () => false,
);

/** What the visitor may choose: a question, a topic, or a person. */
const Choices = lazyPart(
  async () => (await import("./choices.tsx")).Choices,
  () => false,
);

type Following = { view: ThreadView; seenPos: { value: number }; isLooking: ReadonlySignal<boolean> };

/** Keeps the scroll position while the visitor reads, and scrolls to the end when the visitor writes. */
function followMessages(
  { chat, isOpen }: ThreadNeeds,
  mounted: Mounted,
  { view, seenPos, isLooking }: Following,
): void {
  // When the visitor returns to the page, the visible messages count as seen. After a restart of the conversation, none
  // do.
  mounted(
    watch(() => {
      // Run again for each message: in a short thread, a new one does not resize the content.
      chat.items.value;
      if (isLooking.value) requestAnimationFrame(view.sight);
    }),
  );
  mounted(
    watch(() => {
      if (!chat.ready.value) seenPos.value = 0;
    }),
  );
  // Always scroll to the visitor's own new message.
  mounted(watch(() => chat.items.value.at(-1)?.pos === undefined && view.toNewest()));
  mounted(
    watch(() => {
      if (!isOpen.value || !chat.ready.value) return;
      // Preact draws in a microtask, which may be queued behind this one.
      queueMicrotask(() => queueMicrotask(view.toNew));
    }),
  );
}

type DividerNeeds = Needs<"t" | "language" | "now">;

const Divider = component<{ row: Exclude<Row, { kind: "message" }> }>(
  ({ t, language, now }: DividerNeeds) =>
    ({ row }) => {
      const isNew = row.kind === "new";
      const name = isNew ? t("new") : dayName(row.at, now(), language.value.region, t("today"), t("yesterday"));
      return (
        <li class={isNew ? "divider new" : "divider"}>
          <span key={name}>{name}</span>
        </li>
      );
    },
);

const ToNewest = component<{ count: number; jump: () => void }>(({ t }: Needs<"t">) => ({ count, jump }) => (
  <button type="button" class="pill newest" aria-label={count ? undefined : t("newest")} onClick={jump}>
    {count > 0 && <span key={count}>{t("newMessages", { n: count })}</span>}
    <Icon name="down" />
  </button>
));
