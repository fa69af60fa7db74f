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
  /** As it came from the storage or went there last: another tab may have sent it since, and then it must not come back. */
  let kept = "";

  function keep(): void {
    rest.off();
    const { value } = text;
    if (kept === value) return;
    kept = value;
    if (storage.read().draft === value) return;
    storage.change((saved) => {
      saved.draft = value;
    });
  }

  return {
    text,
    start() {
      kept = storage.read().draft;
      text.value ||= kept;
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
