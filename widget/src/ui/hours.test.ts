import { describe, expect, it } from "vitest";
import { isOpenAt, opensNext } from "./hours.ts";

const week = { timeZone: "Europe/Oslo", mon: "9:00-12:00, 13:00-17:30", tue: "9:00-17:00", sat: "10:00–14:00" };
const at = (text: string): number => new Date(text).getTime();

describe("business hours", () => {
  it.each([
    // Oslo is an hour ahead of UTC in winter, two in summer.
    ["2026-11-23T08:00Z", true],
    ["2026-11-23T07:59Z", false],
    ["2026-11-23T11:30Z", false],
    ["2026-11-23T16:29Z", true],
    ["2026-11-23T16:30Z", false],
    ["2026-07-06T07:00Z", true],
    ["2026-11-28T09:00Z", true],
    ["2026-11-25T10:00Z", false],
  ])("at %s: open is %s", (time, open) => expect(isOpenAt(week, at(time))).toBe(open));

  it("tell when the site opens next", () => {
    expect(opensNext(week, at("2026-11-23T11:07Z"))).toBe(at("2026-11-23T12:00Z"));
    expect(opensNext(week, at("2026-11-24T18:00Z"))).toBe(at("2026-11-28T09:00Z"));
  });

  it("that are not given, or cannot be read, close nobody out", () => {
    expect(isOpenAt({}, 0)).toBe(true);
    expect(isOpenAt({ timeZone: "Nowhere/Never", mon: "9:00-10:00" }, 0)).toBe(true);
    expect(isOpenAt({ mon: "always" }, 0)).toBe(true);
  });

  it("that never come are not waited for", () => expect(opensNext({ mon: "9:00-9:00" }, 0)).toBeUndefined());
});
