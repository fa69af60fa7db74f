import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Self time of one function, in microseconds. */
export type SelfTime = { name: string; us: number };

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type Profile = { nodes: Node[]; samples?: number[] | undefined; timeDeltas?: number[] | undefined };

const ROOT = join(import.meta.dirname, "..", "..");

/** A function with its file and line. Paths are relative to the repository; packages have their names. */
function nameOf({ functionName, url, lineNumber }: Node["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url === "") return name;
  const path = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : url;
  return `${name}  ${path.replace(/^.*node_modules\//, "")}:${lineNumber + 1}`;
}

/**
 * Sums a V8 CPU profile by function, most expensive first. Leaves out idle time and the profiler's own; a function that
 * waits for the disk (SQLite's `exec` in a commit) counts as busy.
 */
export function summarize({ nodes, samples = [], timeDeltas = [] }: Profile): SelfTime[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? "?";
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[i] ?? 0));
  }
  times.delete("(idle)");
  const own = [...times].filter(([name]) => !name.includes("node:inspector"));
  return own.map(([name, us]) => ({ name, us })).sort((a, b) => b.us - a.us);
}
