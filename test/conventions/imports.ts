import { posix } from "node:path";
import type { Source } from "./sources.ts";

/** One import: by which file, of which file or package, and whether it imports types only. */
export type Import = { from: string; to: string; typeOnly: boolean };

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;"']*?\sfrom\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /(typeof\s+)?\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Every import and re-export of a file, static and dynamic, as written. */
export function importsOf({ path, text }: Source): Import[] {
  return [STATIC, DYNAMIC].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, type, to = ""]) => ({ from: path, to, typeOnly: type !== undefined })),
  );
}

/**
 * The imports of all files, with `to` as a path from the root for files of this repository. Packages keep their names.
 */
export function resolved(all: Source[]): Import[] {
  const known = new Set(all.map(({ path }) => path));
  return all.flatMap(importsOf).map((entry) => ({ ...entry, to: target(entry, known) }));
}

function target({ from, to }: Import, known: Set<string>): string {
  const own = /^@porchlight\/(shared|relay|widget)\/(.+)$/.exec(to);
  if (own === null && !to.startsWith(".")) return to;
  const path = own === null ? posix.join(posix.dirname(from), to) : `${own[1]}/${own[2]}`;
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((name) => known.has(name)) ?? path;
}

/** A cycle of files that import each other by value; undefined if there is none. */
export function cycle(imports: Import[]): string[] | undefined {
  const next = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    done.add(path);
    for (const { to } of next.get(path) ?? []) {
      const found = visit(to, [...trail, path]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const path of next.keys()) {
    const found = visit(path, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The longest chain of files that import each other by value, from this file down. The imports must have no cycle. */
export function longestChain(imports: Import[], root: string): string[] {
  const next = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const known = new Map<string, string[]>();
  const chainFrom = (path: string): string[] => {
    const chain = known.get(path) ?? [
      path,
      ...(next.get(path) ?? [])
        .map(({ to }) => chainFrom(to))
        .reduce<string[]>((longest, other) => (other.length > longest.length ? other : longest), []),
    ];
    known.set(path, chain);
    return chain;
  };
  return chainFrom(root);
}
