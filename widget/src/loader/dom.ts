/** Builds nodes. The widget never parses HTML, so it works with Trusted Types enforced. */

import { pageDocument } from "./document.ts";

/** Creates an element with attributes and children. */
export function element<Tag extends string>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement {
  const made = pageDocument.createElement(tag) as Tag extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[Tag]
    : HTMLElement;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A decorative 24-pixel icon of one path. Its button has its own accessible name. */
export function icon(path: string): SVGSVGElement {
  const [svg, shape] = ["svg", "path"].map((tag) =>
    pageDocument.createElementNS("http://www.w3.org/2000/svg", tag),
  ) as [SVGSVGElement, SVGPathElement];
  shape.setAttribute("d", path);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.append(shape);
  return svg;
}
