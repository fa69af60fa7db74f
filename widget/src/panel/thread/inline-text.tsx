/**
 * Draws inline text. Each kind of node has a fixed element: message data never becomes a tag, a style, or an attribute
 * other than `href`.
 */

import type { ComponentChild } from "preact";
import type { Inline } from "../../text/inline.ts";

/** A node of the parser as an element. */
export function inline(node: Inline): ComponentChild {
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
        // "Opens in a new tab" is outside the link: inside, it would be copied too, and would cut a triple-click
        // selection.
        <a href={node.href} target="_blank" rel="noopener noreferrer nofollow ugc" aria-describedby="tab">
          {node.children.map(inline)}
          {node.host && <bdi class="host"> ({node.host})</bdi>}
        </a>
      );
  }
}
