/**
 * Parses replies into a tree of blocks: paragraphs, headings, lists, tasks, quotes, tables, rules and code. Reads a
 * subset of GitHub's Markdown in linear time; everything else, HTML included, stays text. Each kind of node is drawn as
 * a fixed element, so input never becomes markup. Fetched with the first reply.
 */

import { DEPTH_MAX, type Inline } from "./inline.ts";
import { parseReplyText } from "./links.ts";

/** `done`: whether the task of a task list is done. */
export type ListItem = { done?: boolean; blocks: Block[] };
export type List = { kind: "list"; ordered: boolean; start: number; items: ListItem[] };
/** Alignment of a column. Undefined: at its start. */
export type Align = "center" | "end" | undefined;
export type Table = { kind: "table"; align: Align[]; head: Inline[][]; rows: Inline[][][] };
export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "quote"; blocks: Block[] }
  /** A quote that begins with a heading: `relay/docs/guides/replies.md`. */
  | { kind: "card"; blocks: Block[] }
  | { kind: "rule" }
  | Table
  | List;

/** The lines that are being read. */
type Lines = {
  readonly lines: readonly string[];
  /** Index of the next line. */
  at: number;
  /** Number of lists and quotes around them. */
  readonly depth: number;
};

const LIST = /^\s{0,12}(?:[-*+•]|(\d{1,9})[.)])[ \t]+(?=\S)/;
const HEADING = /^ {0,3}#{1,6}[ \t]+/;
const QUOTE = /^ {0,3}>/;
const FENCE = /^( {0,3})(`{3,}|~{3,})/;
const TASK = /^\[([ xX])\][ \t]+/;

/** A reply as blocks. */
export const parseMarkdown = (text: string): Block[] => readBlocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  const source: Lines = { lines, at: 0, depth };
  let plain = "";
  const endParagraph = (): void => {
    const trimmed = plain.replace(/^\n+/, "").trimEnd();
    if (trimmed) blocks.push({ kind: "paragraph", children: parseReplyText(trimmed) });
    plain = "";
  };
  while (source.at < lines.length) {
    const line = lineOf(source);
    const block = readBlock(source, line);
    if (block) {
      endParagraph();
      blocks.push(block);
    } else {
      plain += `${depth ? line.trimStart() : line}\n`;
      source.at++;
    }
  }
  endParagraph();
  return blocks;
}

const lineOf = ({ lines, at }: Lines): string => lines[at] ?? "";

/** Reads the block that begins at this line. Undefined: the line belongs to a paragraph. */
function readBlock(source: Lines, line: string): Block | undefined {
  if (FENCE.test(line)) return readCode(source);
  if (isRule(line)) return readLine(source, { kind: "rule" });
  if (HEADING.test(line)) return readLine(source, heading(line));
  if (isDelimiter(source.lines[source.at + 1]) && line.includes("|")) return readTable(source);
  if (source.depth >= DEPTH_MAX) return undefined;
  if (QUOTE.test(line)) return readQuote(source);
  return LIST.test(line) ? readList(source) : undefined;
}

function readLine(source: Lines, block: Block): Block {
  source.at++;
  return block;
}

/** A line of at least three `-`, `*` or `_`. */
const isRule = (line: string): boolean => /^([-*_])\1{2,}$/.test(line.replace(/[ \t]/g, ""));

/** A heading is drawn as a bold paragraph: the chat has one heading, its title. */
function heading(line: string): Block {
  // Matches only one blank before the closing signs: a pattern for several would start again at each blank (A32).
  const text = line
    .replace(HEADING, "")
    .trimEnd()
    .replace(/[ \t]#{1,6}$/, "")
    .trimEnd();
  return { kind: "paragraph", children: [{ kind: "bold", children: parseReplyText(text) }] };
}

/** Code between two fences. Without a closing fence, all the rest is code. */
function readCode(source: Lines): Block {
  const [, indent = "", fence = ""] = FENCE.exec(lineOf(source)) ?? [];
  const code: string[] = [];
  while (++source.at < source.lines.length) {
    const line = lineOf(source);
    const end = line.trim();
    if (end.length >= fence.length && end === fence.charAt(0).repeat(end.length)) break;
    code.push(line.replace(/^ +/, (space) => space.slice(indent.length)));
  }
  source.at++;
  return { kind: "code", text: code.join("\n") };
}

/** Consecutive lines that begin with `>`: a quote, or a card if the first line is a heading. */
function readQuote(source: Lines): Block {
  const inside: string[] = [];
  for (; QUOTE.test(lineOf(source)); source.at++) inside.push(lineOf(source).replace(/^ {0,3}> ?/, ""));
  return { kind: HEADING.test(inside[0] ?? "") ? "card" : "quote", blocks: readBlocks(inside, source.depth + 1) };
}

/** Indentation of a line in columns. A tab counts as two spaces. */
const indentOf = (line = ""): number => (/^\s*/.exec(line)?.[0] ?? "").replaceAll("\t", "  ").length;

/** Consecutive items of one kind, numbered or not. */
function readList(source: Lines): List {
  const limit = indentOf(lineOf(source)) + 2;
  const number = LIST.exec(lineOf(source))?.[1];
  const items: ListItem[] = [];
  for (;;) {
    const line = lineOf(source);
    const [mark, digits] = LIST.exec(line) ?? [];
    if (!mark || !digits !== !number || indentOf(line) >= limit || isRule(line)) break;
    items.push(readItem(source, line.slice(mark.length), limit));
  }
  return { kind: "list", ordered: !!number, start: Number(number ?? 1), items };
}

/**
 * A list item with the indented lines below it, which may contain blocks.
 * @param first text of its first line
 * @param limit least indentation of a line that belongs to it
 */
function readItem(source: Lines, first: string, limit: number): ListItem {
  const { lines, depth } = source;
  const task = TASK.exec(first);
  const inside = [first.slice(task?.[0].length ?? 0)];
  let next = ++source.at;
  for (;;) {
    while (lines[next]?.trim() === "") next++;
    if (indentOf(lines[next]) < limit) break;
    while (source.at <= next) inside.push((lines[source.at++] ?? "").replace(/^(\t| {0,2})/, ""));
    next = source.at;
  }
  // Skips the blank lines before the next item.
  if (LIST.test(lines[next] ?? "")) source.at = next;
  return { ...(task && { done: task[1] !== " " }), blocks: readBlocks(inside, depth + 1) };
}

/** The line below the head of a table: cells of dashes, with colons that set the alignment. */
const isDelimiter = (line = ""): boolean =>
  line.includes("|") && /^[-|: \t]+$/.test(line) && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));

/** Rows are not padded to the width of the table, so that a short text cannot make a huge table. */
function readTable(source: Lines): Table {
  const head = cellsOf(lineOf(source)).map(cell);
  source.at++;
  const align = cellsOf(lineOf(source)).map(alignOf);
  const rows: Inline[][][] = [];
  while (++source.at < source.lines.length && lineOf(source).includes("|"))
    rows.push(cellsOf(lineOf(source)).map(cell));
  return { kind: "table", align, head, rows };
}

const alignOf = (dashes: string): Align =>
  !dashes.endsWith(":") ? undefined : dashes.startsWith(":") ? "center" : "end";

/** A cell. AI models write `<br>` for a line break in it. */
const cell = (text: string): Inline[] => parseReplyText(text.replace(/<br *\/?>/gi, "\n"));

/** The cells of a line. `\|` is a literal bar within a cell. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let open = "";
  for (const piece of line.trim().split("|")) {
    if (piece.endsWith("\\")) open += `${piece.slice(0, -1)}|`;
    else {
      cells.push((open + piece).trim());
      open = "";
    }
  }
  if (open) cells.push(open.trim());
  if (!cells[0]) cells.shift();
  if (!cells.at(-1)) cells.pop();
  return cells;
}
