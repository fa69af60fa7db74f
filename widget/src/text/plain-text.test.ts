import { describe, expect, it } from "vitest";
import { mayHideLink } from "./inline.ts";
import { plainText } from "./plain-text.ts";
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
    ["**Two**\nlines", "Two, lines"],
    ["a | b", "a, b"],
  ])("says %j without marks", async (text, plain) => expect(await plainText(text)).toBe(plain));
});

describe("a reply that is copied", () => {
  it.each([
    [TABLE, "Prices:\n\nLamp\tPrice\nPerch\t40\nMoth\t"],
    [TASKS, "• [x] Pack it\n• [ ] Send it\n  1. Book (https://shop.example/book)\n  2. Wait".replaceAll("• [", "[")],
    ["# Hours\n> Mon\n> Tue\n\n---\n- a\n- b", "Hours\n\n> Mon\n> Tue\n\n---\n\n• a\n• b"],
    ["See https://shop.example or [shop.example](https://shop.example)", "See https://shop.example or shop.example"],
    ["```\na\n  b\n```", "a\n  b"],
  ])("turns %j into text for a person to read", (text, copied) => expect(readableText(text)).toBe(copied));
});

it.each([
  ["https://\u0430pple.example", true],
  ["Gr\u00fc\u00dfe an m\u00fcller@shop.example", true],
  ["See https://shop.example/a?b=c, or ask a@shop.example", false],
  ["Gr\u00fc\u00dfe", false],
])("the code for links is fetched for the visitor's %j if a link in it may hide its target: %s", (text, fetched) =>
  expect(mayHideLink(text)).toBe(fetched),
);
