import { describe, expect, it } from "vitest";
import { areValidHours, isOpenAt, nextOpening } from "./hours.ts";

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

  it("give the next opening", () => {
    expect(nextOpening(week, at("2026-11-23T11:07Z"))).toBe(at("2026-11-23T12:00Z"));
    expect(nextOpening(week, at("2026-11-24T18:00Z"))).toBe(at("2026-11-28T09:00Z"));
  });

  it("that are absent or invalid count as open", () => {
    expect(isOpenAt({}, 0)).toBe(true);
    expect(isOpenAt({ timeZone: "Nowhere/Never", mon: "9:00-10:00" }, 0)).toBe(true);
    expect(isOpenAt({ mon: "always" }, 0)).toBe(true);
  });

  it.each([
    // Friday's evening ends on Saturday, Sunday's on Monday; the first minute after it is closed.
    ["2026-11-27T21:59Z", false],
    ["2026-11-27T22:00Z", true],
    ["2026-11-28T01:59Z", true],
    ["2026-11-28T02:00Z", false],
    ["2026-11-28T23:00Z", false],
    ["2026-11-29T23:59Z", true],
    ["2026-11-30T00:00Z", true],
    ["2026-11-30T06:00Z", false],
  ])("that continue after midnight, at %s: open is %s", (time, open) =>
    expect(isOpenAt({ timeZone: "UTC", fri: "9:00-12:00, 22:00-02:00", sun: "18:00-6:00" }, at(time))).toBe(open),
  );

  it("with one invalid time are ignored completely, and reported as invalid", () => {
    for (const mon of ["9:00-25:99", "9:00-25:00", "24:00-2:00", "9:00-9:00", "9-17", 5 as never]) {
      expect(isOpenAt({ timeZone: "UTC", mon, sun: "9:00-10:00" }, at("2026-11-23T12:00Z")), mon).toBe(true);
      expect(areValidHours({ timeZone: "UTC", mon }), mon).toBe(false);
    }
    expect(areValidHours({ timeZone: "Oslo", mon: "9:00-10:00" })).toBe(false);
    expect(areValidHours({ timeZone: "UTC", mon: "9:00-10:00", sun: "" })).toBe(true);
    expect(areValidHours({})).toBe(true);
  });

  it("without any open time have no next opening", () => {
    expect(isOpenAt({ timeZone: "UTC", mon: "" }, 0)).toBe(false);
    expect(nextOpening({ timeZone: "UTC", mon: "" }, 0)).toBeUndefined();
  });
});
