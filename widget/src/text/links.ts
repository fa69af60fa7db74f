/** Links whose text is not their address. Fetched with the first message that has one. */

import { type Inline, type MakeLink, textOf } from "./inline.ts";
import { realTarget, withoutDirectionMarks } from "./label.ts";

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
