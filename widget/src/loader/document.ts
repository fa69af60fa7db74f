/**
 * Reads the page's document safely against DOM clobbering: an element with a `name` hides the property of `document` with that
 * name (HTML, 3.1.7). User content such as `<img name="currentScript">` must not decide where the chat's code comes from.
 */

/**
 * Reads properties of the document through its prototype. It is not a node itself. Marked as pure: otherwise the bundler would
 * put it into a chunk of its own, and an open chat would need a second request.
 */
export const pageDocument = /* @__PURE__ */ new Proxy({} as Document, {
  get(_, name) {
    const value: unknown = Reflect.get(Document.prototype, name, document);
    // Not `value.bind?.`: libraries may have given elements a method of that name.
    return typeof value === "function" ? value.bind(document) : value;
  },
});
