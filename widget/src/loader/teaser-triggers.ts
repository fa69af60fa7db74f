/**
 * Triggers of the teaser: some seconds, a scroll depth, or the pointer that leaves the page; and the pages on which it shows.
 */

import type { RawSettings } from "../settings/options.ts";
import { pageDocument } from "./document.ts";

/** Seconds until the teaser if the site sets no other trigger. */
const AFTER_S = 8;
/** After the first try, the conditions are checked at this interval, because the page may pass values or consent later. */
const CHECK_MS = 1_000;

/** A list from the file, or an attribute's text with `|` between its entries. */
const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value ?? "").split("|")).map((one) => one.trim()).filter(Boolean);

/** Whether the path matches an entry. A final `*` matches any rest. Without entries, every page matches. */
export function isOnPage(path: string, entries: unknown): boolean {
  const pages = listOf(entries);
  return !pages[0] || pages.some((one) => (one.endsWith("*") ? path.startsWith(one.slice(0, -1)) : path === one));
}

/** Scroll depth of the page, in per cent of its scrollable height. */
const scrollDepth = ({ scrollHeight, clientHeight, scrollTop }: Element): number =>
  (100 * scrollTop) / Math.max(1, scrollHeight - clientHeight);

/**
 * Calls a function at each trigger until it returns true: the teaser was shown, or never will be.
 * @param run returns false while a condition is not met
 */
export function watchTriggers(settings: RawSettings, run: () => boolean): void {
  const { teaserAfter, teaserScroll, teaserExit, teaserPages } = settings;
  if (!isOnPage(location.pathname, teaserPages)) return;
  const ended = new AbortController();
  const { signal } = ended;
  const trigger = (): void => {
    if (!signal.aborted && run()) ended.abort();
  };
  const scroll = Number(teaserScroll);
  const watchesExit = ["", "true"].includes(`${teaserExit}`);
  const after = Number(teaserAfter ?? (scroll > 0 || watchesExit ? Number.NaN : AFTER_S));
  const poll = (): void => {
    trigger();
    if (!signal.aborted) setTimeout(poll, CHECK_MS);
  };
  if (after >= 0) setTimeout(poll, after * 1_000);
  const onScroll = (): void => {
    if (scrollDepth(pageDocument.scrollingElement ?? pageDocument.documentElement) >= scroll) trigger();
  };
  if (scroll > 0) addEventListener("scroll", onScroll, { passive: true, signal });
  // The pointer leaves at the top, towards the tabs and the address bar.
  const onMouseOut = ({ relatedTarget, clientY }: MouseEvent): void => {
    if (!relatedTarget && clientY <= 0) trigger();
  };
  if (watchesExit) addEventListener("mouseout", onMouseOut, { signal });
}
