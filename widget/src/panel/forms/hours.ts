/** Business hours: tells whether the site is open, in its own time zone. */

import { DAYS, spansOf } from "@porchlight/shared/hours";

/** Three-letter days, each with its hours in the notation of `shared/hours.ts`. Absent days are closed. */
export type Hours = { readonly timeZone?: string; readonly [day: string]: string | undefined };

const STEP_MS = 5 * 60_000;
const DAY = 24 * 60;
const LOOK_AHEAD_MS = 8 * 24 * 3_600_000;

/** Whether any day has an entry; a site without one is always open. A day with an empty entry is closed. */
export const hasHours = (hours: Hours): boolean => DAYS.some((day) => hours[day] !== undefined);

/** Returns a function that converts a time to the site's day and minute. @throws RangeError for an unknown time zone */
function clockOf({ timeZone = "UTC" }: Hours): (at: number) => { day: string; minute: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return { day: (parts.weekday ?? "").toLowerCase(), minute: Number(parts.hour) * 60 + Number(parts.minute) };
  };
}

/** Returns a function that tells whether the site is open. @throws RangeError for an invalid time or an unknown time zone */
function weekOf(hours: Hours): (at: number) => boolean {
  const clock = clockOf(hours);
  const week = DAYS.map((day) => {
    const spans = spansOf(hours[day] ?? "");
    if (!spans) throw new RangeError(hours[day]);
    return spans;
  });
  const within = (day: number, minute: number): boolean =>
    week[day % 7]?.some(([from, to]) => minute >= from && minute < to) === true;
  return (at) => {
    const { day, minute } = clock(at);
    const today = DAYS.indexOf(day as (typeof DAYS)[number]);
    // Yesterday's hours may continue after midnight.
    return within(today, minute) || within(today + 6, minute + DAY);
  };
}

/** Whether the hours are valid; empty hours are. */
export function areValidHours(hours: Hours): boolean {
  try {
    return !hasHours(hours) || !!weekOf(hours);
  } catch {
    return false;
  }
}

/** Returns a function that tells whether the site is open. Creating it is expensive. Invalid hours count as always open. */
const opening = (hours: Hours): ((at: number) => boolean) =>
  hasHours(hours) && areValidHours(hours) ? weekOf(hours) : () => true;

/** Whether the site is open. @param at ms since 1970 */
export const isOpenAt = (hours: Hours, at: number): boolean => opening(hours)(at);

/** The next opening (ms since 1970) within eight days; undefined if there is none. */
export function nextOpening(hours: Hours, from: number): number | undefined {
  const isOpen = opening(hours);
  const first = Math.ceil(from / STEP_MS) * STEP_MS;
  for (let at = first; at < from + LOOK_AHEAD_MS; at += STEP_MS) if (isOpen(at)) return at;
  return undefined;
}
