/** A control of the page that makes the tag. */
export type Control = {
  /** The field, or the element that contains several fields. Every change in it fires an `input` event. */
  node: HTMLElement;
  /** The setting's value, of a type that JSON has; undefined if the control is empty. */
  read(): unknown;
};
