import { describe, expect, it } from "vitest";
import { emojiLanguage, emojiNames } from "./emoji-words.ts";

describe("the names of emoji", () => {
  it("are in the visitor's language, or in English if it has none", () => {
    expect([emojiLanguage("de", ["de", "en"]), emojiLanguage("cy", ["de", "en"])]).toEqual(["de", "en"]);
  });

  it("are one line for each emoji, and undefined if they cannot be fetched", async () => {
    expect(await emojiNames("en", async (tag) => `${tag} smile\n${tag} frown`)).toEqual(["en smile", "en frown"]);
    expect(await emojiNames("en", () => Promise.reject(new Error("offline")))).toBeUndefined();
  });
});
