/** Reports events of the conversation to the page and to screen readers. */

import { effect } from "@preact/signals-core";
import type { Item } from "../../conversation/chat.ts";
import { pageDocument } from "../../loader/document.ts";
import { plainText } from "../../text/plain-text.ts";
import { authorOf, wordsOf } from "../base/author.ts";
import type { Needs } from "../base/context.ts";

type AlertNeeds = Needs<
  "t" | "language" | "settings" | "chat" | "consent" | "shell" | "isOpen" | "announcer" | "sound" | "part"
>;

const eventDetail = ({ id, text, at }: Item) => ({ id, text, at });

/** Shows the beginning of a reply to a visitor who does not see the thread. */
const showPreview = (ui: AlertNeeds, item: Item): Promise<void> =>
  ui.part(
    () => import("./reply-preview.ts"),
    async ({ preview }) => preview(ui, item, await plainText(wordsOf(ui, item))),
  );

/** Follows the conversation's events until it is stopped. @returns a function that stops it */
export function startReplyAlerts(ui: AlertNeeds): () => void {
  const { chat, shell, announcer, t, isOpen } = ui;
  let failedBefore = new Set<string>();
  let unread = 0;
  let attention: Promise<() => void> | undefined;
  const many = (n: number): string => t("newMessages", { n });
  const stops = [
    chat.on("message", (item) => {
      shell.emit("message", eventDetail(item));
      if (isOpen.peek())
        void plainText(wordsOf(ui, item)).then((text) =>
          announcer.message(t("said", { author: authorOf(ui, item), text }), t("continues"), many),
        );
      else if (ui.settings.peek().replyPreview) void showPreview(ui, item);
      if (pageDocument.hidden)
        attention ??= import("./attention.ts").then(({ startAttention }) => startAttention(ui, item));
    }),
    chat.on("sent", (item) => {
      shell.emit("sent", eventDetail(item));
      if (isOpen.peek()) announcer.status(t("sentNow"));
    }),
    chat.on("unread", (count) => {
      shell.emit("unread", count);
      if (!isOpen.peek() && count > unread) announcer.status(many(count));
      unread = count;
    }),
    chat.on("identify", () => shell.emit("identify")),
    chat.on("error", ({ code }) => shell.emit("error", { code })),
    effect(() => {
      const failed = chat.items.value.filter((item) => item.state === "failed").map((item) => item.id);
      if (isOpen.peek() && failed.some((id) => !failedBefore.has(id))) announcer.alert(t("failedNow"));
      failedBefore = new Set(failed);
    }),
    effect(() => {
      if (chat.notice.value?.code === "rate_limited" && isOpen.peek()) announcer.status(t("often"));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    void attention?.then((stop) => stop());
  };
}
