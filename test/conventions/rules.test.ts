import { describe, expect, it } from "vitest";
import { isTest, rootFiles, type Source, sources } from "./sources.ts";

const code = sources(".ts", ".tsx", ".css").filter(({ path }) => path !== "test/conventions/rules.test.ts");
const tests = code.filter(({ path }) => path.endsWith(".test.ts") || path.endsWith(".test.tsx"));
const words = [
  ...rootFiles(".md", ".json", ".yaml", ".ts"),
  ...sources(".ts", ".tsx", ".css", ".html", ".json", ".md", ".sql", ".yaml", ".yml"),
];

/** `path:line: text` of every line that matches. */
const found = (files: Source[], pattern: RegExp): string[] =>
  files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );

describe("the rules of the repository", () => {
  it("skips no test, focuses none and retries none", () => {
    const switches =
      /\b(it|test|describe)\.(skip|only|todo|fails|skipIf|runIf)\b|\bx(it|test|describe)\(|\bretry:\s*\d/;
    expect(found(tests, switches)).toEqual([]);
  });

  it("waits in tests on conditions, never on time", () => {
    expect(found(tests, /new Promise\(\(?\w*\)?\s*=>\s*setTimeout\(\w+,|timers\/promises/)).toEqual([]);
  });

  it("replaces no module: test files share a worker's modules, so it would depend on their order", () => {
    expect(found(tests, /\bvi\.(mock|doMock|unmock|doUnmock)\(/)).toEqual([]);
  });

  it("has no unfinished code and no type check switched off", () => {
    expect(found(code, /\b(TODO|FIXME|XXX)\b|@ts-(ignore|nocheck)/)).toEqual([]);
  });

  it("never turns text into markup or code in the widget", () => {
    const widget = code.filter(({ path }) => path.startsWith("widget/src/") && !tests.some((t) => t.path === path));
    const sinks =
      /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML)\b|document\.write|\beval\(|new Function\b/;
    expect(found(widget, sinks)).toEqual([]);
  });

  it("reads the page's document in the widget only by loader/document, which no element of the page can shadow", () => {
    // The tag page is the relay's own. A comment is not code.
    const widget = code.filter(({ path }) => /^widget\/src\/(?!tag-page|loader\/document)/.test(path) && !isTest(path));
    expect(found(widget, /^(?!\s*(\*|\/)).*(?<![\w/]|[^.]\.)document\./)).toEqual([]);
  });

  it('spells "email" without a hyphen in every English text, as the chat does', () => {
    const other =
      /\/locales\/|\/migrations\/|relay\/src\/hooks\/mail-words|^test\/conventions\/rules|relay\/src\/http\/(unsubscribe\.test|notice-words)/;
    const english = words.filter(({ path }) => !other.test(path));
    expect(found(english, /\be-mail/i).filter((line) => !/settings\.test/.test(line))).toEqual([]);
  });

  it("names no folder of the machine on which it was written", () => {
    expect(found(words, /(^|[\s"'`(=])\/(work|root|farm|home\/[a-z]+)\//)).toEqual([]);
  });
});
