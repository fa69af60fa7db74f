/**
 * How the panel and its rarer parts come together in the browser. A part that could not be fetched is asked for once more
 * before the panel says so: each time under another address, because a browser may remember a failed import by its own
 * (WIDGET 2.3; Firefox and Safari do). The panel itself may have come by such an address, so no part imports it by name:
 * that would be a second panel. A part is a function of what the panel shares.
 */

type Chunk = { fileName: string; imports: string[]; dynamicImports: string[] };
type Changed = { code: string; map: null };

const FETCH = /\bimport\((["'`]\.\/[^"'`]+["'`])\)/g;
const FROM_PANEL = /^import \{([^}]*)\} from "\.\/panel-[^"]*";$/m;
const IMPORTS = /^import \{[^}]*\} from "[^"]*";$/gm;
const EXPORTS = /^export \{([^}]*)\};$/m;
/** A part, minified. */
const PART = /export default ?\(?\w+\)? ?=> ?\{(let|const) ?\{/;
const HELPER = `
const made = {};
const fetchPart = async (path) => {
  const part = await import(/* @vite-ignore */ path).catch(() => import(/* @vite-ignore */ path + "?" + Math.random()));
  return (made[path] ??= part.default?.(shared) ?? part);
};
`;

/** `a as b, c` as a list of pairs. */
const pairs = (list: string): [from: string, to: string][] =>
  list.split(",").map((one) => {
    const [from = "", to = from] = one.trim().split(" as ");
    return [from, to];
  });
/** What a list of exports is as an object, and a list of imports as a pattern. */
const asObject = (list: string): string => `{ ${pairs(list).map(([from, to]) => `${to}: ${from}`)} }`;
const asPattern = (list: string): string => `{ ${pairs(list).map(([from, to]) => `${from}: ${to}`)} }`;

/** The panel hands on what its parts would import, and exports what the loader calls. */
function panel(code: string): string {
  const shared = (EXPORTS.exec(code)?.[1] ?? "").replace(/, start\b/, "");
  return `${code.replace(EXPORTS, "export { start };")}const shared = ${asObject(shared)};${HELPER}`;
}

function part(code: string, taken: string, helper: string): string {
  const exported = EXPORTS.exec(code)?.[1] ?? "";
  const body = code.replace(FROM_PANEL, "").replace(EXPORTS, "");
  const others = body.match(IMPORTS)?.join("") ?? "";
  return `${others}export default (shared) => { const ${asPattern(taken)} = shared;
${body.replace(IMPORTS, "")}${helper}
return ${asObject(exported)}; };`;
}

/** A part that needs nothing of the panel, but fetches what does. */
function porter(code: string): string {
  const exported = EXPORTS.exec(code)?.[1] ?? "";
  return `${code}let shared;export default (given) => { shared = given; return ${asObject(exported)}; };${HELPER}`;
}

/** Puts every import of another chunk through a second try, and every part of the panel into the hands of its one instance. */
export const triedAgain = {
  name: "tried-again",
  renderChunk(code: string, { fileName }: Chunk): Changed | null {
    // A page of the owner's, who can load it again.
    if (fileName.startsWith("assets/snippet-")) return null;
    const changed = code.replace(FETCH, "fetchPart($1)");
    const fetches = changed !== code;
    const taken = FROM_PANEL.exec(code)?.[1];
    if (fileName.startsWith("assets/panel-")) return { code: panel(changed), map: null };
    if (taken !== undefined) return { code: part(changed, taken, fetches ? HELPER : ""), map: null };
    return fetches ? { code: porter(changed), map: null } : null;
  },
  /** @throws Error when a file imports the panel by name, or a part as if it were a plain module */
  generateBundle(_options: unknown, bundle: Record<string, { code?: string }>): void {
    for (const [name, { code = "" }] of Object.entries(bundle)) {
      if (/from ?"\.\/panel-/.test(code)) throw new Error(`${name} imports the panel by name`);
      for (const [, other] of code.matchAll(/from ?"\.\/([^"]+)"/g))
        if (PART.test(bundle[`assets/${other}`]?.code ?? ""))
          throw new Error(`${name} imports ${other}, which is a part of the panel`);
    }
  },
};
