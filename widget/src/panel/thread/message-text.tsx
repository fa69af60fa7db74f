/** Draws the tree of a message. The switch is all there is: no data reaches a tag, a style or an attribute but `href`. */

import type { ComponentChild, VNode } from "preact";
import { type Inline, parsePlain } from "../../text/inline.ts";
import { type Block, parseMarkdown } from "../../text/markdown.ts";
import { live } from "../base/component.ts";

/** Mirrors whatever follows, links included. No script needs them: both directions are told apart by their letters. */
const OVERRIDE = /[\u202d\u202e]/g;

/**
 * Drawn once and never compared again: browsers that translate pages replace the text nodes, and comparing would trip
 * over what they put there (preactjs/preact#948).
 */
export const MessageText = live<{ text: string; markdown: boolean }>(() => ({ text, markdown }) => {
  const words = text.replace(OVERRIDE, "");
  return markdown ? parseMarkdown(words).map(block) : <p>{parsePlain(words).map(inline)}</p>;
});

function block(part: Block): VNode {
  if (part.kind === "paragraph") return <p>{part.children.map(inline)}</p>;
  // Focusable, because it scrolls sideways.
  if (part.kind === "code") {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
      <pre dir="ltr" tabIndex={0}>
        {part.text}
      </pre>
    );
  }
  const items = part.items.map((item) => <li>{item.map(block)}</li>);
  return part.ordered ? <ol start={part.start}>{items}</ol> : <ul>{items}</ul>;
}

function inline(node: Inline): ComponentChild {
  switch (node.kind) {
    case "text":
      return node.text;
    case "code":
      return <code dir="ltr">{node.text}</code>;
    case "bold":
      return <strong>{node.children.map(inline)}</strong>;
    case "italic":
      return <em>{node.children.map(inline)}</em>;
    case "strike":
      return <s>{node.children.map(inline)}</s>;
    case "link":
      return (
        // What it does is said from elsewhere: within, it would be copied, and end the paragraph for who clicks thrice.
        <a href={node.href} target="_blank" rel="noopener noreferrer nofollow ugc" aria-describedby="tab">
          {node.children.map(inline)}
          {node.host && <bdi class="host"> ({node.host})</bdi>}
        </a>
      );
  }
}

/** Whether a message is nothing but up to three emoji. */
export function isEmojiOnly(text: string): boolean {
  return emojiOnly?.test(text.trim()) === true;
}

/** Engines without the `v` flag show emoji at the size of text. */
const emojiOnly = ((): RegExp | undefined => {
  try {
    return /^(?:\p{RGI_Emoji}\s*){1,3}$/v;
  } catch {
    return undefined;
  }
})();
