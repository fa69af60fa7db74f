import { describe, expect, it } from "vitest";
import { own, reply } from "../base/ui.fixture.ts";
import { dayName, rowsOf } from "./rows.ts";

const noon = new Date(2026, 10, 21, 12).getTime();
const minute = 60_000;
const spell = (items: Parameters<typeof rowsOf>[0], firstNew?: string): string[] =>
  rowsOf(items, firstNew).map((row) =>
    row.kind === "message" ? `${row.item.text}${row.first ? " first" : ""}${row.last ? " last" : ""}` : row.kind,
  );

describe("the rows of a thread", () => {
  it("stand in groups of one author within five minutes", () => {
    const items = [
      own("a", { at: noon }),
      own("b", { at: noon + minute }),
      own("c", { at: noon + 7 * minute }),
      reply("d", { at: noon + 7 * minute }),
    ];
    expect(spell(items)).toEqual(["day", "a first", "b last", "c first last", "d first last"]);
  });

  it("begin anew where a reply names another author", () => {
    const by = (name: string) => ({ author: { name, end: 0 }, at: noon });
    const items = [reply("a", by("Maria")), reply("b", by("Maria")), reply("c", by("Tom")), reply("d", { at: noon })];
    expect(spell(items)).toEqual(["day", "a first", "b last", "c first last", "d first last"]);
  });

  it("begin anew with a day, and with what is new", () => {
    const items = [
      own("a", { at: noon }),
      reply("b", { at: noon + 86_400_000 }),
      reply("c", { id: "c", at: noon + 86_400_001 }),
    ];
    expect(spell(items, "c")).toEqual(["day", "a first last", "day", "b first last", "new", "c first last"]);
  });

  it("are none without messages", () => expect(rowsOf([], undefined)).toEqual([]));
});

describe("the name of a day", () => {
  const name = (at: number): string => dayName(at, noon, "en", "Today", "Yesterday");
  it("is relative while that is shorter", () => {
    expect(name(noon - minute)).toBe("Today");
    expect(name(noon - 86_400_000)).toBe("Yesterday");
    // A clock of the relay that runs ahead of this one.
    expect(name(noon + 86_400_000)).toBe("Sunday, November 22");
  });
  it("names the year only of another year", () => {
    expect(name(new Date(2026, 2, 1).getTime())).toBe("Sunday, March 1");
    expect(name(new Date(2025, 2, 1).getTime())).toBe("Saturday, March 1, 2025");
  });
});
