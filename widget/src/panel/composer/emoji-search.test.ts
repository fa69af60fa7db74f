import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EMOJI_GROUPS } from "./emoji-list.ts";
import { findEmoji } from "./emoji-search.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "locales", "emoji");
const namesOf = (tag: string) =>
  readFileSync(join(FOLDER, `${tag}.txt`), "utf8")
    .trimEnd()
    .split("\n");
const all = EMOJI_GROUPS.flatMap(({ emoji }) => emoji);
const find = (query: string, tag = "en") => findEmoji(query, all, namesOf(tag));

describe("the search for emoji", () => {
  it("finds by the name first, then by other words", () => {
    expect(find("pizza")).toEqual(["🍕"]);
    expect(find("delivery")).toContain("🚚");
    expect(find("red heart")).toEqual(["❤️"]);
  });

  it("takes words of the visitor's language, without case and accents", () => {
    expect(find("DRUCKER", "de")).toContain("🖨️");
    expect(find("cafe", "fr")).toContain("☕");
    expect(find("подарок", "ru")).toContain("🎁");
    expect(find("プレゼント", "ja")).toContain("🎁");
  });

  it("finds nothing for nothing, for words that no name has, and before the names have come", () => {
    expect([find("  "), find("xyzzy"), findEmoji("pizza", all, undefined)]).toEqual([[], [], []]);
  });
});

describe("the names of emoji", () => {
  it("are one line for each emoji, in every language that has them", () => {
    const tags = readdirSync(FOLDER).map((file) => file.replace(".txt", ""));
    expect(tags).toContain("en");
    for (const tag of tags)
      expect([tag, namesOf(tag).length, namesOf(tag).filter((line) => !/^[^,]/.test(line))]).toEqual([
        tag,
        all.length,
        [],
      ]);
  });

  it("belong to emoji that are there once", () => expect(new Set(all).size).toBe(all.length));
});
