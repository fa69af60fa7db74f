/** The line above new messages, and which messages count as read. */

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { browserPage } from "../../conversation/page.ts";
import { type Mounted, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";

/** Milliseconds that a message must be visible to count as read. */
const SEEN_MS = 1_000;

/**
 * Follows which messages are new, and marks visible ones as read.
 * @param seenPos position of the newest message that has been visible
 * @returns `firstNew`: id of the message below the "New" line. It is set when the visitor comes to unread messages, and stays
 *   while the visitor looks at the thread, even after these messages are read. `isLooking`: whether the visitor looks at
 *   the thread.
 */
export function followNew(
  { chat, isOpen }: Needs<"chat" | "isOpen">,
  mounted: Mounted,
  seenPos: ReadonlySignal<number>,
) {
  const firstNew = signal<string | undefined>(undefined);
  const visible = signal(browserPage.visible());
  const isLooking = computed(() => isOpen.value && visible.value);
  mounted(() =>
    browserPage.on("visibilitychange", () => {
      visible.value = browserPage.visible();
    }),
  );
  /**
   * Whether the visitor was already looking at the loaded messages. A visitor who opens the chat before they are loaded also
   * gets the line.
   */
  let wasLooking: boolean | undefined;
  mounted(
    watch(() => {
      if (!wasLooking) firstNew.value = chat.firstUnread.value;
      wasLooking = isLooking.value && chat.ready.value;
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
      const pos = seenPos.value;
      if (!isLooking.value) forget();
      else if (pos && chat.unread.value) timers.add(setTimeout(chat.markRead, SEEN_MS, pos));
    }),
  );
  return { firstNew, isLooking };
}
