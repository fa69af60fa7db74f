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

/** Sheets that a root has already. */
const adopted = new WeakMap<ShadowRoot, Set<string>>();

/** Adds a sheet to the root for good, unless it is there: for components of which many are drawn. */
export function adoptOnce(root: ShadowRoot, css: string): void {
  const sheets = adopted.get(root) ?? new Set();
  if (!sheets.has(css)) adopt(root, css);
  adopted.set(root, sheets.add(css));
}
