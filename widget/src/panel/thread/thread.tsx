/** The conversation: a scrolling log, with buttons for older messages and back to the newest ones. */

import { PAGE } from "@porchlight/shared/limits";
import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { browserPage } from "../../conversation/page.ts";
import { live, type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver, isRefused } from "../base/conversation-state.ts";
import { Icon } from "../base/icons.tsx";
import { Greeting, PrivacyLine, Suggestions } from "./empty-thread.tsx";
import { Message } from "./message.tsx";
import { dayName, type Row, rowsOf } from "./rows.ts";
import { createScroller, type Scroller } from "./scroll.ts";
import { Waiting } from "./waiting.tsx";

/** Milliseconds that a message must be visible to count as read. */
const SEEN_MS = 1_000;
/** Most messages drawn at a time; a longer thread is shown in part, around where the visitor reads. */
const SPAN_MAX = 280;
/** Messages drawn, and how many newer ones are not. */
type Span = { count: number; after: number };
const NEWEST: Span = { count: 2 * PAGE, after: 0 };
type ThreadNeeds = Needs<"t" | "chat" | "consent" | "isOpen" | "forms" | "asking" | "rating" | "ended">;

export const Thread = live((ui: ThreadNeeds, mounted) => {
  const { t, chat } = ui;
  const atEnd = signal(true);
  const span = signal(NEWEST);
  /** Place of the newest message that has been in sight. */
  const sighted = signal(0);
  const { firstNew, isLooking } = followNew(ui, mounted, sighted);
  let box: HTMLElement | null = null;
  let scroller: Scroller | undefined;

  const hasEarlier = (): boolean => chat.older.value || chat.items.value.length - span.value.after > span.value.count;
  const show = (part: Span): void => {
    span.value = part;
    // Preact draws in a microtask that stands in line already.
    queueMicrotask(() => scroller?.settle());
  };
  const earlier = (): void => {
    const { count, after } = span.peek();
    if (chat.items.peek().length - after <= count + PAGE) chat.loadOlder();
    const cut = Math.max(0, count + PAGE - SPAN_MAX);
    show({ count: count + PAGE - cut, after: after + cut });
  };
  const near = (edge: "start" | "end"): void => {
    const { count, after } = span.peek();
    // Who walks to the button by keyboard comes to the top by that, and presses it if he wants it.
    if (edge === "start") hasEarlier() && !box?.querySelector(".older:focus-visible") && earlier();
    else if (after > 0) show({ count, after: Math.max(0, after - PAGE) });
  };
  const toNewest = (): void => {
    span.value = NEWEST;
    scroller?.toEnd();
  };
  const jump = (): void => {
    toNewest();
    box?.focus({ preventScroll: true });
  };
  mounted(() => {
    if (!box?.firstElementChild) return;
    const end = (value: boolean): void => {
      atEnd.value = value && span.peek().after === 0;
    };
    scroller = createScroller(box, box.firstElementChild, near, end, sight);
    return scroller.stop;
  });
  const sight = (): void => {
    const pos = Number(scroller?.lastInSight()?.dataset.row);
    if (isLooking.peek() && pos > sighted.peek()) sighted.value = pos;
  };
  // Whoever comes back to the page looks at what is there; nobody has seen anything of a conversation that began anew.
  mounted(
    watch(() => {
      // A short thread has its box's height, whatever comes.
      chat.items.value;
      if (isLooking.value) requestAnimationFrame(sight);
    }),
  );
  mounted(
    watch(() => {
      if (!chat.ready.value) sighted.value = 0;
    }),
  );
  /** Replies below the newest one that was visible. */
  const below = (): number =>
    chat.items.value.filter(({ from, pos = 0 }) => from === "reply" && pos > sighted.value).length;
  // Always scroll to the visitor's own new message.
  mounted(watch(() => chat.items.value.at(-1)?.pos === undefined && toNewest()));
  mounted(
    watch(() => {
      if (!ui.isOpen.value || !chat.ready.value) return;
      // Preact draws in a microtask, which may stand in line behind this one.
      queueMicrotask(() =>
        queueMicrotask(() => {
          const line = box?.querySelector(".new");
          if (line) scroller?.toElement(line);
          else toNewest();
        }),
      );
    }),
  );

  return () => {
    const { count, after } = span.value;
    const all = chat.items.value;
    const { Card, ReplyTime } = ui.forms.value ?? {};
    const { Rate } = ui.rating.value ?? {};
    const { Ended } = ui.ended.value ?? {};
    const over = isOver(ui);
    const end = all.length - after;
    const newest = (["visitor", "reply"] as const).map((from) => all.findLast((item) => item.from === from));
    return (
      <div class="middle">
        <div
          ref={(node) => {
            box = node;
          }}
          class="thread"
          role="log"
          aria-live="off"
          aria-labelledby="title"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
          tabIndex={0}
        >
          <div class={all.length ? "content" : "content empty"}>
            {hasEarlier() ? (
              <button type="button" class="pill older" onClick={earlier}>
                {t("older")}
              </button>
            ) : (
              !over && !isRefused(ui) && <Greeting />
            )}
            {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the list role from lists without markers */}
            <ol role="list">
              {rowsOf(all.slice(Math.max(0, end - count), end), firstNew.value).map((row) =>
                row.kind === "message" ? (
                  <Message {...row} newest={newest.includes(row.item)} />
                ) : (
                  <Divider key={row.key} row={row} />
                ),
              )}
            </ol>
            <Waiting />
            {ReplyTime && <ReplyTime />}
            {Card && <Card />}
            {Rate && <Rate />}
            {Ended && <Ended />}
            {!all.length &&
              !over &&
              !isRefused(ui) &&
              !ui.asking.value && [ui.consent.value && <Suggestions />, <PrivacyLine />]}
          </div>
        </div>
        {!atEnd.value && <ToNewest count={Math.min(chat.unread.value, below())} jump={jump} />}
      </div>
    );
  };
});
type DividerNeeds = Needs<"t" | "language" | "now">;

const Divider = live<{ row: Exclude<Row, { kind: "message" }> }>(({ t, language, now }: DividerNeeds) => ({ row }) => {
  const isNew = row.kind === "new";
  const name = isNew ? t("new") : dayName(row.at, now(), language.value.region, t("today"), t("yesterday"));
  return (
    <li class={isNew ? "divider new" : "divider"}>
      <span key={name}>{name}</span>
    </li>
  );
});

const ToNewest = live<{ count: number; jump: () => void }>(({ t }: Needs<"t">) => ({ count, jump }) => (
  <button type="button" class="pill newest" aria-label={count ? undefined : t("newest")} onClick={jump}>
    {count > 0 && <span key={count}>{t("newMessages", { n: count })}</span>}
    <Icon name="down" />
  </button>
));

/**
 * The id of the message that the "New" line stands above: set when the visitor comes to unread messages, kept while he is
 * there, although they have been seen by then. And whether he looks at the thread. Also tells the chat what was seen.
 */
function followNew({ chat, isOpen }: Needs<"chat" | "isOpen">, mounted: Mounted, sighted: ReadonlySignal<number>) {
  const firstNew = signal<string | undefined>(undefined);
  const visible = signal(browserPage.visible());
  const isLooking = computed(() => isOpen.value && visible.value);
  mounted(() =>
    browserPage.on("visibilitychange", () => {
      visible.value = browserPage.visible();
    }),
  );
  /** There when the messages were: who opens the chat while they are on their way comes to the same line. */
  let there: boolean | undefined;
  mounted(
    watch(() => {
      if (!there) firstNew.value = chat.firstUnread.value;
      there = isLooking.value && chat.ready.value;
    }),
  );
  /** One timer for each message, so that the next message does not delay the read mark of this one. */
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const forget = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  };
  mounted(() => forget);
  mounted(
    watch(() => {
      const pos = sighted.value;
      if (!isLooking.value) forget();
      else if (pos && chat.unread.value) timers.add(setTimeout(chat.seen, SEEN_MS, pos));
    }),
  );
  return { firstNew, isLooking };
}
