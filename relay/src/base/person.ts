import { cut } from "@porchlight/shared/text";
import { phoneOf } from "./phone.ts";

/** A person as a form describes them; the phone in E.164. */
export type Person = { firstName: string | null; lastName: string | null; email: string | null; phone: string | null };
/** What somebody typed, or a backend sent. */
type Given = { [field in keyof Person]?: string | undefined };

const NAME_MAX = 100;
const PLACEHOLDERS = new Set(["unknown", "unknown@unknown.com", "-", "—", "n/a"]);

/** Text that says something, on one line and at most `max` long; placeholders say nothing. */
export function said(given: string | undefined, max: number): string | null {
  const text = cut(
    (given ?? "")
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
      .trim(),
    max,
  ).trim();
  return text === "" || PLACEHOLDERS.has(text.toLowerCase()) ? null : text;
}

/** the local part stays as typed, the domain is lower case. Nothing when it is no address. */
function emailIn(text: string): string | undefined {
  if (text.length > 254 || !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)) return undefined;
  const at = text.lastIndexOf("@");
  return text.slice(0, at) + text.slice(at).toLowerCase();
}

/**
 * The person a form describes, or which field is wrong.
 * @param country two letters: of phone numbers without a country code
 */
export function personIn(given: Given, country: string | undefined): Person | "invalid_email" | "invalid_phone" {
  const address = said(given.email, 300);
  const email = address === null ? null : emailIn(address);
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
