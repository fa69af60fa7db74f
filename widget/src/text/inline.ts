/** Inline text: bold, italic, strike, code, links. Input never becomes markup; see `markdown.ts`. */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "bold" | "italic" | "strike"; children: Inline[] }
  | { kind: "code"; text: string }
  /**
   * `host` is set when the visible text looks like another address than the real one: see `label.ts`. `picture`: it
   * was written as a picture, `![…](…)`.
   */
  | { kind: "link"; href: string; host?: string; picture?: boolean; children: Inline[] };

const URL_MAX = 2_048;
/** Deepest nesting of marks within marks, and of blocks within blocks. */
export const DEPTH_MAX = 8;

/**
 * The parsed address if a link may lead there: absolute, with one of four schemes, without credentials.
 * @param raw the address in the text
 */
export function safeUrl(raw: string): URL | undefined {
  try {
    const url = new URL(raw);
    const good = /^(https?|mailto|tel):$/.test(url.protocol) && !url.username && !url.password;
    return good && raw.length <= URL_MAX ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes a link to `url`. Returns only its text if that link is not allowed.
 * @param isBare whether its text is the address itself
 */
export type MakeLink = (url: URL, children: Inline[], isBare?: boolean) => Inline[];

/**
 * A link whose text is its address, in ASCII: the reader sees where it leads. Any other text may hide the target: it
 * stays text until `links.ts` is loaded, which compares the two.
 */
const bareLink: MakeLink = (url, children, isBare) =>
  isBare && /^[!-~]*$/.test(textOf(children)) ? [{ kind: "link", href: url.href, children }] : children;

/** Whether a visitor's own text may contain a link that `bareLink` does not make. */
export const mayHideLink = (text: string): boolean => /[^\0-~]/.test(text) && /\/\/|www\.|@|tel:/i.test(text);

/** A visitor's own text: only its addresses become links. */
export const parsePlain = (text: string, link = bareLink): Inline[] => scan(text, false, link);

/** Text of a reply within one paragraph, heading or table cell. */
export const parseInline = (text: string, link = bareLink): Inline[] => scan(text, true, link);

/** An open mark and the nodes read since. The outermost frame has no mark. */
type Frame = { mark: string; children: Inline[] };
/** One pass over a text. */
type Scan = {
  readonly text: string;
  readonly link: MakeLink;
  /** Position of the next character. */
  at: number;
  /** Plain characters that are in no node yet. */
  plain: string;
  /** Open marks, outermost first. */
  stack: Frame[];
  /** Lengths of backtick runs that do not occur again, so that each length is searched only once. */
  missingTicks: Set<number>;
  /** Position of the last `)`: no link ends after it. */
  readonly lastParen: number;
};

const KINDS: { readonly [mark: string]: "bold" | "italic" | "strike" } = {
  "**": "bold",
  __: "bold",
  "*": "italic",
  _: "italic",
  "~~": "strike",
};
const isWord = (char = " "): boolean => /[\p{L}\p{N}]/u.test(char);
const isLatin = (char = " "): boolean => /[a-z0-9]/i.test(char);
const isSpace = (char = " "): boolean => /\s/.test(char);
const asText = (text: string): Inline => ({ kind: "text", text });

/** One linear pass with a stack of open marks, at most eight deep. A mark that is not closed stays text. */
function scan(text: string, marks: boolean, link: MakeLink): Inline[] {
  const children: Inline[] = [];
  const state: Scan = {
    text,
    link,
    at: 0,
    plain: "",
    stack: [{ mark: "", children }],
    missingTicks: new Set(),
    lastParen: text.lastIndexOf(")"),
  };
  while (state.at < text.length) {
    const char = text[state.at] ?? "";
    const length = readAddress(state, char) || (marks && readMark(state, char));
    if (!length) state.plain += char;
    state.at += length || 1;
  }
  flatten(state, 1);
  push(state);
  return children;
}

/** Reads an address that begins here. Returns its length in characters, 0 if none begins. */
const readAddress = (state: Scan, char: string): number =>
  char === "@" ? readMail(state) : /[hmtw<]/i.test(char) ? readUrl(state) : 0;

/** Reads a mark of Markdown that begins here. Returns its length in characters, 0 if none begins. */
function readMark(state: Scan, char: string): number {
  const { text, at, stack } = state;
  if (char === "`") return readCode(state);
  if (/[*_~]/.test(char)) return readEmphasis(state, char);
  if (char === "]") return closeLink(state);
  // A picture becomes a link: a message must not make the browser fetch from another host.
  const bracket = char === "[" ? "[" : text.startsWith("![", at) ? "![" : "";
  if (bracket && stack.length <= DEPTH_MAX) open(state, bracket);
  else if (char === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) state.plain += text[at + 1];
  else return 0;
  return bracket.length || 2;
}

/** Appends nodes to the innermost open mark, after the plain text before them. */
function push(state: Scan, ...nodes: Inline[]): void {
  const { plain, stack } = state;
  if (plain) nodes.unshift(asText(plain));
  state.plain = "";
  stack.at(-1)?.children.push(...nodes);
}

function open(state: Scan, mark: string): void {
  push(state);
  state.stack.push({ mark, children: [] });
}

/** Closes the innermost mark. Returns what it contains. */
function pop(state: Scan): Frame {
  push(state);
  return state.stack.pop() ?? { mark: "", children: [] };
}

/** Turns marks back into text until only `depth` frames are open. */
function flatten(state: Scan, depth: number): void {
  while (state.stack.length > depth) {
    const { mark, children } = pop(state);
    push(state, asText(mark), ...children);
  }
}

/** Code between two runs of backticks of the same length. */
function readCode(state: Scan): number {
  const { text, at, missingTicks } = state;
  let run = 1;
  while (text[at + run] === "`") run++;
  const ticks = "`".repeat(run);
  const end = missingTicks.has(run) ? -1 : text.indexOf(ticks, at + run);
  if (end < 0) {
    missingTicks.add(run);
    state.plain += ticks;
    return run;
  }
  push(state, { kind: "code", text: text.slice(at + run, end).replace(/^ (.*\S.*) $/s, "$1") });
  return end + run - at;
}

/** A mark of bold, italic or strike: closes the open one of its kind, or opens one. */
function readEmphasis(state: Scan, char: string): number {
  const { text, at, stack } = state;
  const mark = text[at + 1] === char ? char + char : char;
  const kind = KINDS[mark];
  if (!kind) return 0;
  const before = text[at - 1];
  const after = text[at + mark.length];
  // snake_case and 2*3*4 are not emphasis; a marked word within Chinese text is.
  const inWord = mark === "*" ? isLatin(before) && isLatin(after) : char === "_" && isWord(before) && isWord(after);
  const depth = stack.findLastIndex((frame) => frame.mark === mark);
  if (depth > 0 && !isSpace(before) && !inWord) {
    flatten(state, depth + 1);
    const { children } = pop(state);
    push(state, children[0] ? { kind, children } : asText(mark + mark));
  } else if (!isSpace(after) && !inWord && stack.length <= DEPTH_MAX) open(state, mark);
  else state.plain += mark;
  return mark.length;
}

const isBracket = ({ mark }: Frame): boolean => mark.endsWith("[");

/** `](address)`: the text since the open bracket becomes a link. */
function closeLink(state: Scan): number {
  const depth = state.stack.findLastIndex(isBracket);
  if (depth < 0) return 0;
  const found = targetAt(state);
  flatten(state, found ? depth + 1 : depth);
  if (!found) return 0;
  const { mark, children } = pop(state);
  const picture = mark !== "[";
  push(state, ...state.link(found.url, children).map((node) => (picture ? { ...node, picture } : node)));
  return found.length;
}

/** The address in `](address)` or `](address "title")`, read from the bracket on. */
function targetAt({ text, at, lastParen }: Scan): { url: URL; length: number } | undefined {
  if (text[at + 1] !== "(" || at > lastParen) return undefined;
  let depth = 0;
  for (let end = at + 2; end < at + URL_MAX && text[end] !== "\n" && end < text.length; end++) {
    if (text[end] === "(") depth++;
    if (text[end] !== ")" || depth-- > 0) continue;
    const inside = text.slice(at + 2, end).replace(/\s+("[^"]*"|'[^']*')\s*$/, "");
    const url = safeUrl(inside.trim().replace(/^<|>$/g, ""));
    return url && { url, length: end + 1 - at };
  }
  return undefined;
}

/** A bare address, perhaps in angle brackets. */
function readUrl(state: Scan): number {
  const { text, at, stack } = state;
  const angle = text[at] === "<" ? 1 : 0;
  const scheme = /^(?:https?:\/\/|mailto:|tel:|www\.)/i.exec(text.slice(at + angle, at + angle + 8))?.[0];
  if (!scheme || isWord(text[at - 1])) return 0;
  const raw = addressAt(text, at + angle, stack.some(isBracket));
  // The whole address stays text. Otherwise the password and the host would be read as a mail address, and each "www."
  // of a very long text would be scanned up to the limit again.
  if (/^(https?:\/\/|www\.)[^/?#]*@/i.test(raw) || (/^w/i.test(raw) && raw.length + 8 > URL_MAX)) {
    state.plain += text.slice(at, at + angle + raw.length);
    return angle + raw.length;
  }
  const url = raw.length > scheme.length && safeUrl(/^w/i.test(scheme) ? `https://${raw}` : raw);
  if (!url || (angle && text[at + 1 + raw.length] !== ">")) return 0;
  push(state, ...state.link(url, [asText(raw)], true));
  return raw.length + 2 * angle;
}

/** `name@host.tld`: the name has already been read as plain text. */
function readMail(state: Scan): number {
  const { text, at, plain } = state;
  const host = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![a-z0-9-])/i.exec(text.slice(at + 1, at + 254))?.[0];
  // The name is searched second, because slicing a string that was built by many additions copies all of it.
  const name = host && /[\p{L}\p{N}][\w.!#$%&'+/=?^{|}~-]{0,63}$/u.exec(plain.slice(-64))?.[0];
  const url = name && safeUrl(`mailto:${name}@${host}`);
  if (!url) return 0;
  state.plain = plain.slice(0, -name.length);
  push(state, ...state.link(url, [asText(`${name}@${host}`)], true));
  return host.length + 1;
}

/**
 * The address that begins at `from`: up to white space or a character that ends it, without the punctuation of the
 * sentence.
 * @param inLabel whether it is in the text of a link, which ends at the first unmatched `]`
 */
function addressAt(text: string, from: number, inLabel: boolean): string {
  const whole =
    /^[^\s<>"“”«»`|\\^{}\u3000-\u3003\uff01\uff0c\uff1f\uff5c]*/u.exec(text.slice(from, from + URL_MAX))?.[0] ?? "";
  const raw = inLabel ? whole.slice(0, closingBracket(whole)) : whole;
  const count = (pattern: RegExp): number => raw.match(pattern)?.length ?? 0;
  let unopened = count(/[)\]]/g) - count(/[([]/g);
  let end = raw.length;
  for (; end > 0; end--) {
    const last = raw[end - 1] ?? "";
    if (/[)\]]/.test(last) && unopened > 0) unopened--;
    else if (!/[.,:;!?'"*_~…]/.test(last)) break;
  }
  return raw.slice(0, end);
}

/** Position of the first unmatched `]` in this text; the text's length if there is none. */
function closingBracket(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "[") depth++;
    if (text[at] === "]" && depth-- === 0) return at;
  }
  return text.length;
}

/** The text of nodes without their marks. */
export const textOf = (nodes: readonly Inline[]): string =>
  nodes.map((node) => ("text" in node ? node.text : textOf(node.children))).join("");
