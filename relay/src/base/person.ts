import { cut } from "@porchlight/shared/text";
import { phoneOf } from "./phone.ts";

/** A person as a form describes them; the phone in E.164. */
export type Person = { firstName: string | null; lastName: string | null; email: string | null; phone: string | null };
/** What somebody typed, or a backend sent. */
type Given = { [field in keyof Person]?: string | undefined };

const NAME_MAX = 100;
const PLACEHOLDERS = new Set(["unknown", "unknown@unknown.com", "-", "—", "n/a"]);

/** One line of text that every database, log and service can hold: no controls, no halves of characters. */
export const lineOf = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .trim();

/** The same for text of several lines, which keeps all but what no database holds. */
export const textOf = (text: string): string => text.toWellFormed().replaceAll("\0", "");

/** Text that says something, on one line and at most `max` long; placeholders say nothing. */
export function said(given: string | undefined, max: number): string | null {
  const text = cut(lineOf(given ?? ""), max).trim();
  return text === "" || PLACEHOLDERS.has(text.toLowerCase()) ? null : text;
}

/**
 * An e-mail address, as every door checks it and the API's document says it. Without the characters that RFC 5322
 * keeps for lists, comments and names: a mail program must read one address in it, and the same one.
 */
export const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@.<>()[\]\\,;:"]+(\.[^\s@.<>()[\]\\,;:"]+)+$/;
export const EMAIL_MAX = 254;

/** the local part stays as typed, the domain is lower case. */
export const lowerDomain = (email: string): string => email.replace(/@.*$/s, (domain) => domain.toLowerCase());

/** The address in a text, as the service gets it; nothing when it is none. */
export function emailOf(given: string): string | undefined {
  const text = lineOf(given);
  return text.length <= EMAIL_MAX && EMAIL.test(text) ? lowerDomain(text) : undefined;
}

/**
 * The person a form describes, or which field is wrong.
 * @param country two letters: of phone numbers without a country code
 */
export function personIn(given: Given, country: string | undefined): Person | "invalid_email" | "invalid_phone" {
  const address = said(given.email, 300);
  const email = address === null ? null : emailOf(address);
  if (email === undefined) return "invalid_email";
  const dialled = said(given.phone, 40);
  const phone = dialled === null ? null : phoneOf(dialled, country);
  if (phone === undefined) return "invalid_phone";
  return { firstName: said(given.firstName, NAME_MAX), lastName: said(given.lastName, NAME_MAX), email, phone };
}

/** Only the fields that say something: the service takes a blank for a value. */
export function stated({ firstName, lastName, email, phone }: Person): { [field in keyof Person]?: string } {
  return {
    ...(firstName === null ? {} : { firstName }),
    ...(lastName === null ? {} : { lastName }),
    ...(email === null ? {} : { email }),
    ...(phone === null ? {} : { phone }),
  };
}
