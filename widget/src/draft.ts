/** What the visitor is typing, kept in the storage a moment after the last key and when the page goes away. */

import { type Signal, signal } from "@preact/signals-core";
import { createTimer, type Page } from "./page.ts";
import type { Storage } from "./storage.ts";

const REST_MS = 400;

export type Draft = {
  readonly text: Signal<string>;
  /** Takes over what an earlier page left, and keeps from now on; answers the stop. */
  start(): () => void;
};

export function createDraft({ page, storage }: { page: Page; storage: Storage }): Draft {
  const text = signal("");
  const rest = createTimer(page);

  function keep(): void {
    rest.off();
    if (storage.read().draft === text.value) return;
    storage.change((saved) => {
      saved.draft = text.value;
    });
  }

  return {
    text,
    start() {
      text.value ||= storage.read().draft;
      const unsubscribe = text.subscribe(() => rest.set(REST_MS, keep));
      const unlisten = page.on("pagehide", keep);
      return () => {
        keep();
        unsubscribe();
        unlisten();
      };
    },
  };
}
