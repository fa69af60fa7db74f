/** A thin bar that appears when a connection problem lasts. */

import { computed, signal } from "@preact/signals-core";
import type { Key } from "../../locales/en.types.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { tryAgain } from "../base/late-parts.ts";

/** Milliseconds of connecting before the bar says so. It shows other problems at once. */
const SHOW_AFTER_MS = 3_000;

function problemOf(ui: Needs<"chat" | "missing">): Key | undefined {
  const { chat, missing } = ui;
  const link = chat.link.value;
  // Checked before missing code, because being offline is the reason, and a retry would fail.
  if (link === "offline") return "offline";
  if (missing.value[0]) return "tryLater";
  if (link === "connecting" || link === "waiting") return "connecting";
  return chat.delivery.value === "delayed" ? "delayed" : undefined;
}

/** The bar; empty without a problem. Every text that it shows is announced once. */
export const ConnectionBar = component(
  (ui: Needs<"t" | "chat" | "focusComposer" | "announcer" | "missing">, mounted) => {
    const { t, chat, announcer } = ui;
    const problem = computed(() => problemOf(ui));
    const shown = signal<Key | undefined>(undefined);
    mounted(
      watch(() => {
        const text = problem.value;
        const before = shown.peek();
        const show = (): void => {
          shown.value = text;
          if (text) announcer.status(t(text));
          else if (before === "offline" || before === "connecting") announcer.status(t("online"));
        };
        // A retry without a network fails within milliseconds: until then, the text stays.
        if (text === before) return;
        if (text !== "connecting" || (before && before !== "offline")) return show();
        const timer = setTimeout(show, SHOW_AFTER_MS);
        return () => clearTimeout(timer);
      }),
    );
    // When the network returns, fetch what failed before.
    mounted(watch(() => chat.link.value === "online" && tryAgain(ui)));
    const retry = (): void => {
      // The pressed button disappears, so move the focus.
      ui.focusComposer();
      tryAgain(ui);
    };
    return () => {
      const text = shown.value;
      return (
        text && (
          <div class="bar">
            <span key={text}>{t(text)}</span>
            {text === "tryLater" && (
              <button type="button" class="link" onClick={retry}>
                {t("retry")}
              </button>
            )}
          </div>
        )
      );
    };
  },
);
