/** Style sheets as objects instead of style elements, which a page's policy could refuse. */

/** Adds a sheet to the root. @returns a function that removes it */
export function adopt(root: ShadowRoot, css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
