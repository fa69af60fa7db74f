import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./markdown.ts";
import { isRich, plainText } from "./plain-text.ts";
import { readableText } from "./readable-text.ts";

const TABLE = "Prices:\n\n| Lamp | Price |\n|---|---:|\n| **Perch** | 40 |\n| Moth | |";
const TASKS = "- [x] Pack it\n- [ ] Send it\n  1. [Book](https://shop.example/book)\n  2. Wait";

describe("a reply that is read aloud", () => {
  it.each([
    ["Do:\n1. **Pack**\n   - box\n   - slip\n2. Call", "Do:\nPack, box, slip, Call"],
    ["## Hours\n> Mon to Fri\n\n---\n***\nBye", "Hours, Mon to Fri, Bye"],
    [TABLE, "Prices:\nLamp, Price, Perch, 40, Moth"],
    [TASKS, "Pack it, Send it, Book, Wait"],
    ["Run:\n```js\nlet a;\n```\nThen wait", "Run:\nlet a;\nThen wait"],
    ["**Two**\nlines", "Two\nlines"],
    ["a | b", "a | b"],
  ])("says %j without marks", (text, spoken) => expect(plainText(text)).toBe(spoken));
});

describe("a reply that is copied", () => {
  it.each([
    [TABLE, "Prices:\n\nLamp\tPrice\nPerch\t40\nMoth\t"],
    [TASKS, "• [x] Pack it\n• [ ] Send it\n  1. Book (https://shop.example/book)\n  2. Wait".replaceAll("• [", "[")],
    ["# Hours\n> Mon\n> Tue\n\n---\n- a\n- b", "Hours\n\n> Mon\n> Tue\n\n---\n\n• a\n• b"],
    ["See https://shop.example or [shop.example](https://shop.example)", "See https://shop.example or shop.example"],
    ["```\na\n  b\n```", "a\n  b"],
  ])("keeps of %j what a reader needs", (text, copied) => expect(readableText(text)).toBe(copied));
});

describe("the code for blocks and links", () => {
  it.each([
    TABLE,
    TASKS,
    "# a",
    "> a",
    "1) a",
    "+ a",
    "• a",
    "---",
    "* * *",
    "_ _ _",
    "~~~\na",
    "a | b\n:-: | --",
    "a|b\n:--|-",
  ])("is fetched for %j", (text) => expect(isRich(text, true)).toBe(true));

  it.each(["plain", "**bold** first", "-5 degrees", "#hashtag", "3.50 euros", "a | b", "_it_ is", "*so*", "~~gone~~"])(
    "is not fetched for %j, which is one paragraph without it",
    (text) => {
      expect(isRich(text, true)).toBe(false);
      expect(parseMarkdown(text).map(({ kind }) => kind)).toEqual(["paragraph"]);
    },
  );

  it.each([
    ["[shop](https://shop.example)", true, true],
    ["[shop](https://shop.example)", false, false],
    ["https://\u0430pple.example", false, true],
    ["Gr\u00fc\u00dfe an m\u00fcller@shop.example", false, true],
    ["See https://shop.example/a?b=c, or ask a@shop.example", true, false],
  ])("is fetched for the links of %j, of a reply: %s, where they may hide their target: %s", (text, isReply, fetched) =>
    expect(isRich(text, isReply)).toBe(fetched),
  );
});
