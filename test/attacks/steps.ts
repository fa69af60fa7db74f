/**
 * Counts the steps of the parsers in a separate process: blocks of code that V8 ran (precise coverage), and characters that
 * string searches and regular expressions read. A call of an expression counts the characters from where
 * it starts to where the match ends. A call that backtracks too often (`backtracking.ts`) counts the square of the text's
 * length.
 */
import { existsSync, readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { tooDeep } from "../../relay/src/base/depth.ts";
import { emailOf } from "../../relay/src/base/input-text.ts";
import { phoneOf } from "../../relay/src/base/phone.ts";
import { displayName } from "../../relay/src/files/names.ts";
import { TEXT_TYPE } from "../../relay/src/files/types.ts";
import { parseCallback } from "../../relay/src/service/callbacks.ts";
import { statedLimit, statedWait } from "../../relay/src/service/rate-limit-headers.ts";
import { parsePlain } from "../../widget/src/text/inline.ts";
import { labelledLink } from "../../widget/src/text/links.ts";
import { parseMarkdown } from "../../widget/src/text/markdown.ts";
import { readableText } from "../../widget/src/text/readable-text.ts";
import { withoutBlocks } from "../../widget/src/text/without-blocks.ts";
import { corpus } from "../corpora.ts";
import { backtracksTooOften } from "./backtracking.ts";

/** `control`: growth of a quadratic parser; `expression`: growth of a quadratic regular expression. Both are controls. */
export type Steps = { cases: { name: string; ratio: number }[]; control: number; expression: number };

let charactersRead = 0;

/** Counts the characters that a search reads: up to the match, or to the end. */
function countSearches(): void {
  const { indexOf, lastIndexOf, includes } = String.prototype;
  const { exec } = RegExp.prototype;
  String.prototype.indexOf = function (this: string, text: string, from = 0) {
    const found = indexOf.call(this, text, from);
    charactersRead += (found < 0 ? this.length : found) - from + 1;
    return found;
  };
  String.prototype.lastIndexOf = function (this: string, text: string, from = Number.POSITIVE_INFINITY) {
    const found = lastIndexOf.call(this, text, from);
    charactersRead += this.length - Math.max(0, found);
    return found;
  };
  String.prototype.includes = function (this: string, text: string, from = 0) {
    charactersRead += this.length;
    return includes.call(this, text, from);
  };
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    if (backtracksTooOften(this, text)) charactersRead += text.length ** 2;
    const found = exec.call(this, text);
    const end = found === null ? (this.sticky ? from : text.length) : found.index + found[0].length;
    // An expression that begins with ^ is only tried at the start of the text.
    charactersRead += found === null && this.source.startsWith("^") && !this.multiline ? 1 : Math.max(1, end - from);
    return found;
  };
}

const session = new Session();
session.connect();
/** Calls the inspector of this process, which answers synchronously. */
function ask<Answer>(method: string, params: object = {}): Answer {
  let answer: unknown;
  session.post(method, params, (error, said) => {
    if (error !== null) throw error;
    answer = said;
  });
  return answer as Answer;
}
type Coverage = { result: { url: string; functions: { ranges: { count: number }[] }[] }[] };

/** Steps of one call, in the repository's own files. Each reading of the counts, which takes milliseconds, also resets them. */
function stepsOf(act: () => unknown): number {
  charactersRead = 0;
  act();
  const seen = charactersRead;
  const { result } = ask<Coverage>("Profiler.takePreciseCoverage");
  const own = result.filter(({ url }) => /\/(widget|relay|shared)\//.test(url) && !url.includes("node_modules"));
  const blocks = own.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  return seen + blocks.reduce((sum, count) => sum + count, 0);
}

/** One different address for every ten characters of a text. */
const linksIn = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / 10) }, (_, n) => `https://a.example/${n}`);

const HEADERS = ["retry-after", "ratelimit", "ratelimit-policy", "x-ratelimit-reset-requests", "x-ratelimit-reset"];
const SCANNERS: { [name: string]: (text: string) => unknown } = {
  markdown: parseMarkdown,
  plain: (text) => parsePlain(text, labelledLink),
  aloud: withoutBlocks,
  copied: readableText,
  depth: (text) => tooDeep(text, 16),
  callback: (text) => parseCallback(JSON.stringify({ toId: "x", body: text })),
  files: (text) => parseCallback(JSON.stringify({ toId: "x", body: text, mediaUrl: linksIn(text) })),
  headers: (text) => HEADERS.map((name) => [statedWait(429, { [name]: text }, 0), statedLimit({ [name]: text })]),
  email: emailOf,
  name: (text) => displayName(text, TEXT_TYPE),
  phone: (text) => phoneOf(text, "GB"),
};

/** Texts on which bad parsers are slow: opening marks without an end, and ambiguous text. */
const REPEATED = [
  "[",
  "]",
  "(",
  "[a](",
  "![",
  "`",
  "``",
  "` `` ",
  "*",
  "**",
  "_",
  "*a_",
  "~~",
  "***a",
  "<",
  "<a ",
  "http://",
  "https://a.",
  "www.",
  "a@",
  "@a.b",
  "a.",
  "- ",
  " - a\n",
  "  ",
  "\t",
  "\n",
  "\\",
  "#",
  "1. ",
  "```\n",
  "> ",
  "> - ",
  "|",
  "|a|a\n|-|-\n",
  "a|-\n",
  "\\|",
  "- [ ] ",
  "---\n",
  "<br>|",
  "((",
  "https://a/(",
  "[a](b ",
  "[[]](",
  "](",
  ")",
  "**a",
  "a@a.",
  "1. a\n",
  "- a\n  b\n",
  "\t- a\n",
  "{",
  '"',
  '{"a":',
  ";",
  ",",
  '"a";',
  "0",
  "1h",
  "+1 ",
  "é",
  "\u200b",
  "👍🏽",
];

/** `REPEATED`, and about 16 lines of a corpus of links if it is present. */
function repeated(): string[] {
  const file = corpus("links/linkify-it/links.txt");
  const lines = existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "" && !line.startsWith("%"))
    : [];
  const step = Math.max(1, Math.floor(lines.length / 16));
  return [...REPEATED, ...lines.filter((_, n) => n % step === 0)];
}

/** Long rows of one character between other texts: some expressions start again at each character of the row. */
const FRAMED = [" ", "\t", ".", "-", "#", "*"].flatMap((part) =>
  ["", "# a", "a@b"].map((before) => ({ before, part, behind: "b" })),
);

/** The factor by which the steps grow when the row `part` is twice as long. */
function ratioOf(
  scan: (text: string) => unknown,
  size: number,
  { before = "", part, behind = "" }: { before?: string; part: string; behind?: string },
): number {
  const row = part.repeat(Math.ceil(size / part.length));
  const [once, twice] = [row, row + row].map((text) => stepsOf(() => scan(before + text + behind))) as [number, number];
  return twice / Math.max(once, size);
}

/** A quadratic parser as a control: for each character it searches back to the beginning. */
const quadraticScan = (text: string): number => {
  let found = 0;
  for (let at = 0; at < text.length; at++) if (text.slice(0, at).includes("\u0000")) found++;
  return found;
};

countSearches();
ask("Profiler.enable");
ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
ask("Profiler.takePreciseCoverage");
/** Larger than the longest address that a parser looks for (2,048), so that this bound does not look like growth. */
const SIZE = 5_000;
const TEXTS = [...repeated().map((part) => ({ part })), ...FRAMED];
/**
 * Every how many texts one is used. The command line's argument is the number of texts for each parser; default: all. With fewer,
 * each parser gets different texts.
 */
const step = Math.max(1, Math.floor(TEXTS.length / Number(process.argv[2] ?? TEXTS.length)));
const cases = Object.entries(SCANNERS).flatMap(([name, scan], first) =>
  TEXTS.filter((_, n) => (n + first) % step === 0).map((text) => ({
    name: `${name}: ${JSON.stringify(text)}`,
    ratio: ratioOf(scan, SIZE, text),
  })),
);
const answer: Steps = {
  cases,
  control: ratioOf(quadraticScan, SIZE, { part: "a" }),
  expression: ratioOf((text) => text.replace(/[.\s]+$/, ""), SIZE, { part: ".", behind: "b" }),
};
if (process.send === undefined)
  console.log(answer.control, answer.expression, cases.toSorted((a, b) => b.ratio - a.ratio).slice(0, 12));
else process.send(answer);
session.disconnect();
process.disconnect?.();
