/**
 * The page's document without what markup can put in its place (DOM clobbering): an element with a `name` is a property of
 * `document` that stands before the real one (HTML, 3.1.7). A comment with `<img name="currentScript">` must not decide where
 * the chat's code comes from.
 */

/** The document as its prototype has it. To read from: it is no node itself. */
export const pageDocument = new Proxy({} as Document, {
  get(_, name) {
    const value: unknown = Reflect.get(Document.prototype, name, document);
    return typeof value === "function" ? value.bind(document) : value;
  },
});
