/** Links with a text of their own. Fetched with the first message that has one. */

import { type Inline, type MakeLink, textOf } from "./inline.ts";
import { inOrder, realTarget } from "./label.ts";

const ordered = (node: Inline): Inline =>
  "text" in node ? { ...node, text: inOrder(node.text) } : { ...node, children: node.children.map(ordered) };

/** A link with any text. A link within the text becomes text. A text that names another target is followed by the real one. */
export const labelledLink: MakeLink = (url, children) => {
  const flat = children.flatMap((child) => (child.kind === "link" ? child.children : [child])).map(ordered);
  const shown = textOf(flat);
  const host = realTarget(url, shown);
  const label: Inline[] = shown.trim() ? flat : [{ kind: "text", text: url.href }];
  return [{ kind: "link", href: url.href, children: label, ...(host && { host }) }];
};
