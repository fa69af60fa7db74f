import { describe, expect, it } from "vitest";
import { corpusText } from "../../../test/corpora.ts";
import { type Inline, parsePlain, safeUrl } from "./inline.ts";
import { labelledLink } from "./links.ts";
import { type Block, type List, parseMarkdown, type Table } from "./markdown.ts";

const json = <Value>(path: string): Value[] => JSON.parse(corpusText(path) || "[]") as Value[];

/** The tree in a compact notation that is easy to read in expectations. */
function spell(node: Inline | Block): string {
  switch (node.kind) {
    case "rule":
      return "(rule)";
    case "card":
    case "quote":
      return `(${node.kind} ${node.blocks.map(spell).join("\n")})`;
    case "table":
      return table(node);
    case "text":
      return node.text;
    case "code":
      return `\`${node.text}\``;
    case "link":
      return `<${node.href}|${all(node.children)}${node.host ? `|${node.host}` : ""}>`;
    case "list":
      return lists(node).join("\n");
    case "paragraph":
      return all(node.children);
    default:
      return `(${node.kind} ${all(node.children)})`;
  }
}
/** Every item with its number; nested items are indented. */
const lists = ({ ordered, start, items }: List): string[] =>
  items.flatMap(({ done, blocks }, n) => {
    const [first, ...more] = blocks.flatMap((part) => spell(part).split("\n"));
    const box = done === undefined ? "" : done ? "[x] " : "[ ] ";
    return [`${ordered ? `${start + n}.` : "*"} ${box}${first ?? ""}`, ...more.map((line) => `  ${line}`)];
  });
const table = ({ align, head, rows }: Table): string =>
  [head, align.map((side) => [{ kind: "text" as const, text: side ?? "start" }]), ...rows]
    .map((row) => `|${row.map(all).join("|")}|`)
    .join("\n");
const all = (nodes: Inline[]): string => nodes.map(spell).join("");
const show = (text: string): string => parseMarkdown(text).map(spell).join("\n---\n");

const linksOf = (nodes: (Inline | Block)[]): Extract<Inline, { kind: "link" }>[] =>
  nodes.flatMap((node) => {
    if (node.kind === "link") return [node];
    if (node.kind === "list") return linksOf(node.items.flatMap(({ blocks }) => blocks));
    if (node.kind === "quote" || node.kind === "card") return linksOf(node.blocks);
    if (node.kind === "table") return linksOf([node.head, ...node.rows].flat(2));
    return "children" in node ? linksOf(node.children) : [];
  });
const addresses = (text: string): string[] =>
  linksOf(parsePlain(text, labelledLink)).map(({ children }) => all(children));

describe("Markdown of replies", () => {
  it.each([
    ["plain text", "plain text"],
    ["two\nlines", "two\nlines"],
    ["**bold** and __bold__", "(bold bold) and (bold bold)"],
    ["*it* and _it_ and ~~gone~~", "(italic it) and (italic it) and (strike gone)"],
    ["**bold *both* bold**", "(bold bold (italic both) bold)"],
    ["snake_case_name and 2*3*4 = 24", "snake_case_name and 2*3*4 = 24"],
    ["**粗体**文字", "(bold 粗体)文字"],
    ["**open and *open", "**open and *open"],
    ["a ** b ** c", "a ** b ** c"],
    ["`code *not bold*` and ``a ` b``", "`code *not bold*` and `a ` b`"],
    ["\\*not\\* bold", "*not* bold"],
    ["# Heading #\ntext", "(bold Heading)\n---\ntext"],
    ["```js\nlet **a**;\n```\nafter", "`let **a**;`\n---\nafter"],
    ["```\nopen to the end", "`open to the end`"],
    ["- one\n- **two**\n  - deeper\n\nafter", "* one\n* (bold two)\n  * deeper\n---\nafter"],
    ["before\n1. one\n\n2. two", "before\n---\n1. one\n2. two"],
    [
      "1. **Pack it**\n   - Use the old box\n   - Add the slip\n2. **Book a pickup**\n   - Call us\n3. **Done**",
      "1. (bold Pack it)\n  * Use the old box\n  * Add the slip\n2. (bold Book a pickup)\n  * Call us\n3. (bold Done)",
    ],
    ["- Lamps:\n  1. Perch\n  2. Moth\n- Shades", "* Lamps:\n  1. Perch\n  2. Moth\n* Shades"],
    ["3. third\n4. fourth", "3. third\n4. fourth"],
    ["- a\n  - b\n    - c\n  - d\n- e", "* a\n  * b\n    * c\n  * d\n* e"],
    ["- a\n    - b\n  - c\n\t- d", "* a\n  * b\n  * c\n  * d"],
    ["1. a\n  - b\n  1) c\n2. d", "1. a\n  * b\n  1. c\n2. d"],
    ["1. a\n- b\n2. c", "1. a\n---\n* b\n---\n2. c"],
    ["- First of two\n  lines\n- Second", "* First of two\n  lines\n* Second"],
    ["1. One\n\n   More of it\n\n2. Two\n\nAfter", "1. One\n  \n  More of it\n2. Two\n---\nAfter"],
    ["- a\n- b\nThank you!", "* a\n* b\n---\nThank you!"],
    ["1. Run:\n   ```\n   a\n     b\n   ```\n2. Done", "1. Run:\n  `a\n    b`\n2. Done"],
    ["> one\n>two\n> - item\nafter", "(quote one\ntwo\n* item)\n---\nafter"],
    [
      "> ### Perch\n> Warm light\n>\n> [See it](https://a.example)",
      "(card (bold Perch)\nWarm light\n\n<https://a.example/|See it>)",
    ],
    ["> a\n>> b", "(quote a\n(quote b))"],
    ["above\n\n---\n* * *\n___\nbelow", "above\n---\n(rule)\n---\n(rule)\n---\n(rule)\n---\nbelow"],
    ["--\n-- Ann", "--\n-- Ann"],
    ["- [x] done\n- [ ] open\n- [link]", "* [x] done\n* [ ] open\n* [link]"],
    ["1. [X] **a**\n   - [ ] b", "1. [x] (bold a)\n  * [ ] b"],
    ["````\n```js\na\n```\n````\nafter", "````js\na\n````\n---\nafter"],
    [
      "Prices:\n| Lamp | Price |\n|:-----|------:|\n| **Perch** | 40 |\n| Moth | 55 |\nAll in stock.",
      "Prices:\n---\n|Lamp|Price|\n|start|end|\n|(bold Perch)|40|\n|Moth|55|\n---\nAll in stock.",
    ],
    ["a | b\n:-: | -\n1 | 2 | 3\n4 |", "|a|b|\n|center|start|\n|1|2|3|\n|4|"],
    ["| a\\|b | `x\\|y` |\n|-|-|\n| one<br>two | |", "|a|b|`x|y`|\n|start|start|\n|one\ntwo||"],
    [
      "- first\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n- second",
      "* first\n  |a|b|\n  |start|start|\n  |1|2|\n* second",
    ],
    ["a | b\nno table | here", "a | b\nno table | here"],
    ["<b>bold</b> & <script>alert(1)</script>", "<b>bold</b> & <script>alert(1)</script>"],
    ["[our page](https://example.com/a_(b))", "<https://example.com/a_(b)|our page>"],
    ['[page](https://example.com "title")', "<https://example.com/|page>"],
    ["![a lamp](https://example.com/lamp.png)", "<https://example.com/lamp.png|a lamp>"],
    ["[bad](javascript:alert(1)) [rel](/path)", "[bad](javascript:alert(1)) [rel](/path)"],
    ["[not](a link", "[not](a link"],
    [
      "see https://example.com/a, or <https://example.com/b>.",
      "see <https://example.com/a|https://example.com/a>, or <https://example.com/b|https://example.com/b>.",
    ],
    [
      "www.example.com and me@example.com",
      "<https://www.example.com/|www.example.com> and <mailto:me@example.com|me@example.com>",
    ],
    [
      "log in at https://user:pw@evil.example, <www.a:b@c.example>",
      "log in at https://user:pw@evil.example, <www.a:b@c.example>",
    ],
    ["https://example.com/@me", "<https://example.com/@me|https://example.com/@me>"],
    ["**https://example.com**", "(bold <https://example.com/|https://example.com>)"],
    ["[https://bank.example](https://evil.example/x)", "<https://evil.example/x|https://bank.example|evil.example>"],
    ["[www.shop.example](https://www.shop.example/)", "<https://www.shop.example/|www.shop.example>"],
    ["[ ](https://example.com)", "<https://example.com/|https://example.com/>"],
  ])("reads %j", (text, expected) => expect(show(text)).toBe(expected));

  it("nests lists at most eight deep", () => {
    const deep = Array.from({ length: 12 }, (_, n) => `${"\t".repeat(n)}- ${n}`).join("\n");
    expect(show(deep).split("\n").at(-1)).toBe(`${"  ".repeat(8)}- 11`);
  });

  it("nests at most eight deep, and shows what is deeper as text", () => {
    expect(show(`${"[".repeat(40)}x${"]".repeat(40)}`)).toBe(`${"[".repeat(40)}x${"]".repeat(40)}`);
  });
});

describe("links", () => {
  it("lead only to web, mail and telephone addresses without credentials", () => {
    for (const good of ["https://a.example", "HTTP://A.EXAMPLE", "mailto:a@b.example", "tel:+4712345678"]) {
      expect(safeUrl(good), good).toBeDefined();
    }
    const bad = [
      "javascript:alert(1)",
      " jAvAsCrIpT:1",
      "java\nscript:1",
      "data:text/html,x",
      "//a.example",
      "/a",
      "a",
      "https://u:p@a.example",
      "https://u@a.example",
      "https://:p@a.example",
      "file:///etc",
      "blob:https://a.example/1",
      `https://a.example/${"x".repeat(2_100)}`,
    ];
    for (const url of bad) expect(safeUrl(url), url).toBeUndefined();
  });

  it("never lead to an address that could run code (corpora/xss/url-vectors)", () => {
    const vectors = json<{ url: string }>("xss/url-vectors.json");
    for (const { url } of vectors) {
      for (const link of linksOf(parseMarkdown(`[click](${url}) ${url}`))) {
        expect(link.href).toMatch(/^(https?|mailto|tel):/);
      }
    }
  });

  it("end before the punctuation of a sentence (corpora/links/linkify-it)", () => {
    const lines = corpusText("links/linkify-it/links.txt").split("\n");
    const clean = (line = ""): string => line.replace(/(^|\s+)%.*$/, "");
    const pairs = lines.flatMap((line, at) =>
      clean(line).trim() && !clean(lines[at - 1]).trim() ? [[clean(line), clean(lines[at + 1]) || clean(line)]] : [],
    );
    // This parser ends an address at quotes and braces, and reads brackets as Markdown.
    const ours = pairs.filter(
      ([text = "", url = ""]) => /^(https?:\/\/|www\.)/i.test(url) && !/["'{}]|\/\/[^/]*@|\]\(/.test(text),
    );
    const missed = ours.filter(([text = "", url = ""]) => !addresses(text).includes(url));
    expect(missed).toEqual([]);
    expect(ours.length === 0 || ours.length > 50).toBe(true);
  });

  it("are not made from text that is not an address (corpora/links/linkify-it)", () => {
    const lines = corpusText("links/linkify-it/not_links.txt")
      .split("\n")
      .filter((line) => line.trim() && !line.startsWith("%"));
    // There is no list of top-level domains: any host counts after a scheme, but none without a scheme or `www`.
    expect(lines.filter((line) => !/:\/\/|mailto:/.test(line) && addresses(line).length > 0)).toEqual([]);
  });
});

function readable(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}

describe("test cases of other Markdown parsers (corpora/markdown)", () => {
  const cases = ["xss", "linkify", "commonmark_extras", "normalize", "proto"].flatMap((name) => {
    const parts = corpusText(`markdown/markdown-it/${name}.txt`).split(/^\.\n/m);
    return parts.filter((_, at) => at % 3 === 1);
  });

  it("give no link that can run code, and lose no letter", () => {
    for (const text of cases) {
      const blocks = parseMarkdown(text);
      for (const { href } of linksOf(blocks)) expect(href).toMatch(/^(https?|mailto|tel):/);
      const letters = (source: string): string => source.replace(/[^\p{L}\p{N}]/gu, "");
      // Addresses percent-encode some letters of the source.
      const unescaped = (source: string): string => source.replace(/(%[\dA-F]{2})+/g, (bytes) => readable(bytes));
      const left = letters(unescaped(blocks.map(spell).join("")));
      const lost = [...new Set(letters(unescaped(text.replace(/^ {0,3}(```|~~~).*$/gm, ""))))].filter(
        (letter) => !left.includes(letter),
      );
      // The list element draws the numbers of its items.
      expect(
        lost.filter((letter) => !/\d/.test(letter)),
        text,
      ).toEqual([]);
    }
  });
});
