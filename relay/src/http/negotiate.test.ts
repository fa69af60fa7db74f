import { expect, it } from "vitest";
import { encodingOf, isHeld } from "./negotiate.ts";

it.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["GZIP;q=0.8", "gzip"],
  ["br;q=0.2, gzip;q=0.9", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br ; q=0 , *", "gzip"],
  ["*", "br"],
  ["*;q=0", "identity"],
  ["identity", "identity"],
  ["identity, br;q=0.5", "identity"],
  ["identity;q=0.5, br", "br"],
  ["identity;q=0, *;q=0", "identity"],
  ["zstd", "identity"],
  ["gzip;q=nonsense", "identity"],
])("answers Accept-Encoding: %s with %s", (accept, encoding) => {
  expect(encodingOf(accept)).toBe(encoding);
});

it("recognises the client's ETag: alone, among others, or marked weak by a proxy", () => {
  expect(isHeld('"a-br"', '"a-br"')).toBe(true);
  expect(isHeld('"x", W/"a-br"', '"a-br"')).toBe(true);
  expect(isHeld("*", '"a-br"')).toBe(true);
  expect(isHeld('"a"', '"a-br"')).toBe(false);
  expect(isHeld(undefined, '"a"')).toBe(false);
});

it("reads at most twenty entries of a header, because a long one would only cost time", () => {
  const others = "x,".repeat(20);
  expect(encodingOf(`${others}br`)).toBe("identity");
  expect(isHeld(`${others}"a"`, '"a"')).toBe(false);
});
