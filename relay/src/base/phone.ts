import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";

/**
 * Converts a phone number to E.164.
 * @param country two letters: the country of numbers without a country code; `undefined`: the number needs `+` or `00`
 * @returns `undefined` when the text is no phone number
 */
export function phoneOf(given: string, country: string | undefined): string | undefined {
  const text = given
    .normalize("NFKC")
    .trim()
    .replace(/^00(?=[1-9])/, "+");
  const known = country !== undefined && isSupportedCountry(country) ? (country as CountryCode) : undefined;
  const phone = parsePhoneNumberFromString(text, { ...(known && { defaultCountry: known }), extract: false });
  return phone?.isPossible() && phone.ext === undefined ? phone.number : undefined;
}
