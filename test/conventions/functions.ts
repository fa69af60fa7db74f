/**
 * The lengths of the functions of the repository (`node test/conventions/functions.ts` prints the long ones of the product). A
 * function's length is the number of its lines, from its first to its last, functions inside it included.
 */
import { parseSync } from "vite";
import { isTest, type Source, sources } from "./sources.ts";

export type FunctionLength = { path: string; line: number; name: string; lines: number };

type Node = { type: string; start: number; end: number; [key: string]: unknown };

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
/** Nodes that may be between a function and the variable that it is assigned to: `const name = wrap(() => …)`. */
const TRANSPARENT = new Set(["CallExpression", "TSAsExpression", "TSSatisfiesExpression", "ParenthesizedExpression"]);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const textOf = (node: unknown): string | undefined =>
  isNode(node) && typeof node.name === "string" ? node.name : undefined;

/** The name of a declaration, variable, property or method that holds the function. */
function nameOf(node: Node, ancestors: readonly Node[]): string | undefined {
  const parent = ancestors.findLast(({ type }) => !TRANSPARENT.has(type));
  return textOf(node.id) ?? textOf(parent?.id) ?? textOf(parent?.key);
}

/** Every named function of a file, and every anonymous one that is not inside another function. */
export function functionsOf(source: Source): FunctionLength[] {
  return functionsIn(source, (node, ancestors) => {
    const isOutermost = !ancestors.some(({ type }) => FUNCTIONS.has(type));
    return nameOf(node, ancestors) ?? (isOutermost ? "(anonymous)" : undefined);
  });
}

/** The functions of a file to which `nameFor` gives a name. */
function functionsIn(
  { path, text }: Source,
  nameFor: (node: Node, ancestors: readonly Node[]) => string | undefined,
): FunctionLength[] {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineAt = (offset: number): number => breaks.filter((at) => at < offset).length + 1;
  const found: FunctionLength[] = [];
  const visit = (node: Node, ancestors: readonly Node[]): void => {
    const name = FUNCTIONS.has(node.type) ? nameFor(node, ancestors) : undefined;
    if (name !== undefined) {
      const line = lineAt(node.start);
      found.push({ path, line, name, lines: lineAt(node.end) - line + 1 });
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, [...ancestors, node]);
  };
  visit(parseSync(path, text).program as unknown as Node, []);
  return found;
}

/** Calls that define a test or a hook. Their callbacks are measured; the functions around them are not. */
const TEST_CALLS = new Set(["it", "test", "describe", "beforeAll", "beforeEach", "afterAll", "afterEach"]);

/** Name of the called function, without what modifies it: `it` for `it.each([…])(…)`. */
function calleeOf(node: Node): string | undefined {
  const { callee, object, tag } = node as { callee?: unknown; object?: unknown; tag?: unknown };
  const inner = [callee, object, tag].find(isNode);
  return inner === undefined ? textOf(node) : calleeOf(inner);
}

/** Whether a node defines a test, a hook or a suite. */
const isTestCall = (node: Node): boolean => node.type === "CallExpression" && TEST_CALLS.has(calleeOf(node) ?? "");

/** Whether a function's own statements, or those of its loops and branches, define tests. */
function definesTests(node: Node): boolean {
  const children = Object.values(node).flat().filter(isNode);
  return children.some((child) => isTestCall(child) || (!FUNCTIONS.has(child.type) && definesTests(child)));
}

/**
 * The functions of a file of tests: every named function, and the callback of every test and hook. Bodies of `describe`, and
 * functions that define tests themselves, are left out: they are lists of tests.
 */
export function testFunctionsOf({ path, text }: Source): FunctionLength[] {
  return functionsIn({ path, text }, (node, ancestors) => {
    if (definesTests(node)) return undefined;
    const parent = ancestors.at(-1);
    if (parent !== undefined && isTestCall(parent)) return `${calleeOf(parent)} callback`;
    return nameOf(node, ancestors);
  });
}

/** The named functions of everything that ships, longest first. */
export const productFunctions = (): FunctionLength[] => measured((path) => !isTest(path), functionsOf);

/** The functions of all tests, fixtures and tools, longest first. */
export const testFunctions = (): FunctionLength[] => measured(isTest, testFunctionsOf);

const measured = (wanted: (path: string) => boolean, read: (source: Source) => FunctionLength[]): FunctionLength[] =>
  sources(".ts", ".tsx")
    .filter(({ path }) => wanted(path))
    .flatMap(read)
    .sort((a, b) => b.lines - a.lines);

/** The length that the given share of functions does not exceed. @param share 0 to 1 */
export function quantile(functions: readonly FunctionLength[], share: number): number {
  const lengths = functions.map(({ lines }) => lines).sort((a, b) => a - b);
  return lengths[Math.ceil(lengths.length * share) - 1] ?? 0;
}

/** One line with the number of functions, their median, their 90th percentile and the longest. */
export function summary(functions: readonly FunctionLength[]): string {
  const [median, p90, longest] = [0.5, 0.9, 1].map((share) => quantile(functions, share));
  return `${functions.length} functions: median ${median} lines, p90 ${p90}, longest ${longest}`;
}

if (import.meta.main) {
  const functions = productFunctions();
  for (const { path, line, name, lines } of functions.filter(({ lines }) => lines > 40))
    console.log(`${String(lines).padStart(4)}  ${name}  ${path}:${line}`);
  console.log(summary(functions));
}
