import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const GUIDES = join(import.meta.dirname, "..", "relay", "docs", "guides");

/** The contents of all code fences of a kind, like `js webhook`, in all guides. */
export const snippets = (kind: string): string[] =>
  readdirSync(GUIDES).flatMap((name) =>
    [...readFileSync(join(GUIDES, name), "utf8").matchAll(/^ *```(\w+ \w+)\n([\s\S]*?)^ *```/gm)].flatMap(
      ([, found, text = ""]) => (found === kind ? [text] : []),
    ),
  );

/** The only snippet of a kind. @throws Error when there is none, or more than one */
export function snippet(kind: string): string {
  const [only, ...others] = snippets(kind);
  if (only === undefined || others.length > 0) throw new Error(`The guides must have exactly one snippet "${kind}"`);
  return only;
}

/** The code fences in the guides that name no kind, so that no test would find them, as `guide: fence`. */
export const fencesWithoutKind = (): string[] =>
  readdirSync(GUIDES).flatMap((name) =>
    [...readFileSync(join(GUIDES, name), "utf8").matchAll(/^ *```(.*)\n[\s\S]*?^ *```$/gm)].flatMap(([, kind = ""]) =>
      /^\w+ \w+$/.test(kind) ? [] : [`${name}: ${kind}`],
    ),
  );

/** The kinds of all snippets in the guides, each once. */
export const kinds = (): string[] => [
  ...new Set(
    readdirSync(GUIDES).flatMap((name) =>
      [...readFileSync(join(GUIDES, name), "utf8").matchAll(/^ *```(\w+ \w+)$/gm)].map(([, kind = ""]) => kind),
    ),
  ),
];
