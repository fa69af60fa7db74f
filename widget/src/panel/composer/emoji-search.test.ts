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
  it("finds emoji by their name and by other words", () => {
    expect(find("pizza")).toEqual(["🍕"]);
    expect(find("delivery")).toContain("🚚");
    expect(find("red heart")).toEqual(["❤️"]);
  });

  it("matches words of the visitor's language, ignoring case and accents", () => {
    expect(find("DRUCKER", "de")).toContain("🖨️");
    expect(find("cafe", "fr")).toContain("☕");
    expect(find("подарок", "ru")).toContain("🎁");
    expect(find("プレゼント", "ja")).toContain("🎁");
  });

  it("finds nothing for an empty query, for an unknown word, and before the names are loaded", () => {
    expect([find("  "), find("xyzzy"), findEmoji("pizza", all, undefined)]).toEqual([[], [], []]);
  });
});

describe("the names of emoji", () => {
  it("have one line for each emoji, in every language file", () => {
    const tags = readdirSync(FOLDER).map((file) => file.replace(".txt", ""));
    expect(tags).toContain("en");
    for (const tag of tags)
      expect([tag, namesOf(tag).length, namesOf(tag).filter((line) => !/^[^,]/.test(line))]).toEqual([
        tag,
        all.length,
        [],
      ]);
  });

  it("belong to a list without duplicates", () => expect(new Set(all).size).toBe(all.length));
});
