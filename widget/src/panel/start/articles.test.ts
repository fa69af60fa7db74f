import { describe, expect, it } from "vitest";
import { readArticles, search } from "./articles.ts";

const FILE = [
  { title: "Returns", text: "Send it back within **30 days**.", words: ["Rücksendung"] },
  { title: "Delivery times", text: "Two to four days. Returns take longer." },
  { title: "Our shop", url: "https://shop.example/about" },
];
const titles = (query: string): string[] => search(readArticles(FILE), query).map(({ title }) => title);

describe("help articles", () => {
  it("are all listed without a query", () => expect(titles("  ")).toEqual(["Returns", "Delivery times", "Our shop"]));

  it("are found by all words of the query, in the title first", () => {
    expect(titles("returns")).toEqual(["Returns", "Delivery times"]);
    expect(titles("days delivery")).toEqual(["Delivery times"]);
    expect(titles("lamps")).toEqual([]);
  });

  it("are found regardless of case, accents and punctuation, and by their other words", () => {
    expect(titles("RUCKSENDUNG?")).toEqual(["Returns"]);
  });

  it("are read from well-formed entries only", () => {
    const file = [null, 5, { title: "" }, { title: "No content" }, { title: "Bad link", url: "javascript:alert(1)" }];
    expect(readArticles(file)).toEqual([]);
    expect(readArticles({ title: "no list" })).toEqual([]);
  });

  it("have no address from a polluted Object.prototype (A29)", () => {
    const all: { url?: string } = Object.prototype;
    all.url = "https://evil.example/";
    try {
      expect(readArticles(FILE).map(({ url }) => url)).toEqual(["", "", "https://shop.example/about"]);
    } finally {
      delete all.url;
    }
  });
});
