/**
 * Replies as a small tree: text, bold, italic, strike, code, code block, list, link. A subset of Markdown in one linear
 * pass; everything else, HTML included, is text. The tree is drawn by a fixed switch, so nothing from outside becomes
 * markup, and links are only what `new URL` reads as one of four schemes.
 */

import { DEPTH_MAX, type Inline, parseInline, textOf } from "./inline.ts";

/** An item may hold lists and code of its own. */
export type List = { kind: "list"; ordered: boolean; start: number; items: Block[][] };
export type Block = { kind: "paragraph"; children: Inline[] } | { kind: "code"; text: string } | List;

const LIST = /^\s{0,12}(?:[-*+•]|(\d{1,9})[.)])[ \t]+(?=\S)/;
const HEADING = /^ {0,3}#{1,6}[ \t]+/;

/** A reply as blocks. */
export const parseMarkdown = (text: string): Block[] => readBlocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);

/** How far in a line begins. A tab is one step, as two spaces are. */
const indentOf = (line = ""): number => (/^\s*/.exec(line)?.[0] ?? "").replaceAll("\t", "  ").length;

/** @param depth of the list that the lines stand in */
function readBlocks(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let plain = "";
  let at = 0;
  const flush = (): void => {
    const trimmed = plain.replace(/^\n+/, "").trimEnd();
    if (trimmed) blocks.push({ kind: "paragraph", children: parseInline(trimmed) });
    plain = "";
  };
  const readCode = (indent: number, fence: string): Block => {
    const code: string[] = [];
    // An open fence holds the rest.
    while (++at < lines.length && lines[at]?.trim() !== fence)
      code.push((lines[at] ?? "").replace(/^ +/, (space) => space.slice(indent)));
    at++;
    return { kind: "code", text: code.join("\n") };
  };
  const readList = (): Block => {
    const limit = indentOf(lines[at]) + 2;
    const number = LIST.exec(lines[at] ?? "")?.[1];
    const items: Block[][] = [];
    for (;;) {
      const line = lines[at] ?? "";
      const [mark, digits] = LIST.exec(line) ?? [];
      if (!mark || !digits !== !number || indentOf(line) >= limit) break;
      const item = [line.slice(mark.length)];
      let next = ++at;
      for (;;) {
        while (lines[next]?.trim() === "") next++;
        if (indentOf(lines[next]) < limit) break;
        while (at <= next) item.push((lines[at++] ?? "").replace(/^(\t| {0,2})/, ""));
        next = at;
      }
      items.push(readBlocks(item, depth + 1));
      // Blank lines between items are usual.
      if (LIST.test(lines[next] ?? "")) at = next;
    }
    return { kind: "list", ordered: !!number, start: Number(number ?? 1), items };
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const [, indent = "", fence] = /^( {0,3})(```|~~~)/.exec(line) ?? [];
    if (fence) {
      flush();
      blocks.push(readCode(indent.length, fence));
    } else if (depth < DEPTH_MAX && LIST.test(line)) {
      flush();
      blocks.push(readList());
    } else {
      if (HEADING.test(line)) {
        flush();
        const heading = line.replace(HEADING, "").replace(/[ \t]+#{1,6}[ \t]*$/, "");
        blocks.push({ kind: "paragraph", children: [{ kind: "bold", children: parseInline(heading) }] });
      } else plain += `${depth ? line.trimStart() : line}\n`;
      at++;
    }
  }
  flush();
  return blocks;
}

const wordsOf = (blocks: readonly Block[], between: string): string =>
  blocks
    .map((block) =>
      block.kind === "list"
        ? block.items.map((item) => wordsOf(item, ", ")).join(", ")
        : block.kind === "code"
          ? block.text
          : textOf(block.children),
    )
    .join(between);

/** A reply as it is read aloud: without marks. */
export const plainText = (text: string): string => wordsOf(parseMarkdown(text), " ");
