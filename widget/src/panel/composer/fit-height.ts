/** The height of the text field in browsers without `field-sizing`. Fetched when the visitor types there. */

/**
 * Makes the field as high as its text, up to the limit of the style sheet; an empty field gets its own height back. The form
 * keeps its height meanwhile: the thread must not grow for a moment, or it loses its scroll position.
 */
export function fit(field: HTMLTextAreaElement): void {
  // Runs after Preact has put the text into the field, and before the browser shows it.
  requestAnimationFrame(() => {
    const { form } = field;
    if (!form) return;
    form.style.height = `${form.offsetHeight}px`;
    field.style.height = "auto";
    field.style.height = field.value ? `${field.scrollHeight}px` : "";
    form.style.height = "";
  });
}
