/** What every part of the panel can reach. */

import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { Attachment, Chat } from "../chat.ts";
import type { Language, Translate } from "../i18n.ts";
import type { PanelSettings } from "../options.ts";
import type { Announcer } from "./announcer.ts";
import type { Shell } from "./contract.ts";
import type { Files } from "./files.tsx";

export type Ui = {
  chat: Chat;
  shell: Shell;
  settings: ReadonlySignal<PanelSettings>;
  language: ReadonlySignal<Language>;
  /** The text of a key in the language of now. */
  t: Translate;
  announcer: Announcer;
  /** Whether a reply may be heard while the page is hidden. */
  sound: Signal<boolean>;
  /** Whether storing and sending is allowed. */
  consent: Signal<boolean>;
  /** Whether the panel is open. */
  isOpen: ReadonlySignal<boolean>;
  close(): void;
  /**
   * Sends a message; after the end of a conversation it begins a new one. Answers how many messages that made, one for each
   * attachment: fewer than asked where the line of what is unsent has no room.
   */
  send(text: string, attachments?: readonly Attachment[]): number;
  /** Present once the visitor has picked a file. */
  files: ReadonlySignal<Files | undefined>;
  /** How many times the visitor has picked files that wait for the code above. */
  adding: Signal<number>;
  addFiles(files: Iterable<File>): void;
  /** Present where the site asks for something in a form. */
  forms: Signal<{ Foot: ComponentType; Card: ComponentType } | undefined>;
  /** A form stands where the composer would. */
  asking: Signal<boolean>;
  /** Puts the focus into the text field. */
  focusComposer(): void;
  /** Milliseconds since 1970, by this browser. */
  now(): number;
};

/** Who replies, as the end of a key: a machine is always called one. */
export const replier = ({ settings }: Pick<Ui, "settings">): "Ai" | "Human" | "Mixed" => {
  const { responder } = settings.value;
  return responder === "human" ? "Human" : responder === "mixed" ? "Mixed" : "Ai";
};

export const authorOf = (ui: Ui): string => ui.t(`author${replier(ui)}`);
