/** Business hours: whether the site is open, by its own clock. */

import { DAYS, spansOf } from "@porchlight/shared/hours";

/** Three-letter days, each with times as `shared/hours.ts` reads them; a day that is not named is closed. */
export type Hours = { readonly timeZone?: string; readonly [day: string]: string | undefined };

const STEP_MS = 5 * 60_000;
const DAY = 24 * 60;
const LOOK_AHEAD_MS = 8 * 24 * 3_600_000;

/** Whether any day is named; without one a site is always open. One that is named without times is closed. */
export const hasHours = (hours: Hours): boolean => DAYS.some((day) => hours[day] !== undefined);

/** @throws RangeError for a time zone that does not exist */
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

/** @throws when a time is none, or the time zone */
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
    // What began yesterday may go on after midnight.
    return within(today, minute) || within(today + 6, minute + DAY);
  };
}

/** Whether hours say when, or that they say nothing. */
export function canRead(hours: Hours): boolean {
  try {
    return !hasHours(hours) || !!weekOf(hours);
  } catch {
    return false;
  }
}

/** Whether the site is open at a time. Making a clock costs far more than reading it. Hours that cannot be read close nobody out. */
const opening = (hours: Hours): ((at: number) => boolean) =>
  hasHours(hours) && canRead(hours) ? weekOf(hours) : () => true;

export const isOpenAt = (hours: Hours, at: number): boolean => opening(hours)(at);

/** When it opens next, within a week; nothing when it does not. */
export function opensNext(hours: Hours, from: number): number | undefined {
  const isOpen = opening(hours);
  const first = Math.ceil(from / STEP_MS) * STEP_MS;
  for (let at = first; at < from + LOOK_AHEAD_MS; at += STEP_MS) if (isOpen(at)) return at;
  return undefined;
}
