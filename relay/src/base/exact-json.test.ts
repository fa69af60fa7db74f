import { expect, it } from "vitest";
import { parseExact } from "./exact-json.ts";

it("keeps the digits of whole numbers that JavaScript would round", () => {
  const text =
    '{"id":12345678901234567891,"list":[-9007199254740993],"safe":9007199254740991,"text":"12345678901234567891"}';
  expect(parseExact(text)).toEqual({
    id: "12345678901234567891",
    list: ["-9007199254740993"],
    safe: 9007199254740991,
    text: "12345678901234567891",
  });
});

it("finds such a number wherever JSON allows one", () => {
  for (const number of ["12345678901234567", "-12345678901234567"])
    for (const [before, after] of [
      ["", ""],
      [" \n", ""],
      ["[", "]"],
      ["[1 ,\t", "]"],
      ['{"text":"1234567890123456","id" :\r\n ', "}"],
    ])
      expect(JSON.stringify(parseExact(`${before}${number}${after}`))).toContain(`"${number}"`);
});

it("leaves every other value as JSON.parse gives it", () => {
  for (const text of [
    "5",
    "1.5",
    "1e400",
    "0.1234567890123456789",
    "12345678901234567.5",
    "null",
    '[true,{"a":"b"}]',
    '{"__proto__":1}',
  ])
    expect(parseExact(text)).toEqual(JSON.parse(text));
  expect(() => parseExact("{1234567890123456")).toThrow(SyntaxError);
});

it("replaces texts, also the digits of a long number", () => {
  expect(parseExact('{"owner":"u1","id":9007199254740993}', (text) => `${text.toUpperCase()}.`)).toEqual({
    owner: "U1.",
    id: "9007199254740993.",
  });
});
