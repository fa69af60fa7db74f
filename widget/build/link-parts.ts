/**
 * Links the panel and its parts in the browser.
 *
 * When a fetch of a part fails, the panel fetches it again under a new address, because a browser may remember a failed import
 * by its address (WIDGET 2.3). The panel itself may also have such an address, so a part must not import the panel by its
 * file name: that would load a second panel with a second state. Instead each part becomes a function of the panel's exports,
 * and the panel calls it.
 */

import { type ESTree, parseSync } from "vite";

type Chunk = { fileName: string };
type Changed = { code: string; map: null };
type Edit = { start: number; end: number; text: string };
/** A pair of names: `from` in the exporting module, `to` in the importing module. */
type Binding = { from: string; to: string };

/** Names that linking adds to a chunk that fetches parts. A chunk's own declaration of one would replace or break it. */
const FETCHING_NAMES = ["shared", "given", "made", "fetchPart"];
/** The name that linking adds to a part that only imports from the panel. */
const IMPORTING_NAMES = ["shared"];

/** The function that fetches parts. It is added to the panel, and to each part that fetches another part. */
const FETCH_PART = `
const made = {};
const fetchPart = async (path) => {
  const part = await import(path).catch(() => import(path + "?" + Math.random()));
  return (made[path] ??= part.default?.(shared) ?? part);
};
`;

const nameOf = (node: ESTree.ModuleExportName): string => (node.type === "Literal" ? node.value : node.name);

/** The imports, exports and fetches of a module, with their places in its text. */
type Links = {
  imports: { source: string; bindings: Binding[]; edit: Edit }[];
  exports: Binding[];
  exportEdits: Edit[];
  fetches: { start: number; end: number }[];
};

/**
 * Reads the links of one chunk.
 * @throws Error for a form of import or export that the bundler does not write
 */
function linksOf(program: ESTree.Program): Links {
  const links: Links = { imports: [], exports: [], exportEdits: [], fetches: [] };
  for (const node of program.body) {
    const edit = { start: node.start, end: node.end, text: "" };
    if (node.type === "ImportDeclaration") {
      const bindings = node.specifiers.map((one): Binding => {
        if (one.type !== "ImportSpecifier") throw new Error(`a chunk imports all of ${node.source.value}`);
        return { from: nameOf(one.imported), to: one.local.name };
      });
      links.imports.push({ source: node.source.value, bindings, edit });
    } else if (node.type === "ExportNamedDeclaration") {
      if (node.source || node.declaration) throw new Error("a chunk exports in a form that is not expected");
      links.exports.push(...node.specifiers.map((one) => ({ from: nameOf(one.local), to: nameOf(one.exported) })));
      links.exportEdits.push(edit);
    } else if (node.type === "ExportDefaultDeclaration" || node.type === "ExportAllDeclaration")
      throw new Error("a chunk exports in a form that is not expected");
  }
  walk(program, (node) => {
    if (node.type !== "ImportExpression") return;
    const { source } = node as unknown as ESTree.ImportExpression;
    // An address that is computed at run time does not belong to a part.
    if (source.type === "Literal") links.fetches.push({ start: node.start, end: source.start });
  });
  return links;
}

type AnyNode = { type: string; start: number; end: number; [key: string]: unknown };

function walk(node: unknown, visit: (node: AnyNode) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (node && typeof node === "object") {
    if (typeof (node as AnyNode).type === "string") visit(node as AnyNode);
    for (const value of Object.values(node)) walk(value, visit);
  }
}

/** The text with each place replaced. Places do not overlap. */
const withEdits = (code: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: replacement }) => text.slice(0, start) + replacement + text.slice(end), code);

const asObject = (bindings: readonly Binding[]): string => `{ ${bindings.map(({ from, to }) => `${to}: ${from}`)} }`;
const asPattern = (bindings: readonly Binding[]): string => `{ ${bindings.map(({ from, to }) => `${from}: ${to}`)} }`;
const isPanel = (name: string): boolean => /(^|\/)panel-[^/]*$/.test(name);

/** The panel passes its exports to its parts, and exports only `start`. */
function linkPanel(code: string, links: Links, fetches: Edit[]): string {
  const shared = links.exports.filter(({ to }) => to !== "start");
  const start = links.exports.filter(({ to }) => to === "start").map(({ from }) => `${from} as start`);
  const body = withEdits(code, [...links.exportEdits, ...fetches]);
  return `${body}\nexport { ${start} };\nconst shared = ${asObject(shared)};${FETCH_PART}`;
}

/** A part of the panel becomes a function that takes the panel's exports and returns its own. */
function linkPart(code: string, links: Links, fetches: Edit[], fromPanel: readonly Binding[]): string {
  const otherImports = links.imports.filter(({ source }) => !isPanel(source));
  const imports = otherImports.map(({ edit }) => code.slice(edit.start, edit.end)).join("\n");
  const body = withEdits(code, [...links.imports.map(({ edit }) => edit), ...links.exportEdits, ...fetches]);
  const helper = fetches.length > 0 ? FETCH_PART : "";
  return `${imports}\nexport default (shared) => {\nconst ${asPattern(fromPanel)} = shared;\n${body}${helper}
return ${asObject(links.exports)};\n};`;
}

/** A part that imports nothing from the panel, but fetches parts that do. It keeps the exports of the panel for them. */
function linkFetchingPart(code: string, links: Links, fetches: Edit[]): string {
  const body = withEdits(code, [...links.exportEdits, ...fetches]);
  return `${body}\nlet shared;\nexport default (given) => {\nshared = given;\nreturn ${asObject(links.exports)};\n};${FETCH_PART}`;
}

/** Names that a chunk declares or imports at its top. */
function topNames({ body }: ESTree.Program): string[] {
  return body.flatMap((node) => {
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id?.name ?? [];
    if (node.type === "ImportDeclaration") return node.specifiers.map(({ local }) => local.name);
    if (node.type === "VariableDeclaration") return node.declarations.flatMap(({ id }) => namesIn(id));
    return [];
  });
}

/** Names that a declaration binds. For a pattern, also the names of its keys, which is harmless. */
function namesIn(pattern: unknown): string[] {
  const names: string[] = [];
  walk(pattern, (node) => {
    if (node.type === "Identifier") names.push(node.name as string);
  });
  return names;
}

/**
 * Returns a chunk as the browser gets it; the same text if nothing has to change.
 * @throws Error when the chunk declares a reserved name at its top, or a form of linking that the bundler does not write
 */
export function linked(name: string, code: string): string {
  const { program } = parseSync("chunk.js", code);
  const links = linksOf(program);
  const fetches = links.fetches.map(({ start, end }): Edit => ({ start, end, text: "fetchPart(" }));
  const fromPanel = links.imports.filter(({ source }) => isPanel(source)).flatMap(({ bindings }) => bindings);
  const isFetching = isPanel(name) || fetches.length > 0;
  if (!isFetching && fromPanel.length === 0) return code;
  checkNames(name, topNames(program), isFetching ? FETCHING_NAMES : IMPORTING_NAMES);
  if (isPanel(name)) return linkPanel(code, links, fetches);
  if (fromPanel.length > 0) return linkPart(code, links, fetches, fromPanel);
  return linkFetchingPart(code, links, fetches);
}

/** @throws Error when a chunk declares a name that linking adds */
function checkNames(chunk: string, declared: readonly string[], added: readonly string[]): void {
  const clash = declared.find((name) => added.includes(name));
  if (clash)
    throw new Error(`${chunk} declares "${clash}" at its top, a name that linking needs: rename it in its source`);
}

/** The plugin of the build. @throws Error when a chunk imports the panel, or a part, as a plain module */
export const linkedParts = {
  name: "link-parts",
  renderChunk: (code: string, { fileName }: Chunk): Changed => ({ code: linked(fileName, code), map: null }),
  generateBundle(_options: unknown, bundle: Record<string, { code?: string }>): void {
    const all = Object.entries(bundle).map(([name, { code = "" }]) => ({
      name,
      program: parseSync(name, code).program,
    }));
    const isPart = (name: string): boolean =>
      all.some((one) => one.name === name && one.program.body.some(({ type }) => type === "ExportDefaultDeclaration"));
    for (const { name, program } of all)
      for (const node of program.body) {
        const source = node.type === "ImportDeclaration" ? node.source.value : "";
        if (isPanel(source) || isPart(source.replace("./", "assets/")))
          throw new Error(`${name} imports ${source} as a plain module`);
      }
  },
};
