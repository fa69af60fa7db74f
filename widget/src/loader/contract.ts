/** What the loader and the panel know of each other: they are two files, fetched apart. Types only. */

import type { ServedSite } from "@porchlight/shared/site";
import type { RawSettings } from "../settings/options.ts";
import type { element as Element } from "./dom.ts";
import type { Emit } from "./page-api.ts";
import type { Tokens } from "./theme.ts";

/** What the relay writes into the loader in place of its marker. */
export type Baked = {
  /** Origin of the relay; empty: the origin that the script came from. */
  relay: string;
  /** Path of the panel's file. */
  panel: string;
  site: ServedSite;
  /**
   * Words for chat in the languages that the browser asks for, by primary language; its first one's also by an empty key.
   * Those called "Chat" are absent.
   */
  words?: { readonly [language: string]: Spoken };
};

/** The language the visitor reads. `word`: its word for chat. */
export type Spoken = { dir: "ltr" | "rtl"; word: string };

/** Nodes that stand on the page before the panel does. */
export type Parts = {
  host: HTMLElement;
  root: ShadowRoot;
  launcher: HTMLButtonElement;
  dialog: HTMLDialogElement;
};

/** The loader's side, handed to the panel. */
export type Shell = Parts & {
  relay: string;
  site: ServedSite;
  /** As they came, with what differs on phones where this is one. */
  settings(): RawSettings;
  /** The colours; the panel knows more of them than the launcher needs. */
  tokens(accent: string, dark: boolean): Tokens;
  /** The language, once it is known. */
  spoken?: Spoken | undefined;
  /** Applies settings, colours and language anew. */
  style(): void;
  /** Shows the panel's frame. Does not move the focus. */
  show(): void;
  /** What is unread, in words that follow the launcher's name. */
  unread: string;
  emit: Emit;
};

/** Commands that only the panel can carry out. They wait for it, in order. */
export type PanelCommands = {
  /**
   * What it answers, or rejects with, is the command's own answer to the page.
   * @param worth whether it was worth fetching the panel for: the page has been told of a logout that was not
   */
  readonly [name in "send" | "identify" | "logout" | "consent"]: (argument: unknown, worth: unknown) => unknown;
};

/** The panel's side, handed to the loader. */
export type Panel = PanelCommands & {
  /** `byHand`: the visitor opened it, so the focus may move. */
  open(byHand: boolean): void;
  close(): void;
  /** Settings changed. */
  update(): void;
  destroy(): void;
};

export type PanelModule = { start(shell: Shell): Promise<Panel> };
export type TeaserModule = {
  tease(element: typeof Element, shell: Parts & Pick<Shell, "settings">, text: string): void;
};
