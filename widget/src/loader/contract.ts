/** The interface between loader and panel, which are fetched as two files. Types only. */

import type { ServedSite } from "@porchlight/shared/site";
import type { RawSettings } from "../settings/options.ts";
import type { Emit } from "./page-api.ts";
import type { Tokens } from "./theme.ts";

/** What the relay writes into the loader in place of the settings' placeholder. */
export type ServedData = {
  /** Origin of the relay; empty: the origin that the script came from. */
  relay: string;
  /** Path of the panel's file. */
  panel: string;
  site: ServedSite;
  /** The words of the first language that the browser requests, and its primary subtag (BCP 47). */
  words: LoaderWords & FailureWords & { readonly lang: string };
};

/** What the launcher needs to know of a language. */
export type LoaderWords = {
  /** Absent: left to right. */
  dir?: "ltr" | "rtl";
  /** The word for chat. */
  word: string;
  /** Path of the file with the language's other words. Absent for English, which is in the panel. */
  file?: string;
};
type FailureWords = {
  /** A sentence: the panel's code could not be loaded. */
  failed: string;
  /** Button: load the panel again. */
  retry: string;
};

/** Words of the frame until the panel draws its own: a file that is fetched when the visitor opens the chat. */
export type FrameWords = LoaderWords &
  FailureWords & {
    /** Name of the button that closes the panel. */
    close: string;
    /** Link to the chat's own page. */
    page: string;
  };

/** Nodes that are on the page before the panel's code is loaded. */
export type LoaderNodes = {
  host: HTMLElement;
  root: ShadowRoot;
  launcher: HTMLButtonElement;
  dialog: HTMLDialogElement;
};

/** What the loader offers to the panel. */
export type Shell = LoaderNodes & {
  relay: string;
  site: ServedSite;
  /** The raw settings; on a phone with the settings for phones applied. */
  settings(): RawSettings;
  /** The colours; the panel knows more of them than the launcher needs. */
  tokens(accent: string, dark: boolean): Tokens;
  /** Words in the chat's language, once it is known. */
  words?: LoaderWords | undefined;
  /** Applies settings, colours and language again. */
  style(): void;
  /** Shows the panel's frame. Does not move the focus. */
  show(): void;
  /** The number of unread replies as text, appended to the launcher's name. */
  unread: string;
  emit: Emit;
  /** The latest argument of each command that needs the panel. */
  lastArguments: Partial<Record<PanelCommand, unknown>>;
};

type PanelCommand = "send" | "identify" | "logout" | "consent";
/** Commands that need the panel. They wait until it is loaded, in order. */
export type PanelCommands = {
  /**
   * Its result or rejection becomes the command's answer to the page.
   * @param fetchesPanel whether the command makes the loader fetch the panel. If it does not, the loader has already emitted the
   *   event `logout`, and the panel must not emit it again
   */
  readonly [name in PanelCommand]: (argument: unknown, fetchesPanel: unknown) => unknown;
};

/** What the panel offers to the loader. */
export type Panel = PanelCommands & {
  /** `byVisitor`: the visitor opened it, so the focus may move. */
  open(byVisitor: boolean): void;
  close(): void;
  /** Settings changed. */
  update(): void;
  /** The number of unread replies. */
  unread(): number;
  destroy(): void;
};

export type PanelModule = { start(shell: Shell): Promise<Panel> };
/** What the loader calls in `extras.ts`, which it fetches when it is needed. */
export type ExtrasModule = {
  drawFrame(shell: Shell, close: () => void): Promise<void>;
  restoreHost(shell: Shell, insert: () => void): Promise<void>;
  moveToTopLayer(shell: Shell): Promise<void>;
  watchFocus(shell: Shell): Promise<void>;
  addTriggers(shell: Shell, open: (byVisitor: boolean) => unknown): Promise<void>;
};
type ExtraArguments<Run> = Run extends (shell: Shell, ...more: infer More) => unknown ? More : never;
/** Calls a function of the extras with the shell. Does nothing if the code cannot be fetched. */
export type CallExtra = <Name extends keyof ExtrasModule>(
  name: Name,
  ...more: ExtraArguments<ExtrasModule[Name]>
) => unknown;
