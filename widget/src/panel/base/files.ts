/** The tray of files that wait to be sent, as the rest of the panel sees it. `files/file-tray.tsx` makes one. */

import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { Attachment } from "../../conversation/chat.ts";

/** A file. `title`: what the tray shows in place of its name. `icon`: path of an icon in place of the document. */
export type PickedFile = File & { readonly title?: string; readonly icon?: string };

export type Files = {
  add(files: Iterable<PickedFile>): void;
  /** `uploading`: at least one file cannot be sent yet. */
  state: ReadonlySignal<"none" | "uploading" | "ready">;
  /** Uploads that may be sent, in order. */
  ready(): Attachment[];
  /** Removes this many sent uploads from the tray, and every file whose upload failed. */
  sent(count: number): void;
  /** Called when the page identifies the visitor. Empties the tray if it is another person. */
  identify(before: string | undefined, now: string): void;
  /**
   * Called when the visitor deletes the conversation in this tab. Empties the tray; later files belong to the next
   * conversation.
   */
  forget(): void;
  Tray: ComponentType;
};

/** Picking files, before and after the tray's code is fetched. */
export type FilePicking = {
  /** Present once the visitor has picked a file. */
  files: ReadonlySignal<Files | undefined>;
  /** Number of picks that wait for the code of the tray. */
  adding: Signal<number>;
  addFiles(files: Iterable<PickedFile>): void;
};
