/** Draws text within a line. The switch is all there is: no data reaches a tag, a style or an attribute but `href`. */

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
        // What it does is said from elsewhere: within, it would be copied, and end the paragraph for who clicks thrice.
        <a href={node.href} target="_blank" rel="noopener noreferrer nofollow ugc" aria-describedby="tab">
          {node.children.map(inline)}
          {node.host && <bdi class="host"> ({node.host})</bdi>}
        </a>
      );
  }
}
