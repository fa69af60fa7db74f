/** Parses business hours. The configuration file, the page's settings and the widget use the same grammar. */

/** The short English weekday names of `Intl`, in lower case. */
export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** Start and end in minutes of the day. The end may be after midnight: 22:00-2:00 is 1320 to 1560. */
export type Span = readonly [from: number, to: number];

const DAY = 24 * 60;
const SPAN = /^(\d{1,2}):([0-5]\d)\s*[-–]\s*(\d{1,2}):([0-5]\d)$/;

/**
 * A day's times, such as `9:00-12:00, 13:00-17:30` or `22:00-2:00`; none in an empty text.
 * @returns undefined when a time is invalid, such as 25:00, or a span has no length
 */
export function spansOf(text: string): Span[] | undefined {
  if (text.trim() === "") return [];
  const spans = text.split(",").map(spanOf);
  return spans.every((span) => span !== undefined) ? spans : undefined;
}

function spanOf(text: string): Span | undefined {
  const [, h1, m1, h2, m2] = (SPAN.exec(text.trim()) ?? []).map(Number);
  if (h1 === undefined || m1 === undefined || h2 === undefined || m2 === undefined) return undefined;
  const from = h1 * 60 + m1;
  const to = h2 * 60 + m2;
  if (from >= DAY || to > DAY || from === to) return undefined;
  return [from, to < from ? to + DAY : to];
}
