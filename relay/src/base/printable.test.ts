import { expect, it } from "vitest";
import { printable } from "./printable.ts";

it("escapes characters that a terminal takes for commands, and keeps all others (A31)", () => {
  expect(printable("\u001b[2J\u009b31m\u007f\r\u202eevil\u2066\u2028")).toBe(
    "\\u001b[2J\\u009b31m\\u007f\\u000d\\u202eevil\\u2066\\u2028",
  );
  const plain = "two\tcolumns\nÉmilie 日本語 👩‍👩‍👧 مرحبا “…”";
  expect(printable(plain)).toBe(plain);
});

it("keeps the meaning of JSON", () => {
  const value = { name: "a\u009b31m\u001b[2J\u202e", lines: "one\ntwo" };
  const text = printable(JSON.stringify(value, null, 2));
  expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(JSON.parse(text)).toEqual(value);
});
