/** The visitor's draft, saved to storage shortly after the last key and when the page is hidden. */

import { type Signal, signal } from "@preact/signals-core";
import { createTimer, type Page } from "./page.ts";
import type { Storage } from "./storage.ts";

const REST_MS = 400;

export type Draft = {
  readonly text: Signal<string>;
  /** Loads the draft of an earlier page and starts saving. @returns a function that stops it */
  start(): () => void;
};

export function createDraft({ page, storage }: { page: Page; storage: Storage }): Draft {
  const text = signal("");
  const rest = createTimer(page);
  /** The text as last loaded or saved. Another tab may have sent it since; then this tab must not save it again. */
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
