/** One thin line when the connection is not what it should be, and only when that lasts. */

import { computed, signal } from "@preact/signals-core";
import type { Key } from "../i18n.ts";
import type { Ui } from "./context.ts";
import { live, watch } from "./live.ts";

/** Milliseconds that a gap may last before it is worth a word. */
const PATIENCE_MS = 3_000;

const ENDED = {
  badToken: "endedToken",
  notAllowed: "endedNotAllowed",
  gone: "endedGone",
  version: "endedVersion",
  normal: "endedGone",
} as const satisfies Record<string, Key>;

function troubleOf({ chat }: Ui): Key | undefined {
  const link = chat.link.value;
  if (link === "ended") return ENDED[chat.ending.value ?? "gone"];
  if (link === "offline") return "offline";
  if (link === "connecting" || link === "waiting") return "connecting";
  return chat.delivery.value === "delayed" ? "delayed" : undefined;
}

export const Bar = live((ui, mounted) => {
  const { t, announcer } = ui;
  const trouble = computed(() => troubleOf(ui));
  const shown = signal<Key | undefined>(undefined);
  mounted(
    watch(() => {
      const text = trouble.value;
      const before = shown.peek();
      const show = (): void => {
        shown.value = text;
        if (text) announcer.status(t(text));
        else if (before === "offline" || before === "connecting") announcer.status(t("online"));
      };
      if (text !== "connecting" || before) return show();
      const timer = setTimeout(show, PATIENCE_MS);
      return () => clearTimeout(timer);
    }),
  );
  return () => {
    const text = shown.value;
    return (
      text && (
        <div class="bar">
          <span key={text}>{t(text)}</span>
          {text === "endedVersion" && (
            <button type="button" class="link" onClick={() => location.reload()}>
              {t("reload")}
            </button>
          )}
        </div>
      )
    );
  };
});
