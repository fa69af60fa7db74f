import { describe, expect, it } from "vitest";
import { parseDataUrl } from "./dataurl.ts";

describe("a data: URL", () => {
  it.each([
    ["data:image/png;base64,aGk+", "hi>", ""],
    ["data:image/png;base64,aGk ", "hi>", ""],
    ["data:image/png;BASE64,aGk%2B", "hi>", ""],
    ["data:text/plain;charset=utf-8,caf%C3%A9", "café", "text.txt"],
    ['data:text/plain;name="a%20b.txt";base64,aGk=', "hi", "a b.txt"],
    ["data:,", "", "text.txt"],
  ])("%s contains bytes, and a name if given", (url, text, name) => {
    expect(parseDataUrl(url)).toEqual({ bytes: Buffer.from(text), name });
  });

  it.each(["data:", "https://a.example", "data:image/png;base64,a*", "data:text/plain,%C3", "data:a;name=%,b"])(
    "%s is refused",
    (url) => {
      expect(parseDataUrl(url)?.bytes.length ?? 0).toBeLessThanOrEqual(1);
    },
  );
});
