/** Business hours: whether the site is open, by its own clock. */

/** Three-letter days, each with times such as `9:00-12:00, 13:00-17:30`; a day that is not named is closed. */
export type Hours = { readonly timeZone?: string; readonly [day: string]: string | undefined };

const STEP_MS = 5 * 60_000;
const LOOK_AHEAD_MS = 8 * 24 * 3_600_000;

/** Whether any hours are given; without them a site is always open. */
export const hasHours = (hours: Hours): boolean => /\d/.test(Object.values({ ...hours, timeZone: "" }).join(""));

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

const spans = (text = ""): [from: number, to: number][] =>
  [...text.matchAll(/(\d{1,2}):(\d\d)\s*[-–]\s*(\d{1,2}):(\d\d)/g)].map(([, h1, m1, h2, m2]) => [
    Number(h1) * 60 + Number(m1),
    Number(h2) * 60 + Number(m2),
  ]);

/** Whether the site is open at a time. Making a clock costs far more than reading it. Hours that cannot be read close nobody out. */
function opening(hours: Hours): (at: number) => boolean {
  if (!hasHours(hours)) return () => true;
  try {
    const clock = clockOf(hours);
    return (at) => {
      const { day, minute } = clock(at);
      return spans(hours[day]).some(([from, to]) => minute >= from && minute < to);
    };
  } catch {
    return () => true;
  }
}

export const isOpenAt = (hours: Hours, at: number): boolean => opening(hours)(at);

/** When it opens next, within a week; nothing when it does not. */
export function opensNext(hours: Hours, from: number): number | undefined {
  const isOpen = opening(hours);
  const first = Math.ceil(from / STEP_MS) * STEP_MS;
  for (let at = first; at < from + LOOK_AHEAD_MS; at += STEP_MS) if (isOpen(at)) return at;
  return undefined;
}
