/** Links whose text is not their address. Fetched with the first message that has one. */

import { type Inline, type MakeLink, parseInline, textOf } from "./inline.ts";
import { realTarget, realTargetInWord, WORD_MAX, withoutDirectionMarks } from "./label.ts";

const withoutMarks = (node: Inline): Inline =>
  "text" in node
    ? { ...node, text: withoutDirectionMarks(node.text) }
    : { ...node, children: node.children.map(withoutMarks) };

/**
 * Makes a link with any text. A link within the text becomes text. If the text names another host than the address, `host`
 * holds the real one.
 */
export const labelledLink: MakeLink = (url, children) => {
  const flat = children.flatMap((child) => (child.kind === "link" ? child.children : [child])).map(withoutMarks);
  const shown = textOf(flat);
  const host = realTarget(url, shown);
  const label: Inline[] = shown.trim() ? flat : [{ kind: "text", text: url.href }];
  return [{ kind: "link", href: url.href, children: label, ...(host && { host }) }];
};

/** Text of a reply within one paragraph, heading or table cell, with its links. */
export function parseReplyText(text: string): Inline[] {
  const nodes = parseInline(text, labelledLink);
  return markInWords(nodes, textOf(nodes), { at: 0 });
}

/** Marks the links that stand within a word which names another host. @param seen how much of `whole` came before */
const markInWords = (nodes: readonly Inline[], whole: string, seen: { at: number }): Inline[] =>
  nodes.map((node) => {
    const from = seen.at;
    if ("text" in node) seen.at += node.text.length;
    else if (node.kind !== "link") return { ...node, children: markInWords(node.children, whole, seen) };
    else seen.at += textOf(node.children).length;
    if (node.kind !== "link" || node.host) return node;
    const around = [whole.slice(Math.max(0, from - WORD_MAX), from), whole.slice(seen.at, seen.at + WORD_MAX)] as const;
    const host = realTargetInWord(new URL(node.href), whole.slice(from, seen.at), around);
    return host ? { ...node, host } : node;
  });
