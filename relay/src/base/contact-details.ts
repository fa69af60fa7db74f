import { cut } from "@porchlight/shared/text";
import { emailOf, isPlaceholder, toSingleLine } from "./input-text.ts";
import { phoneOf } from "./phone.ts";

/** Contact details of a person. The phone number is in E.164; null: not given. */
export type ContactDetails = {
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
};
/** Contact details as typed by a visitor, or as sent by a backend. */
type Given = { [field in keyof ContactDetails]?: string | undefined };

const NAME_MAX = 100;

/** One line of at most `max` characters; null for blank text and for placeholders such as "unknown". */
export function cleanLine(given: string | undefined, max: number): string | null {
  const text = cut(toSingleLine(given ?? ""), max).trim();
  return isPlaceholder(text) ? null : text;
}

/**
 * Checks and cleans contact details.
 * @param country two letters: the country of phone numbers without a country code
 * @returns the details, or which field is invalid
 */
export function readContactDetails(
  given: Given,
  country: string | undefined,
): ContactDetails | "invalid_email" | "invalid_phone" {
  const address = cleanLine(given.email, 300);
  const email = address === null ? null : emailOf(address);
  if (email === undefined) return "invalid_email";
  const dialled = cleanLine(given.phone, 40);
  const phone = dialled === null ? null : phoneOf(dialled, country);
  if (phone === undefined) return "invalid_phone";
  return {
    firstName: cleanLine(given.firstName, NAME_MAX),
    lastName: cleanLine(given.lastName, NAME_MAX),
    email,
    phone,
  };
}

/** The fields that have a value: the service would store a blank as a value. */
export function presentDetails({ firstName, lastName, email, phone }: ContactDetails): {
  [field in keyof ContactDetails]?: string;
} {
  return {
    ...(firstName === null ? {} : { firstName }),
    ...(lastName === null ? {} : { lastName }),
    ...(email === null ? {} : { email }),
    ...(phone === null ? {} : { phone }),
  };
}
