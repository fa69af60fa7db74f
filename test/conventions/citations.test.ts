/**
 * A number in a comment, a test's title or a document (`R-223`, `A24`, `RELIABILITY A24`, `RELIABILITY 3c.4`, `WIDGET 3.4`)
 * resolves: it is a heading or a table row in `relay/docs` or `widget/docs`, and in the document that the citation names.
 */
import { describe, expect, it } from "vitest";
import { rootFiles, sources } from "./sources.ts";

const inDocs = (path: string): boolean => /^(relay|widget)\/docs\//.test(path);
const documents = [...rootFiles(".md"), ...sources(".md")];
const code = sources(".ts", ".tsx", ".css").filter(({ path }) => path !== "test/conventions/citations.test.ts");

/** Forms that can only be a citation. `R-48x` and `interface section 7` never resolve: a search does not find them. */
const SPELLED =
  /\bR-\d+x+\b|\bR-\d{3}\b|\b(?:RELIABILITY|BEHAVIOUR|WIDGET) (?:finding \d+|\d[a-g](?:\.\d)?|\d(?:\.\d+)?|[A-Z]\d+[a-z]?)(?!\w)|\b[Ii]nterface (?:section )?\d(?:\.\d)?\b/g;
/** The end of a line behind which a citation goes on. */
const BROKEN = /\b(?:RELIABILITY|BEHAVIOUR|WIDGET)$/;
/** What a comment has before the words of its next line. */
const MARGIN = /^\s*(?:\*|\/\/)?\s*/;
/**
 * Short forms, which only count in comments and titles: threats, capabilities, faults and suites. Without S3, which is
 * also the name of the storage.
 */
const SHORT =
  /(?<![\w#/.-])(?:A(?:[1-9]|[1-3]\d|40)|C(?:[1-9]|[12]\d)|F(?:[1-9]|[12]\d|3[0-3])|S(?:[124-9]|1[0-3])[bc]?|X[1-7])(?![\w-])/g;
/** Sections of notes that are not in the repository. */
const OTHER_NOTES = /\b(?:MEASURED|PEERS|LOOK|EXAMPLES|DESIGN)(?:\.md)? \d\w*/g;

/** The word by which citations name a document: `RELIABILITY` for `relay/docs/reliability.md`. */
const wordOf = (path: string): string => /([^/]+)\.md$/.exec(path)?.[1] ?? "";

/** The names that the documents define, in lower case; a row of a table also with its document: `a24` and `reliability a24`. */
const defined = new Set(
  documents
    .filter(({ path }) => inDocs(path))
    .flatMap(({ path, text }) => {
      const headings = /^#{2,4} ((?:R-\d{3})|(?:RELIABILITY|BEHAVIOUR|WIDGET|Interface) (?:finding )?[\w.]+?)[: ]/gm;
      const rows = [...text.matchAll(/^\| ([ACFSX]\d{1,2}[bc]?) \|/gm)].map(([, name = ""]) => name);
      const named = [...text.matchAll(headings)].map(([, name = ""]) => name);
      return [...named, ...rows, ...rows.map((name) => `${wordOf(path)} ${name}`)];
    })
    .map((name) => name.toLowerCase()),
);

/** The comments and the titles of tests of one file, line by line. */
function commentsAndTitles(text: string): string[] {
  return text.split("\n").map((line) => /(?:^|\s)(?:\/\/|\/?\*).*$|\b(?:it|describe)\(.*$/.exec(line)?.[0] ?? "");
}

/** A line of a list, with the next one when a citation goes on there. */
const wholeLine = (line: string, index: number, lines: readonly string[]): string =>
  BROKEN.test(line) ? `${line} ${lines[index + 1]?.replace(MARGIN, "")}` : line;

/** `path:line: citation` of every citation in these lines that no document defines. */
function unresolved(path: string, lines: string[], pattern: RegExp): string[] {
  return lines.map(wholeLine).flatMap((line, index) =>
    [...line.matchAll(pattern)]
      .map(([cited]) => cited)
      .filter((cited) => !defined.has(cited.toLowerCase()))
      .map((cited) => `${path}:${index + 1}: ${cited}`),
  );
}

describe("citations", () => {
  it("resolve to a heading or a row of the documents", () => {
    expect(defined.size).toBeGreaterThan(300);
    const inCode = code.flatMap(({ path, text }) => [
      ...unresolved(path, text.split("\n"), SPELLED),
      ...unresolved(path, commentsAndTitles(text), SHORT),
    ]);
    const inText = documents.flatMap(({ path, text }) => unresolved(path, text.split("\n"), SPELLED));
    expect([...inCode, ...inText]).toEqual([]);
  });

  it("are found in every form, also over the end of a line, and count for the document that they name", () => {
    const lines = [
      "// The socket stays open (WIDGET M16), and a half-open one too (WIDGET 3.4).",
      " * Reads take turns (RELIABILITY A24), and pictures lose their metadata (BEHAVIOUR C4, RELIABILITY C4).",
      " * Clients take turns (RELIABILITY",
      " * A99). Others wait (BEHAVIOUR",
      " * C4).",
      "// Grants (R-48x) return errors (interface section 7).",
    ];
    expect(unresolved("sample.ts", lines, SPELLED)).toEqual([
      "sample.ts:1: WIDGET M16",
      "sample.ts:2: RELIABILITY C4",
      "sample.ts:3: RELIABILITY A99",
      "sample.ts:6: R-48x",
      "sample.ts:6: interface section 7",
    ]);
  });

  it("name no notes outside the repository", () => {
    const outside = code.flatMap(({ path, text }) => unresolved(path, text.split("\n"), OTHER_NOTES));
    expect(outside).toEqual([]);
  });
});
