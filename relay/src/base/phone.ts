import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";

/**
 * A phone number as E.164, or nothing when it is none: with its country code, or as dialled in `country`.
 * @param country two letters; without it the number must carry its code, as `+` or `00`
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
