/**
 * What the browser stores of a conversation, in one localStorage key per site. If storage is blocked or full, the same calls
 * work in memory. Every change reads the newest state first, because other tabs write here too.
 */

import { PAGE_ADDRESS_MAX, TITLE_MAX } from "@porchlight/shared/limits";
import type { ErrorCode, FailReason, Media, Send } from "@porchlight/shared/protocol";
import { pageDocument } from "../loader/document.ts";
import type { Page } from "./page.ts";

/** Why a message was not sent. `stale`: found unsent after a reload, and too old to send automatically. */
export type SendProblem = FailReason | ErrorCode | "stale";

/** The page on which a message was typed. */
export type MessageContext = Pick<Send, "page" | "title" | "locale" | "campaign" | "chosen">;

/** A message that the relay does not have yet. */
export type Unsent = {
  id: string;
  text: string;
  /** When it was typed, by this browser's clock. */
  at: number;
  /** Where it was typed. */
  context?: MessageContext | undefined;
  /** The relay's key of its upload. */
  key?: string;
  media?: Media;
  /** Why the relay will not accept it unchanged. */
  reason?: SendProblem | undefined;
};

const EMPTY = {
  /** Proves to the relay who this browser is. */
  token: "",
  /** The log that `n` and `read` count in. */
  epoch: "",
  /** The newest number this browser has shown. */
  n: 0,
  /** Everything up to this number was read. */
  read: 0,
  unsent: [] as Unsent[],
  draft: "",
  /** Names of what was muted, answered or declined, separated by spaces. */
  kept: "",
  /** The visitor asked to delete the chat and the relay has not confirmed it. */
  forget: false,
  /** Time of the last change. */
  at: 0,
};

/** The stored state. Missing fields have empty values. */
export type Saved = typeof EMPTY;

export type Storage = {
  /** The newest state; empty values where nothing is stored. */
  read(): Saved;
  /** Reads the newest state, lets `edit` change it, and stores it. */
  change(edit: (saved: Saved) => void): void;
  /** Removes the site's state from the browser. */
  clear(): void;
  /**
   * Calls `run` with the new state when another tab has changed it, or with `undefined` when another tab has cleared it.
   * @returns a function that stops this
   */
  watch(run: (saved: Saved | undefined) => void): () => void;
};

/** The part of localStorage in use. A function, because even naming `localStorage` throws when cookies are blocked. */
export type StoragePort = () => Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

/** Loader and panel connect by themselves only to a conversation younger than this. */
const FRESH_MS = 30 * 24 * 3_600_000;

const keyOf = (site: string) => `porchlight:${site}`;

/** Opens the stored state of a site. Reads nothing before the first call. @param port the browser's storage */
export function openStorage(site: string, page: Page, port: StoragePort = () => localStorage): Storage {
  const key = keyOf(site);
  let memory: string | null = null;
  let blocked = false;

  const get = () => {
    if (!blocked)
      try {
        return port().getItem(key);
      } catch {
        blocked = true;
      }
    return memory;
  };
  const put = (text: string | null) => {
    memory = text;
    if (!blocked)
      try {
        if (text === null) port().removeItem(key);
        else port().setItem(key, text);
      } catch {
        blocked = true;
      }
  };
  const read = () => parse(get());

  return {
    read,
    change(edit) {
      const saved = read();
      edit(saved);
      saved.at = page.now();
      put(JSON.stringify(saved, (_name, value) => value || undefined));
    },
    clear: () => put(null),
    watch: (run) =>
      page.on("storage", (event) => {
        const { key: changed, newValue } = event as StorageEvent;
        // A null key: the whole storage was cleared.
        if (changed !== key && changed !== null) return;
        // Events come late, so read the current state; but always report that it was cleared in between.
        run(newValue === null || get() === null ? undefined : read());
      }),
  };
}

/** Whether this browser holds a conversation of the site that changed in the last 30 days. Reads the storage once. */
export function hasConversation(site: string, now: () => number = Date.now, port: StoragePort = () => localStorage) {
  try {
    const saved = parse(port().getItem(keyOf(site)));
    return saved.token !== "" && now() - saved.at < FRESH_MS;
  } catch {
    return false;
  }
}

/** Validates every field, because other scripts of the page can write here. */
function parse(text: string | null): Saved {
  let raw: Partial<Saved> = {};
  try {
    raw = Object(JSON.parse(text ?? "{}"));
  } catch {
    // Foreign or truncated content: start with an empty state.
  }
  const saved = { ...EMPTY };
  for (const name of Object.keys(EMPTY) as (keyof Saved)[])
    if (Object.hasOwn(raw, name) && typeof raw[name] === typeof EMPTY[name])
      Object.assign(saved, { [name]: raw[name] });
  saved.unsent = Array.isArray(saved.unsent) ? saved.unsent.filter(isUnsent) : [];
  return saved;
}

function isUnsent(value: unknown): value is Unsent {
  const it = Object(value);
  return typeof it.id === "string" && typeof it.text === "string" && typeof it.at === "number";
}

/** The title of the host page. */
export const titleOf = (): string => pageDocument.title;

/** Shortens values that are too long: the relay refuses a frame with one (`FROM_CLIENT` in shared/parse). */
export function withinLimits({ page, title, locale, campaign, chosen }: MessageContext): MessageContext {
  return {
    page: page?.slice(0, PAGE_ADDRESS_MAX) || undefined,
    title: title?.slice(0, TITLE_MAX) || undefined,
    locale: locale?.slice(0, 35) || undefined,
    campaign: campaign?.slice(0, 64) || undefined,
    chosen: chosen || undefined,
  };
}
