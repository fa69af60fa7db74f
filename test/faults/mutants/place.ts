/**
 * Finds the place of a mutant's edit in the sources by names and by the syntax of the code. Comments, line breaks,
 * parentheses around expressions, type annotations and the file that holds the code do not matter.
 *
 * A pattern is a piece of TypeScript: one expression, or statements (they end with `;` or `}`). In it, `$name`
 * matches any expression or, as a separate statement, any statement; `$$name` matches any number of arguments, elements,
 * properties or statements. The replacement may use both, and `$0` for the whole place.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

/** One change of the code. Its place must exist exactly once. */
export type Edit = {
  /**
   * The function, method, constant or property that contains the place. Names of outer functions or of the file may precede its
   * name: `createPool.take`, `pool.take`.
   */
  in?: string;
  /**
   * The pattern to replace. Without `find` and `text`: the body of the function, or the value of the constant or
   * property.
   */
  find?: string;
  /** What to replace inside a string, a template or an SQL file; white space does not matter. */
  text?: string;
  replace: string;
};

/** Texts of source files by path. */
export type Sources = ReadonlyMap<string, string>;

/** A file after the edit. */
type Edited = { path: string; text: string };

type Node = { type: string; start: number; end: number; [key: string]: unknown };
type Captures = Map<string, string>;
type Place = { path: string; start: number; end: number; captures: Captures; statement: boolean };
/**
 * A named piece of code. `names`: the names of the code that contains it, then its own name. `value`: the code that the name
 * refers to.
 */
type Scope = { names: string[]; value: Node };

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** A part of the repository whose sources mutants change. */
export type Part = "relay" | "widget" | "shared";
export const PARTS: readonly Part[] = ["relay", "widget", "shared"];

/** Folder of a part's sources, relative to the repository. */
export const sourceFolder = (part: Part): string => (part === "shared" ? part : join(part, "src"));

/** The sources of a part, without its tests; paths are relative to the folder of its sources. */
export function readSources(part: Part): Sources {
  const folder = join(ROOT, sourceFolder(part));
  const paths = globSync("**/*.{ts,tsx,sql}", { cwd: folder, exclude: ["**/node_modules", ".mutants"] }).filter(
    (path) => !/\.(test|fixture|d)\.(tsx?|sql)$/.test(path),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Applies the edits in order. @returns the changed files by path. @throws Error as `applyEdit` does */
export function applyEdits(sources: Sources, edits: readonly Edit[]): Sources {
  const all = new Map(sources);
  const changed = new Map<string, string>();
  for (const edit of edits) {
    const { path, text } = applyEdit(all, edit);
    all.set(path, text);
    changed.set(path, text);
  }
  return changed;
}

/**
 * Applies the edit. @throws Error when the place is not found or found more than once, or when the result cannot be
 * parsed
 */
export function applyEdit(sources: Sources, edit: Edit): Edited {
  const places = edit.text === undefined ? placesOfCode(sources, edit) : placesOfText(sources, edit, edit.text);
  const [place, ...others] = places;
  if (place === undefined) throw new Error(`not found: ${described(edit)}`);
  if (others.length > 0)
    throw new Error(`found ${places.length} times (${places.map(({ path }) => path).join(", ")}): ${described(edit)}`);
  const text = sources.get(place.path) ?? "";
  const edited = text.slice(0, place.start) + replacement(edit, place, text) + text.slice(place.end);
  if (!place.path.endsWith(".sql")) parsed(place.path, edited);
  return { path: place.path, text: edited };
}

const described = ({ in: scope, find, text }: Edit): string =>
  [scope && `in ${scope}`, find ?? text ?? "its value"].filter(Boolean).join(": ");

/** The text that replaces the place. A removed statement leaves `;`, so that an `if` before it keeps a body. */
function replacement({ replace, text: inString }: Edit, place: Place, text: string): string {
  if (inString !== undefined) return replace;
  if (place.statement && replace === "") return ";";
  return replace.replace(/\$+\w+/g, (name) =>
    name === "$0" ? text.slice(place.start, place.end) : (place.captures.get(name) ?? name),
  );
}

/** The sources that contain every word of the edit. Only these are parsed. */
function candidates(sources: Sources, { in: scope = "", find = "", text = "" }: Edit): [path: string, text: string][] {
  const words = new Set(`${scope.split(".").slice(1).join(" ")} ${find} ${text}`.match(/(?<![$\w])[a-z_]\w*/gi));
  return [...sources].filter(([, source]) => [...words].every((word) => source.includes(word)));
}

function placesOfText(sources: Sources, edit: Edit, wanted: string): Place[] {
  const pattern = new RegExp(wanted.trim().split(/\s+/).map(escaped).join("\\s+"), "g");
  return candidates(sources, edit).flatMap(([path, text]) => {
    const strings = path.endsWith(".sql") ? [{ start: 0, end: text.length }] : stringsOf(path, text, edit);
    return strings.flatMap((string) =>
      [...text.slice(string.start, string.end).matchAll(pattern)].map((match) => {
        const start = string.start + match.index;
        return { path, start, end: start + match[0].length, captures: new Map(), statement: false };
      }),
    );
  });
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

function stringsOf(path: string, text: string, edit: Edit): { start: number; end: number }[] {
  const strings = new Map<number, Node>();
  for (const { value } of scopesOf(path, text, edit.in))
    for (const node of nodesOf(value))
      if (node.type === "TemplateElement" || (node.type === "Literal" && typeof node.value === "string"))
        strings.set(node.start, node);
  return [...strings.values()];
}

function placesOfCode(sources: Sources, edit: Edit): Place[] {
  const pattern = edit.find === undefined ? undefined : patternOf(edit.find);
  return candidates(sources, edit).flatMap(([path, text]) => {
    if (path.endsWith(".sql")) return [];
    const places = new Map<string, Place>();
    for (const { value } of scopesOf(path, text, edit.in))
      for (const found of pattern === undefined ? [whole(value)] : matches(pattern, value, text))
        places.set(`${found.start}-${found.end}`, { path, ...found });
    return [...places.values()];
  });
}

const whole = ({ start, end }: Node): Omit<Place, "path"> => ({ start, end, captures: new Map(), statement: false });

const trees = new Map<string, Node>();

/** @throws Error when the text is not TypeScript */
function parsed(path: string, text: string): Node {
  const known = trees.get(text);
  if (known !== undefined) return known;
  const { program, errors } = parseSync(path, text, { preserveParens: false, range: false });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const tree = program as unknown as Node;
  trees.set(text, tree);
  return tree;
}

/** Every piece of code with this name; without a name, the whole file. */
function scopesOf(path: string, text: string, name: string | undefined): Scope[] {
  if (name === undefined) return [{ names: [], value: parsed(path, text) }];
  const wanted = name.split(".");
  return allScopes(path, text).filter(({ names }) => names.at(-1) === wanted.at(-1) && isWithin(wanted, names));
}

const scopesOfTexts = new Map<string, Scope[]>();

/** The file and every named piece of code in it. */
function allScopes(path: string, text: string): Scope[] {
  const known = scopesOfTexts.get(text);
  if (known !== undefined) return known;
  const file = (path.split("/").at(-1) ?? "").replace(/\.tsx?$/, "");
  const tree = parsed(path, text);
  const scopes: Scope[] = [{ names: [file], value: tree }];
  collect(tree, [file], scopes);
  scopesOfTexts.set(text, scopes);
  return scopes;
}

/** Whether `names` contains all of `wanted`, in the same order. */
function isWithin(wanted: string[], names: string[]): boolean {
  let from = 0;
  return wanted.every((part) => {
    const at = names.indexOf(part, from);
    from = at + 1;
    return at >= 0;
  });
}

function collect(node: Node, around: string[], scopes: Scope[]): void {
  const name = nameOf(node);
  const names = name === undefined ? around : [...around, name];
  const value = name === undefined ? undefined : valueNamed(node);
  if (value !== undefined) scopes.push({ names, value });
  for (const child of childrenOf(node)) collect(child, names, scopes);
}

const NAMED = ["FunctionDeclaration", "VariableDeclarator", "Property", "MethodDefinition", "PropertyDefinition"];

function nameOf(node: Node): string | undefined {
  if (!NAMED.includes(node.type) || node.shorthand === true) return undefined;
  const id = (node.id ?? node.key) as { name?: string; value?: unknown } | undefined;
  return id?.name ?? (typeof id?.value === "string" ? id.value : undefined);
}

/** The code that a name refers to: the body of a function, otherwise the value. */
function valueNamed(node: Node): Node | undefined {
  const value = (node.type === "FunctionDeclaration" ? node : (node.init ?? node.value)) as Node | null | undefined;
  return ((value?.body as Node | null | undefined) ?? value) || undefined;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** Consecutive statements, or one expression. */
type Pattern = { statements: Node[] } | { expression: Node };

function patternOf(find: string): Pattern {
  // `return` and `await` are only allowed in a function.
  const isObject = find.trimStart().startsWith("{");
  const program = parsed("pattern.ts", `async function f() {${isObject ? `(${find})` : find}\n}`);
  const [{ body }] = (program.body as Node[]).map((holder) => holder.body as { body: Node[] }) as [{ body: Node[] }];
  const [first] = body;
  const single = body.length === 1 && first?.type === "ExpressionStatement" && !find.trimEnd().endsWith(";");
  return single ? { expression: first.expression as Node } : { statements: body };
}

function matches(pattern: Pattern, root: Node, text: string): Omit<Place, "path">[] {
  return "expression" in pattern
    ? [...nodesOf(root)].flatMap((node) => {
        const captures: Captures = new Map();
        const { start, end } = node;
        return sameNode(pattern.expression, node, captures, text) ? [{ start, end, captures, statement: false }] : [];
      })
    : [...statementLists(root)].flatMap((row) => matchesInList(pattern.statements, row, text));
}

/** Every list of statements. A single one, such as the body of an `if`, is a list of one. */
function* statementLists(node: Node): Generator<Node[]> {
  for (const value of Object.values(node)) {
    if (Array.isArray(value) && value.some(isStatement)) yield value as Node[];
    else if (isNode(value) && isStatement(value) && value.type !== "BlockStatement") yield [value];
  }
  for (const child of childrenOf(node)) yield* statementLists(child);
}

const isStatement = (value: unknown): boolean => isNode(value) && /Statement$|Declaration$/.test(value.type);

function matchesInList(pattern: Node[], row: Node[], text: string): Omit<Place, "path">[] {
  return row.flatMap((first, at) => {
    const captures: Captures = new Map();
    const last = row[at + pattern.length - 1];
    if (last === undefined) return [];
    const same = pattern.every((part, i) => sameNode(part, row[at + i], captures, text));
    return same ? [{ start: first.start, end: last.end, captures, statement: true }] : [];
  });
}

/** Properties that are not compared: positions, types, and how a literal is written. */
const IGNORED = new Set([
  ...["type", "start", "end", "range", "raw", "parent", "loc", "shorthand", "hashbang"],
  ...["typeAnnotation", "typeArguments", "typeParameters", "returnType", "optional", "definite", "accessibility"],
]);
const TYPED = ["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression", "ParenthesizedExpression"];

/** A node without the types around an expression, or the braces around a single statement. */
function bare(node: unknown): unknown {
  if (!isNode(node)) return node;
  if (TYPED.includes(node.type)) return bare(node.expression);
  const body = node.body as Node[];
  return node.type === "BlockStatement" && body.length === 1 && !isMany(body[0]) ? bare(body[0]) : node;
}

/**
 * The name of a wildcard, if the node is only a wildcard: an identifier, a statement or a shorthand property.
 */
function wildcard(pattern: unknown): string | undefined {
  if (!isNode(pattern)) return undefined;
  if (pattern.type === "ExpressionStatement") return wildcard(pattern.expression);
  if (pattern.type === "Property" && pattern.shorthand === true) return wildcard(pattern.key);
  const name = pattern.type === "Identifier" ? String(pattern.name) : "";
  return name.startsWith("$") ? name : undefined;
}
const isMany = (pattern: unknown): boolean => wildcard(pattern)?.startsWith("$$") === true;

function sameNode(pattern: unknown, value: unknown, captures: Captures, text: string): boolean {
  const [wanted, given] = [bare(pattern), bare(value)];
  const name = wildcard(wanted);
  if (name !== undefined && isNode(value)) return capture(name, text.slice(value.start, value.end), captures);
  if (Array.isArray(wanted)) return Array.isArray(given) && sameList(wanted, given, captures, text);
  if (typeof wanted !== "object" || wanted === null) return wanted === given || (wanted ?? given ?? null) === null;
  if (typeof given !== "object" || given === null) return false;
  if (isNode(wanted) && (!isNode(given) || wanted.type !== given.type)) return false;
  return Object.entries(wanted).every(
    ([key, part]) => IGNORED.has(key) || sameNode(part, (given as Record<string, unknown>)[key], captures, text),
  );
}

/** A named wildcard matches the same code at each occurrence; `$` alone matches any code each time. */
function capture(name: string, code: string, captures: Captures): boolean {
  const known = captures.get(name);
  if (name !== "$" && name !== "$$") captures.set(name, code);
  return known === undefined || known === code;
}

function sameList(pattern: unknown[], list: unknown[], captures: Captures, text: string): boolean {
  const [first, ...others] = pattern;
  if (pattern.length === 0) return list.length === 0;
  if (!isMany(first))
    return (
      list.length > 0 && sameNode(first, list[0], captures, text) && sameList(others, list.slice(1), captures, text)
    );
  const most = list.length - others.filter((part) => !isMany(part)).length;
  for (let count = 0; count <= most; count++) {
    const tried = new Map(captures);
    const taken = list.slice(0, count) as Node[];
    const code = text.slice(taken[0]?.start ?? 0, taken.at(-1)?.end ?? 0);
    if (!capture(wildcard(first) ?? "$$", code, tried) || !sameList(others, list.slice(count), tried, text)) continue;
    for (const [name, known] of tried) captures.set(name, known);
    return true;
  }
  return false;
}
