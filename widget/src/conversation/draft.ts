/** The visitor's draft, saved to storage shortly after the last key and when the page is hidden. */

import { type Signal, signal } from "@preact/signals-core";
import { createTimer, type Page } from "./page.ts";
import type { Storage } from "./storage.ts";

const SAVE_DELAY_MS = 400;

export type Draft = {
  readonly text: Signal<string>;
  /** Loads the draft of an earlier page and starts saving. @returns a function that stops it */
  start(): () => void;
};

/** The draft of one tab. Nothing is read or stored before `start`. */
export function createDraft({ page, storage }: { page: Page; storage: Storage }): Draft {
  const text = signal("");
  const saveTimer = createTimer(page);
  /** The text as last loaded or saved. If another tab has sent it since, this tab must not save it again. */
  let lastSaved = "";

  function save(): void {
    saveTimer.off();
    const { value } = text;
    if (lastSaved === value) return;
    lastSaved = value;
    if (storage.read().draft === value) return;
    storage.change((saved) => {
      saved.draft = value;
    });
  }

  return {
    text,
    start() {
      lastSaved = storage.read().draft;
      text.value ||= lastSaved;
      const unsubscribe = text.subscribe(() => saveTimer.set(SAVE_DELAY_MS, save));
      const unlisten = page.on("pagehide", save);
      return () => {
        save();
        unsubscribe();
        unlisten();
      };
    },
  };
}
