/** What every part of the panel can use. */

import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { Attachment, Chat, Item } from "../../conversation/chat.ts";
import type { Shell } from "../../loader/contract.ts";
import type { PanelSettings } from "../../settings/options.ts";
import type { Language, Translate } from "../../text/i18n.ts";
import type { Announcer } from "./announcer.ts";
import type { Files } from "./files.ts";

export type Ui = {
  chat: Chat;
  shell: Shell;
  settings: ReadonlySignal<PanelSettings>;
  language: ReadonlySignal<Language>;
  /** The text of a key in the current language. */
  t: Translate;
  announcer: Announcer;
  /** Whether a reply may play a sound while the page is hidden. */
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
  /** Present where the site asks for something, or says when it answers. */
  forms: Signal<{ [part in "Foot" | "Card" | "Consent" | "Status" | "ReplyTime"]: ComponentType } | undefined>;
  /** Present where the conversation may be rated. */
  rating: Signal<{ Rate: ComponentType } | undefined>;
  /** Present once a conversation has ended. */
  ended: Signal<{ Ended: ComponentType } | undefined>;
  /** Fetches that failed; each can be tried again. */
  missing: Signal<readonly (() => unknown)[]>;
  /**
   * Fetches code that is seldom needed, with its words, and hands it on. Where that fails the visitor is told, and may try
   * again. Resolves in either case.
   */
  part<Code>(fetch: () => Promise<Code>, use: (code: Code) => unknown): Promise<void>;
  /** Whether a form replaces the composer. */
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

/** What a message says. A file that is not available here is spoken of in the visitor's language. */
export const wordsOf = ({ t }: Pick<Ui, "t">, { text, noFile }: Item): string =>
  noFile ? text.slice(0, noFile[0]) + t("noFile") + text.slice(noFile[1]) : text;

/** Whether the service cannot be reached: no network, no relay, or no service. */
export const isUnreachable = ({ chat }: Pick<Ui, "chat">): boolean =>
  ["offline", "waiting"].includes(chat.link.value) || chat.delivery.value === "delayed" || isRefused({ chat });

/** Whether this conversation has ended for good, by a deletion or a logout. Only a new one can follow. */
export const isOver = ({ chat }: Pick<Ui, "chat">): boolean =>
  chat.ending.value === "gone" || chat.ending.value === "normal";

/** Whether the relay takes nothing from this page: neither now nor later, whatever is written. */
export const isRefused = ({ chat }: Pick<Ui, "chat">): boolean => chat.ending.value === "notAllowed";

/** Repeats every failed fetch. */
export function tryAgain({ missing }: Pick<Ui, "missing">): void {
  const all = missing.peek();
  if (!all[0]) return;
  missing.value = [];
  for (const run of all) run();
}

/** Shows what has to be fetched first, or hides it again. */
export const toggler =
  <Code>({ part }: Pick<Ui, "part">, shown: Signal<Code | undefined>, fetch: () => Promise<Code>) =>
  (): unknown =>
    shown.value ? hide(shown) : part(fetch, into(shown));
const hide = (shown: Signal<undefined | unknown>): void => {
  shown.value = undefined;
};

/** For `part`: keeps the code. */
export const into =
  <Code>(kept: Signal<Code | undefined>) =>
  (code: Code): void => {
    kept.value = code;
  };
