import { expect, it } from "vitest";
import { asTextFile } from "./text-file.ts";

it.each([
  ["emphasis", "**Yes**, we *do* ~~not~~ `ship`", "Yes, we do not ship"],
  ["headings", "## Prices ##\nFrom 5", "Prices ##\nFrom 5"],
  ["links", "See [our map](https://example.com/map).", "See our map (https://example.com/map)."],
  [
    "addresses",
    "https://example.com/map or [a@b.example](mailto:a@b.example)",
    "https://example.com/map or a@b.example",
  ],
])("writes %s without marks", (_, reply, text) => expect(asTextFile(reply)).toBe(text));

it("keeps the lines of lists, quotes and tables", () => {
  const text = "- one\n  - two\n1. three\n> four\n\n| a | b |\n|---|---|\n| 1 | 2 |";
  expect(asTextFile(text)).toBe(text);
});

it("keeps code as it is, also when its fence stays open", () => {
  expect(asTextFile("Run:\n```sh\na **b**\n```\n**then**")).toBe("Run:\na **b**\nthen");
  expect(asTextFile("~~~\n**a**\n```")).toBe("**a**\n```");
});

it("takes time in proportion to the text", () => {
  expect(asTextFile("**".repeat(20_000)).length).toBeLessThanOrEqual(40_000);
});
