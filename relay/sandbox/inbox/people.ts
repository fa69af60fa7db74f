/** Display of visitors and times in the inbox. */

import { html } from "hono/html";
import type { Contact } from "../contacts.ts";
import type { Conversation } from "../messages.ts";
import type { Service } from "../service.ts";

export type Markup = ReturnType<typeof html>;

/** The name, else the email, else "Visitor" and the last four characters of the `fromId`. */
export function nameOf({ contacts }: Service, { contactId, fromId }: Conversation): string {
  const { firstName, lastName, email }: Partial<Contact> = contacts.get(contactId) ?? {};
  const name = [firstName, lastName].filter((part) => part !== undefined).join(" ");
  return name || email || `Visitor ${fromId.slice(-4).toUpperCase()}`;
}

/** Background colours that tell conversations apart. */
const TINT_COUNT = 6;

function tintOf(fromId: string): number {
  let sum = 0;
  for (const letter of fromId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % TINT_COUNT;
}

/** The initials of a name; a silhouette without a name. */
export function avatar(name: string, fromId: string): Markup {
  const letters = /^Visitor [^ ]{1,4}$/.test(name)
    ? undefined
    : name
        .split(/\s+/)
        .slice(0, 2)
        .map((word) => Array.from(word)[0]?.toUpperCase() ?? "")
        .join("");
  return html`<span class="avatar tint-${tintOf(fromId)}" aria-hidden="true">${letters ?? PERSON}</span>`;
}

const PERSON = html`<svg viewBox="0 0 24 24" fill="currentColor"><circle cx="12" cy="9" r="4"></circle><path d="M4.5 20c.6-4 3.6-6 7.5-6s6.9 2 7.5 6z"></path></svg>`;

/** Hours and minutes by the sandbox's own time zone, as in 09:05. */
export const clockTime = (at: number): string =>
  new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

const dayKey = (at: number): string => new Date(at).toDateString();

/** Today, Yesterday, or the date. */
export function dayName(at: number, now: number): string {
  if (dayKey(at) === dayKey(now)) return "Today";
  if (dayKey(at) === dayKey(now - 86_400_000)) return "Yesterday";
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

/** The time for today, the day otherwise. */
export const shortTime = (at: number, now: number): string =>
  dayKey(at) === dayKey(now)
    ? clockTime(at)
    : dayName(at, now) === "Yesterday"
      ? "Yesterday"
      : new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short" });

/** ISO 8601 in UTC, for the `datetime` of a `time` element. */
export const isoTime = (at: number): string => new Date(at).toISOString();
