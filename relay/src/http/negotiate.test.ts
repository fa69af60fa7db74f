import { expect, it } from "vitest";
import { encodingOf, matchesEtag } from "./negotiate.ts";

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
  expect(matchesEtag('"a-br"', '"a-br"')).toBe(true);
  expect(matchesEtag('"x", W/"a-br"', '"a-br"')).toBe(true);
  expect(matchesEtag("*", '"a-br"')).toBe(true);
  expect(matchesEtag('"a"', '"a-br"')).toBe(false);
  expect(matchesEtag(undefined, '"a"')).toBe(false);
});

it("reads at most twenty entries of a header, because a long one would only cost time", () => {
  const others = "x,".repeat(20);
  expect(encodingOf(`${others}br`)).toBe("identity");
  expect(matchesEtag(`${others}"a"`, '"a"')).toBe(false);
});
