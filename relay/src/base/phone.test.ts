import { existsSync, readFileSync } from "node:fs";
import { type CountryCode, getCountryCallingCode } from "libphonenumber-js";
import { expect, it } from "vitest";
import { corpus } from "../../../test/corpora.ts";
import { phoneOf } from "./phone.ts";

it.each([
  ["+49 30 123456", undefined, "+4930123456"],
  ["0049-30-123456", undefined, "+4930123456"],
  ["(030) 12 34 56", "DE", "+4930123456"],
  ["+1 (415) 555-2671", "DE", "+14155552671"],
  ["＋49 30 123456", undefined, "+4930123456"],
  ["030 123456", undefined, undefined],
  ["12", "DE", undefined],
  ["call me maybe", "DE", undefined],
  ["+49 30 123456 ext 7", undefined, undefined],
  ["call +49 30 123456", undefined, undefined],
  ["", "DE", undefined],
  ["+", "DE", undefined],
])("parses %j, dialled in %s, as %s", (given, country, expected) => {
  expect(phoneOf(given, country)).toBe(expected);
});

/** One mobile number per country, as dialled there. */
const EXAMPLES = corpus("phone/examples.mobile.json");
const examples = existsSync(EXAMPLES) ? (JSON.parse(readFileSync(EXAMPLES, "utf8")) as Record<string, string>) : {};

it(`accepts every country's example, with and without its country code (${Object.keys(examples).length} of them)`, () => {
  const refused = Object.entries(examples).filter(([country, national]) => {
    const code = getCountryCallingCode(country as CountryCode);
    return phoneOf(`+${code} ${national}`, undefined) === undefined || phoneOf(national, country) === undefined;
  });
  expect(refused).toEqual([]);
});
