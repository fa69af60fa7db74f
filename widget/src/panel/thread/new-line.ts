/** The line above what is new, and what the chat is told was seen. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { browserPage } from "../../conversation/page.ts";
import { type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";

/** Milliseconds that a message must be visible to count as read. */
const SEEN_MS = 1_000;

/**
 * The id of the message that the "New" line stands above: set when the visitor comes to unread messages, kept while he is
 * there, although they have been seen by then. And whether he looks at the thread. Also tells the chat what was seen.
 */
export function followNew(
  { chat, isOpen }: Needs<"chat" | "isOpen">,
  mounted: Mounted,
  sighted: ReadonlySignal<number>,
) {
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
