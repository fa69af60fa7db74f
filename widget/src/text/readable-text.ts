/**
 * A reply as text for a file or the clipboard: without formatting characters, with the addresses of its links. Fetched when
 * needed.
 */

import type { Inline } from "./inline.ts";
import { type Block, type List, parseMarkdown } from "./markdown.ts";

/** Text of a line. A link whose text is not its address is followed by the address. */
function wordsOf(node: Inline): string {
  if ("text" in node) return node.text;
  const label = node.children.map(wordsOf).join("");
  return node.kind === "link" && !isAddress(label, node.href) ? `${label} (${node.href})` : label;
}

/** Whether the text of a link is its address, written with or without scheme and final slash. */
const isAddress = (label: string, href: string): boolean => {
  const bare = (text: string): string => text.replace(/^(https?:\/\/|mailto:|tel:)/i, "").replace(/\/$/, "");
  return bare(label) === bare(href);
};

const lineOf = (nodes: readonly Inline[]): string => nodes.map(wordsOf).join("");

/** Puts `mark` before the first line, and indents the others. */
const withMark = (mark: string, text: string): string => mark + text.replaceAll("\n", "\n  ");

const markOf = ({ ordered, start }: List, n: number, done: boolean | undefined): string =>
  (ordered ? `${start + n}. ` : done === undefined ? "• " : "") + (done === undefined ? "" : done ? "[x] " : "[ ] ");

function textOf(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return lineOf(block.children);
    case "code":
      return block.text;
    case "quote":
    case "card":
      return `> ${join(block.blocks, "\n\n").replaceAll("\n", "\n> ")}`;
    case "rule":
      return "---";
    case "table":
      // A spreadsheet reads tabs as separators of cells.
      return [block.head, ...block.rows]
        .map((row) => row.map((cell) => lineOf(cell).replaceAll("\n", " ")).join("\t"))
        .join("\n");
    case "list":
      return block.items.map(({ done, blocks }, n) => withMark(markOf(block, n, done), join(blocks, "\n"))).join("\n");
  }
}

const join = (blocks: readonly Block[], between: string): string => blocks.map(textOf).join(between);

/** The reply with its blocks as lines: bullets, numbers, and tabs between the cells of a table. */
export const readableText = (text: string): string => join(parseMarkdown(text), "\n\n");
