import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root, rootFiles, type Source, sources } from "./sources.ts";

const documents = [...rootFiles(".md"), ...sources(".md")];

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

const anchorsIn = (path: string): string[] =>
  [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** The broken relative links of a document. */
function broken({ path, text }: Source): string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  return links.flatMap(([, to = "", anchor]) => {
    const target = to === "" ? join(root, path) : join(root, dirname(path), to);
    const found = existsSync(target) && (anchor === undefined || anchorsIn(target).includes(anchor));
    return found ? [] : [`${path}: ${to}${anchor === undefined ? "" : `#${anchor}`}`];
  });
}

it("has only links to existing files and headings in its documents", () => {
  expect(documents.length).toBeGreaterThan(20);
  expect(documents.flatMap(broken)).toEqual([]);
});
