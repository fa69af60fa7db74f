import { expect, it } from "vitest";
import { createLinks } from "./links.ts";

const DAY = 86_400_000;
const KEY = "0123456789abcdefghjkmnpqrs";

/** The parts of a link that are verified. */
function partsOf(link: string): [exp: string, sig: string] {
  const query = new URL(link, "https://relay.example").searchParams;
  return [query.get("exp") ?? "", query.get("sig") ?? ""];
}

it("a link gives access to one file for one to two weeks, and stays the same for days", () => {
  let now = 5 * DAY;
  const links = createLinks("signing key", () => now);
  const link = links.to(KEY, "image/jpeg");
  expect(link).toMatch(new RegExp(`^/media/${KEY}\\.jpg\\?exp=\\d+&sig=[\\w-]{43}$`));
  const [exp, sig] = partsOf(link);
  expect(links.open(KEY, exp, sig)).toBe(true);
  now += DAY;
  expect(links.to(KEY, "image/jpeg")).toBe(link);
  now += 6 * DAY;
  expect(links.open(KEY, exp, sig)).toBe(true);
  now += 8 * DAY;
  expect(links.open(KEY, exp, sig)).toBe(false);
});

it("a link gives no access with another key, expiry, signature or deployment", () => {
  const links = createLinks("signing key", () => 0);
  const [exp, sig] = partsOf(links.to(KEY, "image/png"));
  expect(links.open(KEY.replace("0", "1"), exp, sig)).toBe(false);
  expect(links.open(KEY, `${exp}0`, sig)).toBe(false);
  expect(links.open(KEY, `0${exp}`, sig)).toBe(false);
  expect(links.open(KEY, exp, "")).toBe(false);
  expect(createLinks("another key", () => 0).open(KEY, exp, sig)).toBe(false);
});
