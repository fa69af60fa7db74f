import { describe, expect, it } from "vitest";
import { authorIn } from "./reply-author.ts";

describe("the author that a reply names", () => {
  it("is read from the brackets on the first line, with the optional address of a picture", () => {
    expect(authorIn("[Maria]\nHello!")).toEqual({ name: "Maria", end: 8 });
    expect(authorIn("[Maria from support] \r\n\r\nHello!")).toMatchObject({ name: "Maria from support", end: 25 });
    const picture = "https://shop.example/maria.jpg";
    expect(authorIn(`[Maria](${picture})\nHello!`)).toEqual({ name: "Maria", picture, end: 40 });
  });

  it.each([
    ["[Maria] Hello!", "on a line with other words"],
    ["Hello!\n[Maria]\nBye", "on a later line"],
    ["[Maria]\n \n", "without a text"],
    ["[Our shop](https://shop.example/)\nis open", "as a link"],
    ["![a lamp](https://shop.example/lamp.jpg)\nis here", "as a picture"],
    ["[x]\ndone", "as a box with a tick"],
    ["[  ]\nopen", "as an empty box"],
    ["[1][2]\nsee there", "as a reference"],
    [`[${"a".repeat(41)}]\nHello!`, "with more than 40 characters"],
    ["[Maria](https://shop.example/logout?then=a.jpg)\nHello!", "with the address of a picture that has a query"],
    ["[Maria](https://shop.example/logout#a.jpg)\nHello!", "with the address of a picture that has a fragment"],
    ["[Maria](javascript:alert(1).png)\nHello!", "with something other than the address of a picture"],
  ])("is not %j: %s", (text) => expect(authorIn(text)).toBeUndefined());

  it("is searched in linear time", () => {
    expect(authorIn(`[Maria](https://a/${".png".repeat(50_000)}`)).toBeUndefined();
    expect(authorIn(`[Maria]${" \n".repeat(50_000)}`)).toBeUndefined();
  });
});
