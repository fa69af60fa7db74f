/** Text within a line: bold, italic, strike, code, links. Nothing from outside becomes markup; see `markdown.ts`. */

import { inOrder, realTarget } from "./label.ts";

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "bold" | "italic" | "strike"; children: Inline[] }
  | { kind: "code"; text: string }
  /** `host` is set when the visible text looks like another address than the real one: see `label.ts`. */
  | { kind: "link"; href: string; host?: string; children: Inline[] };

const URL_MAX = 2_048;
/** Marks within marks, lists within lists. */
export const DEPTH_MAX = 8;

/**
 * The address as the platform reads it, if it may be followed: absolute, one of four schemes, no credentials.
 * @param raw what stood in the text
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

/** What the visitor wrote: his own text, with its addresses made links. */
export const parsePlain = (text: string): Inline[] => scan(text, false);

/** Text within a line or paragraph. */
export const parseInline = (text: string): Inline[] => scan(text, true);

type Frame = { mark: string; children: Inline[] };
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

/** One pass over the text with a stack of open marks, never deeper than eight: what closes nothing stays as it was. */
function scan(text: string, marks: boolean): Inline[] {
  const stack: Frame[] = [];
  const root: Inline[] = [];
  const lastParen = text.lastIndexOf(")");
  /** Lengths of backtick runs that do not occur any more: looked for once, not once for every run. */
  const noTicks = new Set<number>();
  let out = root;
  let plain = "";
  let at = 0;

  const push = (...nodes: Inline[]): void => {
    if (plain) out.push({ kind: "text", text: plain });
    plain = "";
    out.push(...nodes);
  };
  const open = (mark: string): void => {
    push();
    out = [];
    stack.push({ mark, children: out });
  };
  /** Takes the newest frame off and answers what was in it. */
  const pop = (): Frame => {
    push();
    const frame = stack.pop() ?? { mark: "", children: [] };
    out = stack.at(-1)?.children ?? root;
    return frame;
  };
  /** Marks above this depth were none: they and what followed them are text. */
  const flatten = (depth: number): void => {
    while (stack.length > depth) {
      const { mark, children } = pop();
      out.push({ kind: "text", text: mark }, ...children);
    }
  };

  const code = (): number => {
    let run = 1;
    while (text[at + run] === "`") run++;
    const ticks = "`".repeat(run);
    const end = noTicks.has(run) ? -1 : text.indexOf(ticks, at + run);
    if (end < 0) {
      noTicks.add(run);
      plain += ticks;
      return run;
    }
    push({ kind: "code", text: text.slice(at + run, end).replace(/^ (.*\S.*) $/s, "$1") });
    return end + run - at;
  };

  const emphasis = (char: string): number => {
    const mark = text[at + 1] === char ? char + char : char;
    const kind = KINDS[mark];
    if (!kind) return 0;
    const before = text[at - 1];
    const after = text[at + mark.length];
    // snake_case and 2*3*4 are no emphasis; a bold word within Chinese text is.
    const inWord = mark === "*" ? isLatin(before) && isLatin(after) : char === "_" && isWord(before) && isWord(after);
    const depth = stack.findLastIndex((frame) => frame.mark === mark);
    if (depth >= 0 && !isSpace(before) && !inWord) {
      flatten(depth + 1);
      const { children } = pop();
      out.push(children[0] ? { kind, children } : { kind: "text", text: mark + mark });
    } else if (!isSpace(after) && !inWord && stack.length < DEPTH_MAX) open(mark);
    else plain += mark;
    return mark.length;
  };

  /** `](address)` or `](address "title")` from the bracket on. */
  const target = (): { url: URL; length: number } | undefined => {
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
  };
  const closeLink = (): number => {
    const depth = stack.findLastIndex((frame) => frame.mark.endsWith("["));
    if (depth < 0) return 0;
    const found = target();
    flatten(found ? depth + 1 : depth);
    if (!found) return 0;
    const { children } = pop();
    out.push(link(found.url, children));
    return found.length;
  };

  /** An address that stands in the text by itself, perhaps in angle brackets. */
  const address = (): number => {
    const angle = text[at] === "<" ? 1 : 0;
    const scheme = /^(?:https?:\/\/|mailto:|tel:|www\.)/i.exec(text.slice(at + angle, at + angle + 8))?.[0];
    if (!scheme || isWord(text[at - 1])) return 0;
    const raw = addressAt(
      text,
      at + angle,
      stack.some(({ mark }) => mark.endsWith("[")),
    );
    // Text as a whole. Else the password and the host would read as somebody's mail address, and in a text longer than any
    // address, each "www." would be read up to the limit anew.
    if (/^(https?:\/\/|www\.)[^/?#]*@/i.test(raw) || (/^w/i.test(raw) && raw.length + 8 > URL_MAX)) {
      plain += text.slice(at, at + angle + raw.length);
      return angle + raw.length;
    }
    const url = raw.length > scheme.length && safeUrl(/^w/i.test(scheme) ? `https://${raw}` : raw);
    if (!url || (angle && text[at + 1 + raw.length] !== ">")) return 0;
    push(link(url, [{ kind: "text", text: raw }]));
    return raw.length + 2 * angle;
  };

  /** `name@host.tld`: the name has been read already. */
  const mail = (): number => {
    const host = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![a-z0-9-])/i.exec(text.slice(at + 1, at + 254))?.[0];
    // Asked second: a slice of what was added to so often copies all of it.
    const name = host && /[\p{L}\p{N}][\w.!#$%&'+/=?^{|}~-]{0,63}$/u.exec(plain.slice(-64))?.[0];
    const url = name && safeUrl(`mailto:${name}@${host}`);
    if (!url) return 0;
    plain = plain.slice(0, -name.length);
    push(link(url, [{ kind: "text", text: `${name}@${host}` }]));
    return host.length + 1;
  };

  /** Reads what begins here; answers how many characters, 0 for a plain one. */
  const step = (char: string): number => {
    if (char === "@") return mail();
    if (/[hmtw<]/i.test(char)) return address();
    if (!marks) return 0;
    if (char === "`") return code();
    if (/[*_~]/.test(char)) return emphasis(char);
    if (char === "]") return closeLink();
    // A picture is offered as a link: nothing is fetched from elsewhere because a message said so.
    const bracket = char === "[" ? "[" : text.startsWith("![", at) ? "![" : "";
    if (bracket && stack.length < DEPTH_MAX) open(bracket);
    else if (char === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) plain += text[at + 1];
    else return 0;
    return bracket.length || 2;
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    const read = step(char);
    if (!read) plain += char;
    at += read || 1;
  }
  flatten(0);
  push();
  return root;
}

/**
 * Up to white space or a character that ends an address, without punctuation that belongs to the sentence.
 * @param inLabel in the text of a link, which the first `]` without its `[` ends
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

/** Where the first `]` stands that closes none of the text's own brackets; else its length. */
function closingBracket(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "[") depth++;
    if (text[at] === "]" && depth-- === 0) return at;
  }
  return text.length;
}

export const textOf = (nodes: readonly Inline[]): string =>
  nodes.map((node) => ("text" in node ? node.text : textOf(node.children))).join("");

/** Links do not nest; a text that names another target is followed by the real one. */
function link(url: URL, children: Inline[]): Inline {
  const flat = children.flatMap((child) => (child.kind === "link" ? child.children : [child])).map(ordered);
  const shown = textOf(flat);
  const host = realTarget(url, shown);
  const label: Inline[] = shown.trim() ? flat : [{ kind: "text", text: url.href }];
  return { kind: "link", href: url.href, children: label, ...(host && { host }) };
}

const ordered = (node: Inline): Inline =>
  "text" in node ? { ...node, text: inOrder(node.text) } : { ...node, children: node.children.map(ordered) };
