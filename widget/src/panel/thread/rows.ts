/** The thread as rows: days, the line above new messages, and messages grouped by author. */

import type { Item } from "../../conversation/chat.ts";

export type Row =
  | { kind: "day"; key: string; at: number }
  | { kind: "new"; key: string }
  | { kind: "message"; key: string; item: Item; first: boolean; last: boolean };

/** Messages of one author that follow each other within this time form a group. */
const GROUP_MS = 5 * 60_000;

const sameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString();

const isSameAuthor = (a: Item, b: Item): boolean => a.from === b.from && a.author?.name === b.author?.name;

/** The rows that show `items`. @param firstNew id of the first new message */
export function rowsOf(items: readonly Item[], firstNew: string | undefined): Row[] {
  const rows: Row[] = [];
  let before: Item | undefined;
  for (const item of items) {
    const newDay = !before || !sameDay(before.at, item.at);
    const isNew = item.id === firstNew;
    if (newDay) rows.push({ kind: "day", key: `day ${new Date(item.at).toDateString()}`, at: item.at });
    if (isNew) rows.push({ kind: "new", key: "new" });
    const joined = before && !newDay && !isNew && isSameAuthor(before, item) && item.at - before.at < GROUP_MS;
    const previous = rows.at(-1);
    if (joined && previous?.kind === "message") previous.last = false;
    rows.push({ kind: "message", key: item.id, item, first: !joined, last: true });
    before = item;
  }
  return rows;
}

/** "Today", "Yesterday", else the date in the visitor's language. */
export function dayName(at: number, now: number, tag: string, today: string, yesterday: string): string {
  if (sameDay(at, now)) return today;
  if (sameDay(at, now - 86_400_000)) return yesterday;
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(tag, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: sameYear ? undefined : "numeric",
  }).format(at);
}
