import { describe, expect, it } from "vitest";
import { own, reply } from "../base/ui.fixture.ts";
import { dayName, rowsOf } from "./rows.ts";

const noon = new Date(2026, 10, 21, 12).getTime();
const minute = 60_000;
const describeRows = (items: Parameters<typeof rowsOf>[0], firstNew?: string): string[] =>
  rowsOf(items, firstNew).map((row) =>
    row.kind === "message" ? `${row.item.text}${row.first ? " first" : ""}${row.last ? " last" : ""}` : row.kind,
  );

describe("the rows of a thread", () => {
  it("are grouped by author within five minutes", () => {
    const items = [
      own("a", { at: noon }),
      own("b", { at: noon + minute }),
      own("c", { at: noon + 7 * minute }),
      reply("d", { at: noon + 7 * minute }),
    ];
    expect(describeRows(items)).toEqual(["day", "a first", "b last", "c first last", "d first last"]);
  });

  it("start a new group where a reply names another author", () => {
    const by = (name: string) => ({ author: { name, end: 0 }, at: noon });
    const items = [reply("a", by("Maria")), reply("b", by("Maria")), reply("c", by("Tom")), reply("d", { at: noon })];
    expect(describeRows(items)).toEqual(["day", "a first", "b last", "c first last", "d first last"]);
  });

  it("start a new group at a new day and at the first new message", () => {
    const items = [
      own("a", { at: noon }),
      reply("b", { at: noon + 86_400_000 }),
      reply("c", { id: "c", at: noon + 86_400_001 }),
    ];
    expect(describeRows(items, "c")).toEqual(["day", "a first last", "day", "b first last", "new", "c first last"]);
  });

  it("are empty without messages", () => expect(rowsOf([], undefined)).toEqual([]));
});

describe("the name of a day", () => {
  const name = (at: number): string => dayName(at, noon, "en", "Today", "Yesterday");
  it("is relative for today and yesterday", () => {
    expect(name(noon - minute)).toBe("Today");
    expect(name(noon - 86_400_000)).toBe("Yesterday");
    // The relay's clock may be ahead of the browser's.
    expect(name(noon + 86_400_000)).toBe("Sunday, November 22");
  });
  it("includes the year only if it is not the current one", () => {
    expect(name(new Date(2026, 2, 1).getTime())).toBe("Sunday, March 1");
    expect(name(new Date(2025, 2, 1).getTime())).toBe("Saturday, March 1, 2025");
  });
});
