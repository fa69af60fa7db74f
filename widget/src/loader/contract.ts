/** The interface between loader and panel, which are fetched as two files. Types only. */

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
   * The word for "chat" in each language that the browser requests, by primary language. The empty key holds the first one's
   * word. Languages whose word is "Chat" are absent.
   */
  words?: { readonly [language: string]: Spoken };
};

/** The language the visitor reads. `word`: its word for chat. */
export type Spoken = { dir: "ltr" | "rtl"; word: string };

/** Nodes that are on the page before the panel's code is loaded. */
export type Parts = {
  host: HTMLElement;
  root: ShadowRoot;
  launcher: HTMLButtonElement;
  dialog: HTMLDialogElement;
};

/** What the loader offers to the panel. */
export type Shell = Parts & {
  relay: string;
  site: ServedSite;
  /** The raw settings; on a phone with the settings for phones applied. */
  settings(): RawSettings;
  /** The colours; the panel knows more of them than the launcher needs. */
  tokens(accent: string, dark: boolean): Tokens;
  /** The language, once it is known. */
  spoken?: Spoken | undefined;
  /** Applies settings, colours and language again. */
  style(): void;
  /** Shows the panel's frame. Does not move the focus. */
  show(): void;
  /** The number of unread replies as text, appended to the launcher's name. */
  unread: string;
  emit: Emit;
};

/** Commands that need the panel. They wait until it is loaded, in order. */
export type PanelCommands = {
  /**
   * Its result or rejection becomes the command's answer to the page.
   * @param worth whether the command was a reason to fetch the panel; if not, the page has already been told of the logout
   */
  readonly [name in "send" | "identify" | "logout" | "consent"]: (argument: unknown, worth: unknown) => unknown;
};

/** What the panel offers to the loader. */
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
