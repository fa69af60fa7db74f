/** Style sheets as objects: no style element, so no policy of the page has anything to refuse. */

/** Adds a sheet to the root. Returns what takes it away. */
export function adopt(root: ShadowRoot, css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
