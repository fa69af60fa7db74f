/** Two helpers that build nodes: nothing in the widget parses HTML, so Trusted Types have nothing to object to. */

export function element<Tag extends string>(
  tag: Tag,
  attributes?: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement {
  const made = document.createElement(tag) as Tag extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[Tag]
    : HTMLElement;
  for (const name in attributes) made.setAttribute(name, (attributes as Record<string, string>)[name] as string);
  made.append(...children);
  return made;
}

/** A 24-pixel icon of one path; decoration only: what it stands on has a name of its own. */
export function icon(path: string): SVGSVGElement {
  const [svg, shape] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag)) as [
    SVGSVGElement,
    SVGPathElement,
  ];
  shape.setAttribute("d", path);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.append(shape);
  return svg;
}
