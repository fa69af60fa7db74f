/** A reply as a text file shows it: same lines, without Markdown marks, with the address behind each link. */

import { type Inline, parseInline } from "./inline.ts";

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}[ \t]+/;
/** Bullets, quotes and indents at the start of a line. They read well as they are. */
const LINE_START = /^(?:\s|>|[-*+•][ \t])*/;

/** The text of a reply for a plain text file. Lists, quotes and tables keep their lines; code keeps every character. */
export function asTextFile(reply: string): string {
  let fence = "";
  const lines: string[] = [];
  for (const line of reply.split(/\r\n?|\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence ? line.trim() === fence : mark) fence = fence ? "" : (mark ?? "");
    else lines.push(fence ? line : withoutMarks(line));
  }
  return lines.join("\n");
}

function withoutMarks(line: string): string {
  const text = line.replace(HEADING, "");
  const start = LINE_START.exec(text)?.[0] ?? "";
  return start + wordsOf(parseInline(text.slice(start.length)));
}

const wordsOf = (nodes: readonly Inline[]): string => nodes.map(wordOf).join("");

function wordOf(node: Inline): string {
  if (!("children" in node)) return node.text;
  const words = wordsOf(node.children);
  if (!("href" in node)) return words;
  const address = node.href.replace(/^(mailto|tel):/, "");
  return address.replace(/\/$/, "") === words.replace(/\/$/, "") ? words : `${words} (${address})`;
}
