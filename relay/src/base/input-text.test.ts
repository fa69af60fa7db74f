import { expect, it } from "vitest";
import { isPlaceholder } from "./input-text.ts";

it.each(["", " ", "Unknown", " UNKNOWN@unknown.com ", "-", "—", "N/A"])("%j is a placeholder (R-207)", (text) => {
  expect(isPlaceholder(text)).toBe(true);
});

it.each(["Ann", "unknown person", "--", "0"])("%j is not a placeholder", (text) => {
  expect(isPlaceholder(text)).toBe(false);
});
